/** Wires the page: the game on the table, what is shown of it, and what the player does. */
import { Accordion } from '../client/accordion.js';
import { alike, planIn } from './address.js';
import { Board } from './board.js';
import { kept, tab } from './memory.js';
import { pilesLeft, targetsOf } from './rules.js';
import { Table } from './table.js';
import { cardName, choose, date, language, number, speak, t } from './texts.js';

const $ = (id) => document.getElementById(id);
const query = new URLSearchParams(location.search);
const secret = new URLSearchParams(location.hash.slice(1));
const embedded = query.has('embed');
const startsGames = 'startsGames' in document.documentElement.dataset;
/** Whether only sites that offer the game start games: by the service's settings, or in a frame with a game of theirs. */
const given = !startsGames || (embedded && (secret.has('game') || secret.has('watch')));

const client = new Accordion({ retries: Infinity, timeout: 8000, pause, onRetry });
const table = new Table(client);
const board = new Board({
  row: $('row'), arcs: $('arcs'), ghosts: $('ghosts'),
  describe, say, play: (from, to) => act(() => table.move(from, to)), deal: () => act(() => table.deal()),
});

// --- the connection

/** Wait, but no longer than until the connection is back. */
function pause(milliseconds, signal) {
  const done = new AbortController();
  const waiting = new Promise((resolve, reject) => {
    setTimeout(resolve, milliseconds);
    addEventListener('online', resolve, { signal: done.signal });
    signal?.addEventListener('abort', () => reject(signal.reason), { signal: done.signal });
  });
  return waiting.finally(() => done.abort());
}

let offline = false;
function onRetry(error, attempt) {
  if (error.name !== 'Unreachable' && attempt < 2) return;
  offline = true;
  notice('offline', t('offline'));
}

function reconnected() {
  if (!offline) return;
  offline = false;
  notice('', t('online'));
}

// --- what is said

function notice(kind, text) {
  if (offline && kind !== 'offline') return;
  $('notice').dataset.kind = kind;
  $('notice').textContent = text.charAt(0).toUpperCase() + text.slice(1);
}

function announce(text) {
  $('announcer').textContent = text;
}

const named = (state, position) => t('target', { position: number(position), card: cardName(state.row[position]) });
const listed = (state, positions) => positions.map((position) => named(state, position)).join(t('or'));

function describe(state, position) {
  const targets = table.live ? targetsOf(state, table.variant, position) : [];
  const parts = [t('pile', { position: number(position), card: cardName(state.row[position]) })];
  if (state.heights[position] > 1) parts.push(t('cards', { n: state.heights[position] }));
  const way = table.variant.effect === 'stack' ? 'movesTo' : 'pairsWith';
  if (targets.length) parts.push(t(way, { targets: listed(state, targets) }));
  return parts.join(t('comma'));
}

function say(key, position, targets = []) {
  const text = t(key, { card: cardName(table.state.row[position]), targets: listed(table.state, targets) });
  notice('', text);
}

function tellMove(before, after) {
  const { last_action: last } = after;
  const stack = table.variant.effect === 'stack';
  const left = t(stack ? 'left' : 'cardsLeft', { n: pilesLeft(after) });
  if (last?.type === 'deal') return `${t('dealt', { card: cardName(after.row.at(-1)) })} ${left}`;
  if (last?.type !== 'move' || !before.row[last.from]) return after.row.length === before.row.length ? left : `${t('undone')} ${left}`;
  const cards = { card: cardName(before.row[last.from]), other: cardName(before.row[last.to]), to: number(last.to) };
  const what = stack ? t('moved', cards) : t('removed', { n: before.row.length - after.row.length });
  return `${what} ${left}`;
}

// --- what is shown

