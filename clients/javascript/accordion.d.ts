/** Types of the client for the Accordion service. */

/** Rank A23456789TJQK, then suit CDHS: `TD` is the ten of diamonds. */
export type Card = string;
/** A date as YYYY-MM-DD. */
export type Day = string;
/** A time as RFC 3339 in UTC. */
export type Time = string;
export type Status = 'playing' | 'won' | 'lost' | 'ended';
export type Rating = 'full' | 'strong' | 'moral' | null;
export type Verdict = 'winnable' | 'unwinnable' | 'unknown';
export type Source = 'accordion/1' | 'pysol' | 'solvitaire';
export type Difficulty = 'easy' | 'medium' | 'hard';
export type VariantKey =
  | 'accordion'
  | 'accordion-bidirectional'
  | 'accordions-revenge'
  | '23-skidoo'
  | 'late-binding'
  | 'bayan'
  | 'push-pin'
  | 'royal-marriage'
  | 'nizhni-novgorod'
  | 'decade'
  | 'seven-up';

/** Positions in the row; 0 is the leftmost pile. */
export interface Move {
  from: number;
  to: number;
}
export type Action = ({ type: 'move' } & Move) | { type: 'deal' };
export interface Options {
  layout: 'open' | 'stock';
  compulsory: boolean;
  undo: 'unlimited' | 'none';
  hints?: 'allowed' | 'none';
}
export interface LastAction {
  type: 'move' | 'deal' | 'batch' | 'undo' | 'redo' | 'finish';
  [member: string]: unknown;
}

/** A game as spectators see it. */
export interface WatchedState {
  watch_id: string;
  variant: VariantKey;
  options: Options;
  source: Source;
  /** Null while it is hidden; `commitment` is then its SHA-256. */
  seed: string | null;
  commitment: string | null;
  daily: Day | null;
  event?: string | null;
  player: string | null;
  version: number;
  status: Status;
  row: Card[];
  heights: number[];
  /** The number of cards still to be dealt. */
  stock: number;
  removed: Card[];
  goal_card: Card | null;
  legal_moves: Move[];
  can_deal: boolean;
  can_undo: boolean;
  can_redo: boolean;
  moves: number;
  hints_used: number;
  undos_used: number;
  score: number;
  rating: Rating;
  started_at: Time;
  ended_at: Time | null;
  elapsed_seconds: number;
  last_action?: LastAction | null;
  ranked?: boolean;
  unranked_reason?: string | null;
}

export interface GameState extends WatchedState {
  /** Gives access to the game: whoever has it can play. */
  id: string;
  reference?: string | null;
}

export interface NewGame {
  variant?: VariantKey | (string & {});
  seed?: string | number | null;
  source?: Source | null;
  deck?: Card[] | null;
  daily?: boolean | Day | null;
  event?: string | null;
  winnable?: boolean | null;
  difficulty?: Difficulty | null;
  options?: Partial<Options> | null;
  player?: string | null;
  player_key?: string | null;
  reference?: string | null;
}

export interface Deal {
  source: Source;
  seed: string | null;
  variant: VariantKey;
  cards: Card[];
  goal_card: Card | null;
}
export interface DailyDeal extends Omit<Deal, 'cards'> {
  date: Day;
  /** Null in the stock layout until the deal closes. */
  cards: Card[] | null;
  commitment: string | null;
  closes_at?: Time;
}

/** The rules of a variant, as texts and as data. */
export interface Variant {
  key: VariantKey;
  aliases: string[];
  name: string;
  summary: string;
  move: string;
  win: string;
  effect: 'stack' | 'remove-pair' | 'remove-between' | 'remove-run';
  distances: number[];
  goal_length: number;
  deck_size: number;
  pinned_cards: [Card, Card] | null;
  names_goal_card: boolean;
  /** The possible values of `difficulty` of a new game. */
  difficulties: Difficulty[];
  options: Options;
  [member: string]: unknown;
}

export interface Hint {
  version: number;
  /** Null if no action is legal. */
  action: Action | null;
  verdict: Verdict;
  reason: { code: string; text: string };
  hints_used?: number;
}
export interface Solution {
  version: number;
  verdict: Verdict;
  actions: Action[];
  hints_used?: number;
}
export interface Analysis {
  verdict: Verdict;
  line: Move[];
  moves: (Move & { verdict: Verdict })[];
}
export interface LegalMoves {
  version?: number;
  legal_moves: Move[];
  can_deal?: boolean;
}

