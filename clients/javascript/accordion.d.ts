/** Types of the client of the Accordion service. */

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

/** What everybody may see of a game. */
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
  /** How many cards are still to be dealt. */
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
  /** The key to the game: who has it can play it. */
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
  /** Null in the stock layout until the day closes. */
  cards: Card[] | null;
  commitment: string | null;
  closes_at?: Time;
}

/** The rules of a variant, as texts and as numbers. */
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
  /** What `difficulty` of a new game can be. */
  difficulties: Difficulty[];
  options: Options;
  [member: string]: unknown;
}

export interface Hint {
  version: number;
  /** Null when nothing can be done. */
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
/** A page of a list; `next` asks for the page after it. */
export type Page<T> = T & { next: (() => Promise<Page<T>>) | null };

/** The results of a day's deal, one a player, the best. */
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
  /** Days up to now on which that day's daily was won or lost. */
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
  /** Games that a player can start; null is any number. */
  attempts: number | null;
}
/** The review of a game that is over. */
export interface Review {
  /** `before` and `after` are of the positions around the action. */
  actions: { action: string; before: Verdict; after: Verdict }[];
  /** The place in `actions` after which the game is proved lost, while it could be won before. */
  turning_point: number | null;
  /** In the place of which action `line` starts. */
  line_from: number | null;
  /** Actions that win from there. */
  line: string[];
  /** The percentage of the judged decisions after which the game could still be won. */
  accuracy: number | null;
  /** Whether it judges with all cards known, as in the stock layout. */
  hindsight: boolean;
}

/** A problem document; the members after `instance` are those of some problems. */
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

/** An answer that is an error, as RFC 9457 describes it. */
export class Problem extends Error {
  readonly name: 'Problem';
  readonly status: number;
  /** The last part of the problem's type: `illegal-move`, `version-mismatch`, ... */
  readonly code: string;
  readonly body: ProblemBody;
  /** Seconds. */
  readonly retryAfter?: number;
  readonly requestId: string | null;
}

/** No answer came, after every retry. */
export class Unreachable extends Error {
  readonly name: 'Unreachable';
}

export interface Configuration {
  /** The address of the service. A browser that took this file from the service needs none. */
  base?: string | URL;
  /** An API key. Never in a browser: whoever has it has all games. */
  key?: string;
  /** What texts are asked for, as `Accept-Language`. */
  language?: string;
  /** How often a request that may succeed later is sent again; 4. */
  retries?: number;
  /** Milliseconds for one attempt; 15,000. */
  timeout?: number;
  fetch?: typeof globalThis.fetch;
  /** Waits; rejects when the signal aborts. */
  pause?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Told before each wait for another attempt. */
  onRetry?: (error: Problem | Unreachable, attempt: number) => void;
}
export interface Call {
  signal?: AbortSignal;
}
export interface Write extends Call {
  /** Made for each call unless it is named here. The same key never does a thing twice. */
  idempotencyKey?: string;
  /** The game's `version` in quotes unless it is named here; null writes whatever the version. */
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
  /** The server's time in milliseconds since 1970, from the last answer. */
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

/** A game as it was last seen. */
export class View<S extends WatchedState = WatchedState> {
  readonly client: Accordion;
  readonly state: S;
  readonly etag: string | null;
  /** Whether it takes no more writes; a lost game can still be undone. */
  readonly over: boolean;
  /** Ask for the game anew; whether anything in it has changed. */
  refresh(call?: Call): Promise<boolean>;
  /** Each state of the game, the one at hand first, until it is over. */
  follow(options?: { every?: number; signal?: AbortSignal }): AsyncGenerator<S, void, void>;
  record(options?: { format?: 'json' } & Call): Promise<GameRecord>;
  record(options: { format: 'text' | 'svg'; after?: number } & Call): Promise<string>;
  /** The review, once its player has asked for it and others may see it; of a `Game`, see there. */
  review(call?: Call): Promise<Review>;
}

/**
 * A game that can be played. A write names the version in `state` at the time of the call, so
 * that of two calls at once the second is refused; after a `version-mismatch`, `state` is current.
 */
export class Game extends View<GameState> {
  readonly id: string;
  move(from: number, to: number, write?: Write): Promise<GameState>;
  /** Move a pile that has one target; with two it is an `ambiguous-move` with its `targets`. */
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
  /** Ask for the review of a game that is over, and wait until it is there. */
  review(call?: Call): Promise<Review>;
  delete(call?: Call): Promise<void>;
}