let spoken = false;
let shown = null;
function dealName({ daily, event, seed, status }, short) {
  if (table.watched) return table.state.player ? t('watchingPlayer', { player: table.state.player }) : t('watching');
  if (event || table.plan.event) return table.plan.name ?? t('event');
  if (daily) return daily === today() && !short ? t('today', { date: date(daily) }) : t('dailyOf', { date: date(daily) });
  const chosen = table.plan.seed != null || (status !== 'playing' && seed);
  return chosen && String(seed).length <= 24 ? t('dealOf', { seed }) : t('randomDeal');
}

const today = () => new Date(client.now()).toISOString().slice(0, 10);

function show() {
  const { state, variant } = table;
  if (!spoken || !state) return;
  const same = shown && shown.game === (table.game ?? table.watched) && shown.variant === variant;
  const changed = !shown || shown.state.row !== state.row;
  const over = state.status !== 'playing' && !table.waiting;
  document.documentElement.dataset.deck = variant.deck_size < 27 ? 'small' : '';
  document.body.classList.toggle('over', over);
  document.body.classList.toggle('few', over && !table.looking && state.row.length <= 6);
  document.body.classList.toggle('walking', table.looking);
  document.body.classList.toggle('blank', table.blank);
  board.show(state, variant, { live: table.live, animate: same || shown?.preview });
  if (same && changed && !table.looking && String(shown.state.row) !== String(state.row)) announce(tellMove(shown.state, state));
  shown = { state, variant, game: table.game ?? table.watched, preview: !table.game && !table.watched };
  if (table.live && state.can_deal && state.status === 'playing' && !state.legal_moves.length) notice('', t('mustDeal'));
  showFigures();
  showTools();
  showEnd();
  embed?.shown(state);
}

function showFigures() {
  const { state, variant } = table;
  $('variant-name').textContent = variant.name;
  $('deal-name').textContent = dealName(state);
  $('what').title = t('change');
  $('piles-label').textContent = t(variant.effect === 'stack' ? 'piles' : 'cardsLabel');
  $('piles').textContent = number(pilesLeft(state));
  $('score').textContent = number(state.score);
  $('row').setAttribute('aria-label', t('rowOf', { n: state.row.length }));
  board.stock.setAttribute('aria-label', t('stock', { n: state.stock }));
  $('goal-box').hidden = !state.goal_card;
  if (state.goal_card) showGoal(state.goal_card);
  document.title = `${variant.name} · ${dealName(state)}`;
  showBonus();
}

function showGoal(card) {
  const [rank, suit] = card;
  const goal = $('goal');
  goal.textContent = (rank === 'T' ? '10' : rank) + { C: '♣', D: '♦', H: '♥', S: '♠' }[suit];
  goal.className = 'DH'.includes(suit) ? 'red-suit' : '';
  goal.setAttribute('aria-label', cardName(card));
}

/** What a win at this second would add for its time. */
function showBonus() {
  const { state } = table;
  const going = state && ['playing', 'lost'].includes(state.status) && !table.watched;
  const seconds = state?.started_at ? Math.floor((client.now() - Date.parse(state.started_at)) / 1000) : 0;
  const bonus = Math.max(0, 1200 - Math.max(0, seconds));
  $('bonus').textContent = going && bonus ? `+${number(bonus)}` : '';
  $('bonus').title = t('bonus', { n: bonus });
}

function showTools() {
  const { state, live, watched } = table;
  $('undo').disabled = !(live && state.can_undo);
  $('redo').disabled = !(live && state.can_redo);
  $('hint').disabled = !(live && state.status === 'playing') || state.options.hints === 'none';
  $('deal').hidden = state.options.layout !== 'stock';
  $('deal').disabled = !(live && state.can_deal);
  $('undo').hidden = $('redo').hidden = state.options.undo === 'none' || Boolean(watched);
  $('hint').hidden = Boolean(watched);
}

let endShown = null;
let played = false;
async function showEnd() {
  const { state } = table;
  if (table.blank) return;
  if (!document.body.classList.contains('over')) {
    $('result').hidden = true;
    endShown = null;
    return;
  }
  const mark = `${state.watch_id}/${state.version}/${language}`;
  if (endShown === mark) return;
  const fresh = endShown === null && played;
  endShown = mark;
  const { showResult } = await import('./result.js');
  showResult($('result'), { table, board, client, fresh, notice, announce, dealName, begin, given, today, openSheet });
}