export interface GameRecord {
  format: 'accordion-record/1';
  variant: VariantKey;
  options: Options;
  source?: Source;
  seed?: string | null;
  deck?: Card[];
  commitment?: string;
  /** "deal", or a move as "4-3". */
  actions: string[];
}
export interface Replay {
  valid: boolean;
  index?: number;
  reason?: string;
  status?: Status;
  score?: number;
  time_bonus?: null;
  rating?: Rating;
  row?: Card[];
}

export interface BoardEntry {
  rank: number;
  player: string;
  score: number;
  rating: Rating;
  piles: number;
  moves: number;
  undos_used: number;
  elapsed_seconds: number;
  finished_at: Time;
  watch_id: string | null;
}
export interface Board {
  board: unknown;
  entries_total: number;
  closes_at: Time | null;
  entries: BoardEntry[];
}
export interface BoardQuery {
  variant?: string;
  limit?: number;
  cursor?: string;
  around?: string;
}
/** A page of a list; `next` gets the page after it, and is null on the last one. */
export type Page<T> = T & { next: (() => Promise<Page<T>>) | null };

/** The results of a day's deal: the best one of each player. */
export interface DailyStatistics {
  date: Day;
  variant: VariantKey;
  players: number;
  won: number;
  piles: { piles: number; players: number }[];
}
export interface Player {
  player: string;
  games: number;
  wins: number;
  ratings: { full: number; strong: number; moral: number };
  best_scores: { variant: VariantKey; score: number }[];
  /** Consecutive days up to now on which the deal of the day was won or lost. */
  streak: number;
  longest_streak: number;
}
/** A tournament on one deal. */
export interface TournamentEvent {
  id: string;
  name: string;
  variant: VariantKey;
  options: Options;
  /** Null until the event closes. */
  seed: string | null;
  opens_at: Time;
  closes_at: Time;
  /** The number of games that a player can start; null is any number. */
  attempts: number | null;
}
/** The review of a game that is over. */
export interface Review {
  /** `before` and `after` are the verdicts on the positions around the action. */
  actions: { action: string; before: Verdict; after: Verdict }[];
  /** The index in `actions` of the action before which the game is winnable and after which it is lost. */
  turning_point: number | null;
  /** The index of the action that the first action of `line` replaces. */
  line_from: number | null;
  /** Actions that win from there. */
  line: string[];
  /** The percentage of the judged decisions after which the game could still be won. */
  accuracy: number | null;
  /** Whether it uses cards that the player did not know, as in the stock layout. */
  hindsight: boolean;
}

/** A problem document; only some problems have the members after `instance`. */
export interface ProblemBody {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  instance?: string;
  version?: number;
  reason?: string;
  index?: number;
  targets?: number[];
  legal_moves?: Move[];
  errors?: { pointer: string; detail: string }[];
  [member: string]: unknown;
}

/** An error response, a problem document (RFC 9457). */
export class Problem extends Error {
  readonly name: 'Problem';
  readonly status: number;
  /** The last part of the problem's type: `illegal-move`, `version-mismatch`, ... */
  readonly code: string;
  readonly body: ProblemBody;
  /** Seconds to wait, from `Retry-After`. */
  readonly retryAfter?: number;
  readonly requestId: string | null;
}

/** No response after all retries. */
export class Unreachable extends Error {
  readonly name: 'Unreachable';
}

export interface Configuration {
  /** The URL of the service. Not needed if this module is imported from the service. */
  base?: string | URL;
  /** An API key. Never use one in a browser: it gives access to all games of its tenant. */
  key?: string;
  /** The language of texts, as `Accept-Language`. */
  language?: string;
  /** How often a request that may succeed later is sent again; by default 4. */
  retries?: number;
  /** Milliseconds for one attempt; by default 15,000. */
  timeout?: number;
  fetch?: typeof globalThis.fetch;
  /** Waits; rejects if the signal aborts. */
  pause?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Called before each wait for another attempt. */
  onRetry?: (error: Problem | Unreachable, attempt: number) => void;
}
export interface Call {
  signal?: AbortSignal;
}
export interface Write extends Call {
  /** By default a new one for each call. Requests with the same key are executed once. */
  idempotencyKey?: string;
  /** By default the game's `version` in quotes; with null the write ignores the version. */
  ifMatch?: string | null;
}
export interface RawRequest extends Write {
  body?: unknown;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  accept?: string;
  ifNoneMatch?: string;
  idempotent?: boolean;
  retry?: boolean;
}

