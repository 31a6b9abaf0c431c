/** A walk through the actions of a game that is over, with its review where the player asks for it. */
import { button, h } from './dom.js';
import { afterMove } from './rules.js';
import { t } from './texts.js';

export async function showReview(section, page) {
  const { table, client, notice } = page;
  const { game, watched, variant, state } = table;
  if (game) notice('', t('reviewWait'));
  const [review, record] = await Promise.all([game?.review(), (game ?? watched).record()]).catch((error) => {
    notice('refused', t('failed', { detail: error.message }));
    return [];
  });
  if (!record) return;
  record.actions = record.actions.filter((action) => action !== 'finish');
  notice('', '');
  const deal = record.deck ? { cards: record.deck } : await client.deal({ seed: record.seed, source: record.source, variant: variant.key });
  const start = before(deal.cards, record, state);
  new Walk(section, { ...page, review, record, start, cards: deal.cards }).open();
}

/** The position before the first action. */
function before(cards, record, state) {
  const row = record.options.layout === 'stock' ? cards.slice(0, 1) : cards;
  const blank = { removed: [], moves: 0, score: 0, legal_moves: [], last_action: null };
  return { ...state, ...blank, row, heights: row.map(() => 1), stock: cards.length - row.length };
}

/** Every position on the way of some actions, the first one included. */
function positions(start, actions, cards, variant) {
  const after = (at, action) => {
    if (action !== 'deal') {
      const [from, to] = action.split('-').map(Number);
      return afterMove(at, { from, to }, variant);
    }
    const card = cards[cards.length - at.stock];
    return { ...at, row: [...at.row, card], heights: [...at.heights, 1], stock: at.stock - 1, last_action: { type: 'deal' } };
  };
  return actions.reduce((all, action) => [...all, after(all.at(-1), action)], [start]);
}

class Walk {
  constructor(section, parts) {
    Object.assign(this, { section }, parts);
    const { review } = this;
    this.bar = h('div', { className: 'timeline', role: 'group', 'aria-label': t(review ? 'review' : 'walk') });
    this.label = h('p', { 'aria-live': 'polite' });
    this.choice = review?.line?.length > 0 && button('winningLine', () => this.#choose(!this.wins));
    const facts = review && [
      review.accuracy != null && t('accuracy', { n: Math.round(review.accuracy) }),
      review.hindsight && t('hindsight'),
      review.turning_point == null ? t('reviewNone') : t('turningPoint', { n: review.turning_point + 1 }),
    ];
    section.replaceChildren(
      h('h2', {}, t(review ? 'review' : 'walk')),
      h('p', {}, (facts || []).filter(Boolean).join(' ')),
      this.bar,
      this.label,
      h('div', { className: 'actions' }, ...this.#buttons()),
    );
    section.lastChild.onkeydown = ({ key }) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (step) this.show(this.at + step);
    };
    this.next.focus({ preventScroll: true });
  }

  #buttons() {
    const from = this.review?.line_from ?? this.review?.turning_point;
    this.back = button('before', () => this.show(this.at - 1));
    this.next = button('after', () => this.show(this.at + 1));
    return [this.back, this.next, this.choice, from != null && !this.given && button('tryAgain', () => this.#tryFrom(from)), button('close', this.done)].filter(Boolean);
  }

  /** Begin where the game turned; else at the end of a game that was reviewed, or at the start. */
  open() {
    const { review, record } = this;
    this.#choose(false, review ? (review.turning_point ?? record.actions.length) : 0);
  }

  /** Walk along the game as it was played, or along the line that wins. */
  #choose(wins, at = this.review.line_from) {
    const { review, record, start, cards, table } = this;
    this.wins = wins;
    this.actions = wins ? [...record.actions.slice(0, review.line_from), ...review.line] : record.actions;
    this.positions = positions(start, this.actions, cards, table.variant);
    this.bar.replaceChildren(...this.actions.map((_, i) => this.#step(i)));
    if (this.choice) this.choice.textContent = t(wins ? 'played' : 'winningLine');
    this.show(at);
  }

  /** What is known after an action; nothing without a review. */
  #verdict(i) {
    if (this.wins && i >= this.review.line_from) return 'winnable';
    return this.review ? (this.review.actions?.[i]?.after ?? 'unknown') : null;
  }

  #text(i) {
    const verdict = this.#verdict(i);
    const step = t('stepOf', { n: i + 1, of: this.actions.length });
    return verdict ? `${step}. ${t(verdict)}` : step;
  }

  #step(i) {
    const properties = { type: 'button', tabIndex: -1, className: this.#verdict(i) ?? '', onclick: () => this.show(i + 1) };
    return h('button', { ...properties, 'aria-label': this.#text(i) });
  }

  show(at) {
    this.at = Math.max(0, Math.min(this.positions.length - 1, at));
    this.table.look(this.positions[this.at]);
    this.board.showHint(this.positions[this.at + 1]?.last_action ?? null);
    [...this.bar.children].forEach((step, i) => {
      if (i === this.at - 1) step.setAttribute('aria-current', 'step');
      else step.removeAttribute('aria-current');
    });
    this.label.textContent = this.at ? this.#text(this.at - 1) : t('start0');
    this.back.disabled = this.at === 0;
    this.next.disabled = this.at === this.positions.length - 1;
  }

  /** A new game of the same deal, played up to the last position that could still be won. */
  async #tryFrom(from) {
    const { seed, source, options, deck, variant } = this.record;
    await this.begin({ ...(deck ? { deck } : { seed, source }), variant, options, actions: this.record.actions.slice(0, from) });
  }
}
