/** The game on the table: what is shown at once, and what the service has confirmed. */
import { afterMove, legalMoves } from './rules.js';
import { kept, playerKey, tab } from './memory.js';

const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join('-');

/**
 * A game begins as a plan: a deal that is shown, and made a game of the service by its first
 * action. Actions are shown at once and sent one after another; one that is refused takes back
 * itself and all after it. Events: `change`, `refused` (with `error`), `elsewhere`, `begun`, `settled`.
 */
export class Table extends EventTarget {
  #queue = [];
  #sending = false;
  #past = [];
  #future = [];
  #stop = new AbortController();

  constructor(client) {
    super();
    this.client = client;
    this.channel = globalThis.BroadcastChannel && new BroadcastChannel('accordion');
    this.channel?.addEventListener('message', ({ data }) => data === this.game?.id && this.refresh());
  }

  get busy() {
    return this.#queue.some(({ blind }) => blind);
  }

  get live() {
    return !this.watched && !this.blank && !this.looking && !this.busy && ['playing', 'lost'].includes(this.state.status);
  }

  get waiting() {
    return this.#queue.length > 0;
  }

  // --- what is on the table

  /** Show a deal; nothing is written until the first action. */
  async preview(plan) {
    const { variant: key = 'accordion', daily, seed, source, options = {} } = plan;
    const [variant, deal] = await Promise.all([
      this.client.variant(key),
      daily
        ? this.client.daily(daily === true ? null : daily, { variant: key })
        : this.client.deal({ variant: key, seed, source }),
    ]);
    this.#lay(variant, { ...plan, variant: variant.key, ...(daily && { daily: deal.date }) });
    this.state = previewOf(deal, variant, { ...variant.options, ...options });
    this.#tell('change');
  }

  /** Lay out no cards, as before a game of an event. */
  async clear(plan) {
    const variant = await this.client.variant(plan.variant ?? 'accordion');
    this.#lay(variant, plan);
    this.blank = true;
    this.state = previewOf({ cards: [], goal_card: null }, variant, variant.options);
    this.#tell('change');
  }

  /** Start a game at once, as for a random deal. */
  async start(plan) {
    const variant = await this.client.variant(plan.variant ?? 'accordion');
    const game = await this.client.create(creation({ ...plan, variant: variant.key }));
    if (plan.actions?.length) await game.batch(plan.actions.map(asMove));
    this.#lay(variant, plan);
    this.#adopt(game);
    this.#tell('begun');
    this.#tell('change');
  }

  async resume(id, plan = null) {
    const game = await this.client.resume(id);
    const variant = await this.client.variant(game.state.variant);
    this.#lay(variant, plan ?? planOf(game.state));
    this.#adopt(game);
    this.#takeUp(id);
    this.#tell('change');
    this.#send();
  }

  /** Go on with a game whose first action was not sent before the page was left. */
  async takeUp({ plan, creationKey }) {
    await this.preview(plan);
    this.creationKey = creationKey;
    this.#takeUp(null);
    this.#tell('change');
    this.#send();
  }