// --- what the player does

function act(action) {
  if (!table.live) return;
  played = true;
  notice('', '');
  action();
}

let warned = null;
/** Whether a hint would take the game off its board, and the player has not been told. */
function warns() {
  const { game, state, plan } = table;
  const counts = game ? state.ranked : state.daily === today() && kept.get('player');
  const first = warned !== plan;
  warned = plan;
  return counts && first && !state.hints_used;
}

async function hint() {
  if (!table.live) return;
  if (warns()) return notice('refused', t('hintUnranks'));
  notice('', t('thinking'));
  const { row } = table.state;
  try {
    const { action, verdict, reason } = await table.hint();
    if (String(table.state.row) !== String(row)) return;
    board.showHint(action);
    notice('hint', `${hintText(action)} ${reason?.text ?? t(verdict)}`);
  } catch (error) {
    explain(error);
  }
}

function hintText(action) {
  if (!action) return t('hintNone');
  if (action.type === 'deal') return t('hintDeal');
  const { row } = table.state;
  const cards = { card: cardName(row[action.from]), other: cardName(row[action.to]) };
  if (action.from === action.to) return t('hintAlone', cards);
  return t(table.variant.effect === 'stack' ? 'hintMove' : 'hintPair', cards);
}

function explain(error) {
  if (error.name === 'AbortError') return;
  const elsewhere = error.code === 'version-mismatch';
  const text = elsewhere ? t('elsewhere') : t('failed', { detail: error.message });
  notice('refused', text);
}

/** Begin what a plan says: a deal to look at, or at once a random game. */
async function begin(plan) {
  try {
    if (plan.game) await table.resume(plan.game);
    else if (plan.daily || (plan.seed != null && !plan.actions)) await resumeOrPreview(plan);
    else await table.start(plan);
    if (table.state.status === 'playing') notice('', t('start'));
  } catch (error) {
    explain(error);
    throw error;
  }
}

async function resumeOrPreview(plan) {
  const day = plan.daily === true ? today() : plan.daily;
  const id = kept.get('dailies', {})[plan.event ?? `${day}/${plan.variant ?? 'accordion'}`];
  const begin = () => (plan.event ? invite(plan.event) : table.preview(plan));
  if (!id || plan.again) return begin();
  return table.resume(id).catch(begin);
}

async function openSheet(name) {
  if (name === 'new' && given) return;
  const { open } = await import('./sheets.js');
  open(name, { table, client, begin, notice, today, dealName, applySettings, explain, given });
}

const KEYS = {
  u: () => act(() => !$('undo').disabled && table.undo()),
  r: () => act(() => !$('redo').disabled && table.redo()),
  h: hint,
  d: () => !$('deal').disabled && act(() => table.deal()),
  n: () => openSheet('new'),
  '?': () => openSheet('keys'),
};

/** The letter on the key, on keyboards of other scripts too. */
function commandKey({ key, code }) {
  if (key === '؟') return '?';
  return /^[^a-z]$/i.test(key) && code.startsWith('Key') ? code.slice(3).toLowerCase() : key.toLowerCase();
}

