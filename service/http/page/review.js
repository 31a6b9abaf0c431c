/** The review of a game that is over: a walk through its actions, and where it turned. */
import { button, h } from './dom.js';
import { afterMove } from './rules.js';
import { number, t } from './texts.js';

export async function showReview(section, { table, board, client, begin, notice }) {
  notice('', t('reviewWait'));
  const { game, variant, state } = table;
  const [review, record] = await Promise.all([game.review(), game.record()]).catch((error) => {
    notice('refused', error.status === 404 ? t('notOffered') : t('failed', { detail: error.message }));
    return [];
  });
  if (!review) return;
  notice('', '');
  const deal = record.deck ? { cards: record.deck } : await client.deal({ seed: record.seed, source: record.source, variant: variant.key });
  const positions = walk(deal.cards, record, variant, state);
  new Walk(section, { table, board, review, record, positions, begin }).show(review.turning_point ?? positions.length - 1);
}

/** Every position of the game, the first one included. */
function walk(cards, record, variant, state) {
  const stocked = record.options.layout === 'stock';
  const row = stocked ? cards.slice(0, 1) : cards;
  let dealt = row.length;
  let at = { ...state, row, heights: row.map(() => 1), removed: [], moves: 0, score: 0, legal_moves: [], last_action: null };
  at.stock = cards.length - dealt;
  const positions = [at];
  for (const action of record.actions) {
    if (action === 'deal') {
      at = { ...at, row: [...at.row, cards[dealt++]], heights: [...at.heights, 1], stock: at.stock - 1, last_action: { type: 'deal' } };
    } else {
      const [from, to] = action.split('-').map(Number);
      at = afterMove(at, { from, to }, variant);
    }
    positions.push(at);
  }
  return positions;
}

class Walk {
  constructor(section, parts) {
    Object.assign(this, { section }, parts);
    const { review, record } = this;
    this.bar = h('div', { className: 'timeline', role: 'group', 'aria-label': t('review') });
    this.bar.append(...record.actions.map((_, i) => this.#step(i)));
    this.label = h('p', { 'aria-live': 'polite' });
    const facts = [
      review.accuracy != null && t('accuracy', { n: Math.round(review.accuracy) }),
      review.hindsight && t('hindsight'),
      review.turning_point == null ? t('reviewNone') : t('turningPoint', { n: review.turning_point + 1 }),
    ];
    section.replaceChildren(
      h('h2', {}, t('review')),
      h('p', {}, facts.filter(Boolean).join(' ')),
      this.bar,
      this.label,
      h('div', { className: 'actions' }, ...this.#buttons()),
    );
  }

  #verdict(i) {
    const { actions = [] } = this.review;
    return actions[i]?.after ?? 'unknown';
  }

  #step(i) {
    const label = `${t('stepOf', { n: i + 1, of: this.record.actions.length })}: ${t(this.#verdict(i))}`;
    return h('button', { type: 'button', tabIndex: -1, className: this.#verdict(i), 'aria-label': label, onclick: () => this.show(i + 1) });
  }

  #buttons() {
    const from = this.review.line_from ?? this.review.turning_point;
    return [
      button('before', () => this.show(this.at - 1)),
      button('after', () => this.show(this.at + 1)),
      from != null && button('tryAgain', () => this.#tryFrom(from)),
    ].filter(Boolean);
  }

  show(at) {
    this.at = Math.max(0, Math.min(this.positions.length - 1, at));
    this.table.look(this.positions[this.at]);
    const next = this.positions[this.at + 1]?.last_action;
    this.board.showHint(next ?? null);
    [...this.bar.children].forEach((step, i) => {
      if (i === this.at - 1) step.setAttribute('aria-current', 'step');
      else step.removeAttribute('aria-current');
    });
    this.label.textContent = this.at ? `${t('stepOf', { n: this.at, of: this.record.actions.length })}. ${t(this.#verdict(this.at - 1))}` : t('start0');
  }

  /** A new game of the same deal, played up to the last position that could still be won. */
  async #tryFrom(from) {
    const { seed, source, options, deck, variant } = this.record;
    await this.begin({ ...(deck ? { deck } : { seed, source }), variant, options, actions: this.record.actions.slice(0, from) });
  }
}