  /** What was not answered before a reload is sent again, with the same keys. */
  #takeUp(id) {
    const { game, actions } = tab.get('unsent') ?? {};
    if (actions && game === id) this.#queue = actions.map((action) => ({ ...action, blind: true }));
  }

  async watch(watchId) {
    const view = await this.client.watch(watchId);
    const variant = await this.client.variant(view.state.variant);
    this.#lay(variant, planOf(view.state));
    this.watched = view;
    this.state = view.state;
    this.#tell('change');
    this.#followWatched(view);
  }

  /** Show a position of a game that is over; null shows its end again. */
  look(state) {
    this.looking = state !== null;
    this.state = state ?? (this.game ?? this.watched).state;
    this.#tell('change');
  }

  async #followWatched(view) {
    const { signal } = this.#stop;
    try {
      for await (const state of view.follow({ every: 1500, signal })) {
        if (state === this.state) continue;
        this.state = state;
        this.#tell('change');
      }
    } catch (error) {
      if (!signal.aborted) this.#tell('refused', { error });
    }
  }

  #lay(variant, plan) {
    this.#stop.abort();
    this.#stop = new AbortController();
    Object.assign(this, { variant, plan, game: null, watched: null, creationKey: null, looking: false, blank: false });
    this.#queue = [];
    this.#past = [];
    this.#future = [];
  }

  #adopt(game) {
    this.game = game;
    this.state = game.state;
    const memory = { id: game.id, plan: this.plan };
    tab.set('game', memory);
    kept.set('game', memory);
  }

  // --- actions

  move(from, to) {
    this.#past.push(this.state);
    this.#future = [];
    this.state = afterMove(this.state, { from, to }, this.variant);
    this.#add({ type: 'move', from, to });
  }

  deal() {
    if (!this.game && this.state.row.length === 0) return this.#add({ type: 'nothing', blind: true });
    this.#past.push(this.state);
    this.#add({ type: 'deal', blind: true });
  }

  undo() {
    this.#step('undo', this.#past, this.#future);
  }

  redo() {
    this.#step('redo', this.#future, this.#past);
  }

  #step(type, from, to) {
    const known = from.pop();
    to.push(this.state);
    if (known) this.state = { ...known, last_action: null, can_redo: type === 'undo' || known.can_redo, undos_used: this.state.undos_used + (type === 'undo') };
    this.#add({ type, blind: !known });
  }

  finish() {
    this.#add({ type: 'finish', blind: true });
  }

  async hint() {
    await this.#settled();
    if (!this.game) await this.#create();
    const hint = await this.game.hint({ signal: this.#stop.signal });
    const { version, hints_used } = this.game.state;
    this.state = { ...this.state, version, hints_used };
    return hint;
  }

  /** Ask whether the game was changed elsewhere. */
  async refresh() {
    if (!this.game || this.waiting || this.looking) return;
    const { game } = this;
    const before = this.state;
    const changed = await game.refresh().catch(() => false);
    if (!changed || this.waiting || this.game !== game) return;
    if (game.state.version === before.version) return;
    this.#past = [];
    this.#future = [];
    this.state = game.state;
    this.#tell('elsewhere');
    this.#tell('change');
  }

  // --- sending

  #add(action) {
    this.#queue.push({ ...action, key: newKey() });
    this.#remember();
    this.#tell('change');
    this.#send();
  }

  #remember() {
    const { plan, creationKey } = this;
    tab.set('unsent', { game: this.game?.id ?? null, plan, creationKey, actions: this.#queue });
  }

  async #create() {
    const key = (this.creationKey ??= newKey());
    this.#remember();
    const game = await this.client.create(creation(this.plan), { idempotencyKey: key, signal: this.#stop.signal });
    this.creationKey = null;
    const shown = this.state;
    this.#adopt(game);
    if (this.waiting) this.state = shown;
    this.#remember();
    this.#tell('begun');
  }

  async #send() {
    if (this.#sending || !this.waiting) return;
    this.#sending = true;
    const { signal } = this.#stop;
    try {
      if (!this.game) await this.#create();
      while (this.waiting && !signal.aborted) await this.#sendFirst(signal);
    } catch (error) {
      if (!signal.aborted) this.#takeBack(error);
    } finally {
      this.#sending = false;
      if (!signal.aborted) this.#remember();
    }
    if (this.waiting) this.#send();
    else this.#tell('settled');
  }

  async #sendFirst(signal) {
    const [{ type, from, to, key, blind }] = this.#queue;
    const { game } = this;
    const write = { idempotencyKey: key, signal };
    if (type === 'move') await game.move(from, to, write);
    else if (type !== 'nothing') await game[type](...(type === 'finish' ? [write] : [1, write]));
    if (signal.aborted) return;
    this.#queue.shift();
    this.channel?.postMessage(game.id);
    if (this.waiting) return;
    const last = blind && type !== 'deal' ? null : this.state.last_action;
    this.state = { ...game.state, last_action: type === 'deal' ? { type } : (last ?? game.state.last_action ?? null) };
    this.#tell('change');
  }

  #takeBack(error) {
    this.#queue = [];
    this.#past = [];
    this.#future = [];
    if (this.game) this.state = this.game.state;
    this.#tell('refused', { error });
    this.#tell('change');
  }

  #settled() {
    if (!this.waiting) return undefined;
    return new Promise((resolve) => this.addEventListener('settled', resolve, { once: true }));
  }

  #tell(type, members = {}) {
    this.dispatchEvent(Object.assign(new Event(type), members));
  }
}

/** What a plan asks the service for. */
function creation({ variant, daily, seed, source, deck, winnable, difficulty, event, options }) {
  const player = kept.get('player');
  const named = player && { player, player_key: playerKey() };
  if (event) return { event, ...named };
  return {
    ...{ variant, daily, seed, source, deck, winnable, difficulty },
    ...(options && Object.keys(options).length && { options }),
    ...named,
  };
}

/** An action of a record as a batch has it. */
function asMove(action) {
  const [from, to] = action.split('-').map(Number);
  return action === 'deal' ? { deal: 1 } : { from, to };
}

function planOf({ variant, daily, event, seed, source, options }) {
  if (event) return { variant, event };
  return { variant, ...(daily ? { daily } : seed ? { seed, source, options } : {}) };
}

function previewOf({ cards, ...deal }, variant, options) {
  const stocked = options.layout === 'stock';
  const row = stocked ? (cards ?? variant.pinned_cards ?? []).slice(0, 1) : cards;
  return {
    ...{ variant: variant.key, options, row, removed: [], daily: deal.date ?? null, closes_at: deal.closes_at, seed: deal.seed, source: deal.source },
    ...{ heights: row.map(() => 1), stock: variant.deck_size - row.length, goal_card: deal.goal_card },
    ...{ legal_moves: legalMoves(row, variant), can_deal: stocked, can_undo: false, can_redo: false },
    ...{ version: 0, status: 'playing', moves: 0, score: 0, hints_used: 0, undos_used: 0, rating: null },
    ...{ started_at: null, ended_at: null, elapsed_seconds: 0, last_action: null, player: null },
  };
}