function listen() {
  if (embedded) document.documentElement.dataset.embed = '';
  if (given) document.documentElement.dataset.given = '';
  $('what').disabled = given;
  $('undo').onclick = KEYS.u;
  $('redo').onclick = KEYS.r;
  $('hint').onclick = hint;
  $('deal').onclick = KEYS.d;
  $('new').onclick = $('what').onclick = KEYS.n;
  for (const name of ['rules', 'history', 'settings']) $(`open-${name}`).onclick = () => openSheet(name);
  document.addEventListener('keydown', (event) => {
    const typing = event.target.closest('input, select, textarea, dialog');
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith('Arrow') && !event.target.closest('button, a')) return board.focus(), event.preventDefault();
    const command = KEYS[commandKey(event)];
    if (command) (event.preventDefault(), command());
  });
  document.addEventListener('click', ({ target }) => !target.closest('.card') && board.cancel());
  addEventListener('hashchange', () => location.reload());
  for (const event of ['focus', 'online', 'pageshow']) addEventListener(event, () => table.refresh());
  document.addEventListener('visibilitychange', () => document.hidden || table.refresh());
  table.addEventListener('change', show);
  table.addEventListener('settled', reconnected);
  table.addEventListener('refused', ({ error }) => explain(error));
  table.addEventListener('elsewhere', () => notice('refused', t('elsewhere')));
  table.addEventListener('begun', rememberDaily);
  setInterval(showBonus, 1000);
}

function rememberDaily() {
  const { daily, event, variant, id } = table.game.state;
  embed?.started(table.game.state);
  if (!daily && !event) return;
  const all = Object.entries({ ...kept.get('dailies', {}), [event ?? `${daily}/${variant}`]: id });
  kept.set('dailies', Object.fromEntries(all.slice(-40)));
}

// --- beginning

async function applySettings() {
  const settings = kept.get('settings', {});
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const theme = query.get('theme') ?? settings.theme ?? 'auto';
  const data = document.documentElement.dataset;
  data.theme = theme === 'auto' ? (dark ? 'dark' : 'light') : theme;
  data.suits = settings.fourColours ? 'four' : 'two';
  data.points = settings.points === false ? 'off' : 'on';
  const wanted = choose([query.get('lang'), settings.language, ...navigator.languages].filter(Boolean));
  const before = client.language;
  client.language = wanted;
  await speak(wanted);
  if (before && before !== wanted && table.state) {
    table.variant = await client.variant(table.variant.key);
    show();
  }
}

/** The game that an address names, else the one that this tab or this browser had, else the daily. */
async function open() {
  if (secret.has('game')) return table.resume(secret.get('game'));
  if (secret.has('watch')) return table.watch(secret.get('watch'));
  if (!startsGames) return table.clear({});
  const plan = planIn(query);
  const unsent = tab.get('unsent');
  if (unsent?.actions.length && !unsent.game && (!plan || alike(plan, unsent.plan, today()))) return table.takeUp(unsent);
  const mine = tab.get('game') ?? kept.get('game');
  if (mine && (!plan || alike(plan, mine.plan, today()))) {
    const resumed = await table.resume(mine.id, mine.plan).then(() => true, (error) => error.code !== 'game-not-found' && Promise.reject(error));
    const stale = table.state?.status !== 'playing' && !tab.get('game') && table.state?.daily !== today();
    if (resumed && !stale) return undefined;
  }
  return resumeOrPreview(plan ?? { daily: true });
}

async function invite(id) {
  const [event, { showEvent }] = await Promise.all([client.event(id), import('./event.js')]);
  await table.clear({ event: id, name: event.name, variant: event.variant });
  return () => showEvent($('result'), event, { client, begin });
}

let embed = null;
async function main() {
  listen();
  const settings = applySettings();
  const opening = open().catch((error) => error);
  await settings;
  spoken = true;
  if (offline) notice('offline', t('offline'));
  if (embedded) embed = (await import('./embed.js')).default(table);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applySettings);
  const opened = await opening;
  const error = opened instanceof Error && opened;
  if (error) {
    explain(error);
    if (secret.has('game') || secret.has('watch')) return;
    await table.preview({ daily: true }).catch(() => {});
  }
  if (!table.state) return;
  show();
  if (typeof opened === 'function') await opened();
  document.documentElement.dataset.ready = '';
  performance.mark('playable');
  if (table.watched) notice('', t('startWatch'));
  else if (table.blank) notice('', startsGames ? '' : t('onlyGiven'));
  else if (!error && table.state.status === 'playing' && !offline) notice('', t('start'));
  embed?.ready(table.state);
}

main();