export class Accordion {
  constructor(configuration?: Configuration);
  language?: string;
  /** The server's time in milliseconds since 1970, by the last response. */
  now(): number;
  variants(call?: Call): Promise<Variant[]>;
  variant(key: string, call?: Call): Promise<Variant>;
  deal(query: { seed: string | number; source?: Source; variant?: string }, call?: Call): Promise<Deal>;
  daily(date?: Day | null, query?: { variant?: string }, call?: Call): Promise<DailyDeal>;
  statistics(date: Day, query?: { variant?: string }, call?: Call): Promise<DailyStatistics>;
  board(
    name: `daily/${string}` | `monthly/${string}` | 'all-time' | `events/${string}`,
    query?: BoardQuery,
    call?: Call,
  ): Promise<Page<Board>>;
  player(name: string, call?: Call): Promise<Player>;
  playerGames(
    name: string,
    query?: { status?: Status; reference?: string; cursor?: string },
    call?: Call,
  ): Promise<Page<{ games: GameState[] }>>;
  events(query?: { cursor?: string }, call?: Call): Promise<Page<{ events: TournamentEvent[] }>>;
  event(id: string, call?: Call): Promise<TournamentEvent>;
  legalMoves(body: { variant?: string; row: Card[] }, call?: Call): Promise<LegalMoves>;
  analysis(
    body: { variant?: string; row: Card[]; goal_card?: Card; budget_ms?: number },
    call?: Call,
  ): Promise<Analysis>;
  replay(record: GameRecord, call?: Call): Promise<Replay>;
  create(body?: NewGame, write?: Write): Promise<Game>;
  resume(id: string, call?: Call): Promise<Game>;
  watch(watchId: string, call?: Call): Promise<View>;
  /** Send any request below /v1, with retries. */
  request(
    method: string,
    path: string,
    options?: RawRequest,
  ): Promise<{ status: number; headers: Headers; body: any }>;
}

/** A game as last received. */
export class View<S extends WatchedState = WatchedState> {
  readonly client: Accordion;
  readonly state: S;
  readonly etag: string | null;
  /** Whether the game accepts no more writes; false for a lost game, since moves can be undone. */
  readonly over: boolean;
  /** Get the game again; resolves to whether it has changed. */
  refresh(call?: Call): Promise<boolean>;
  /** Yield the state now and after each change until the game is over, polling every `every` ms. */
  follow(options?: { every?: number; signal?: AbortSignal }): AsyncGenerator<S, void, void>;
  record(options?: { format?: 'json' } & Call): Promise<GameRecord>;
  record(options: { format: 'text' | 'svg'; after?: number } & Call): Promise<string>;
  /** Get the review, if the player has requested it and others may see it. `Game` overrides this. */
  review(call?: Call): Promise<Review>;
}

/**
 * A game that can be played. A write names the version in `state` at the time of the call, so
 * the second of two concurrent calls is refused; after a `version-mismatch`, `state` is current.
 */
export class Game extends View<GameState> {
  readonly id: string;
  move(from: number, to: number, write?: Write): Promise<GameState>;
  /** Move a pile that has one target; with several, fails with `ambiguous-move` and `targets`. */
  tap(from: number, write?: Write): Promise<GameState>;
  batch(moves: (Move | { deal: number })[], write?: Write): Promise<GameState>;
  deal(count?: number | 'all', write?: Write): Promise<GameState>;
  undo(count?: number | 'all', write?: Write): Promise<GameState>;
  redo(count?: number | 'all', write?: Write): Promise<GameState>;
  finish(write?: Write): Promise<GameState>;
  hint(options?: { budget?: number } & Write): Promise<Hint>;
  solution(write?: Write): Promise<Solution>;
  legalMoves(call?: Call): Promise<LegalMoves>;
  leaderboard(call?: Call): Promise<Board>;
  /** Request the review of a game that is over, and wait until it is ready. */
  review(call?: Call): Promise<Review>;
  delete(call?: Call): Promise<void>;
}
