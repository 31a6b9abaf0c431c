/** What others did: boards, a day's results, and the streak of this browser. */
import { h } from './dom.js';
import { svg } from './faces.js';
import { kept } from './memory.js';
import { date, number, t } from './texts.js';

/** A board as a table, the player's own entry marked. An entry of a deal that is closed leads to its game. */
export function boardTable(entries) {
  const mine = kept.get('player');
  const line = ({ rank, player, score, watch_id: id }) => {
    const name = h('bdi', {}, player);
    return h(
      'tr', { className: player === mine ? 'me' : '' },
      h('td', {}, number(rank)), h('td', {}, id ? h('a', { href: `#watch=${id}` }, name) : name), h('td', { className: 'number' }, number(score)),
    );
  };
  const head = ['rank', 'name', 'score'].map((key, i) => h('th', { scope: 'col', className: i > 1 ? 'number' : '' }, t(key)));
  return h('table', {}, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...entries.map(line)));
}

/** The first entries of a board, and those around the player where they are further down. */
export async function readBoard(client, name, query) {
  const player = kept.get('player');
  const { entries } = await client.board(name, { ...query, limit: 20 });
  if (!player || entries.length < 20 || entries.some((entry) => entry.player === player)) return entries;
  const around = await client.board(name, { ...query, around: player, limit: 5 }).catch(() => ({ entries: [] }));
  return [...entries, ...around.entries.filter(({ rank }) => rank > 20)];
}

/** The boards of a day, its month and all time, one of them shown. */
export function dayBoards(client, day, variant) {
  const names = [[`daily/${day}`, date(day)], [`monthly/${day.slice(0, 7)}`, t('thisMonth')], ['all-time', t('allTime')]];
  const choice = h('select', { 'aria-label': t('board') }, ...names.map(([value, text]) => h('option', { value }, text)));
  const place = h('div', { 'aria-live': 'polite' });
  choice.onchange = async () => {
    const entries = await readBoard(client, choice.value, { variant }).catch(() => []);
    const day = choice.selectedIndex === 0 ? await dayResults(client, choice.value.slice(6), variant) : [];
    place.replaceChildren(...day, entries.length ? boardTable(entries) : h('p', {}, t('boardEmpty')));
  };
  choice.onchange();
  return [h('div', { className: 'field' }, choice), place];
}

/** How all players of a day's deal ended, as a text and bars; `mine` piles are marked. */
export async function dayResults(client, day, variant, mine) {
  const found = await client.statistics(day, { variant }).catch(() => null);
  if (!found?.players) return [];
  return [h('p', {}, t('dayText', { n: found.players, won: found.won })), bars(found.piles, mine)];
}

function bars(counts, mine) {
  const [width, height] = [432, 88];
  const columns = Math.max(10, ...counts.map(({ piles }) => piles));
  const most = Math.max(...counts.map(({ players }) => players));
  const step = width / columns;
  const label = (piles, y, value) => {
    const element = svg('text', { x: (piles - 0.5) * step, y, 'text-anchor': 'middle' });
    element.textContent = number(value);
    return element;
  };
  const bar = ({ piles, players }) => {
    const tall = 4 + (52 * players) / most;
    const shape = { x: (piles - 0.9) * step, y: 70 - tall, width: step * 0.8, height: tall, rx: 2 };
    return [svg('rect', { class: piles === mine ? 'bar mine' : 'bar', ...shape }), label(piles, 66 - tall, players)];
  };
  const axis = Array.from({ length: columns }, (_, i) => label(i + 1, 84, i + 1));
  const line = svg('line', { x1: 0, x2: width, y1: 70.5, y2: 70.5 });
  return svg('svg', { class: 'plot', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': t('dayPlot') }, line, ...axis, ...counts.flatMap(bar));
}

/** Days in a row, up to today or yesterday, whose daily was played to its end. */
export function streak(games, day) {
  const days = new Set(games.filter(({ daily, status }) => daily && status !== 'ended').map(({ daily }) => daily));
  let at = Date.parse(day);
  const has = () => days.has(new Date(at).toISOString().slice(0, 10));
  if (!has()) at -= 864e5;
  let count = 0;
  for (; has(); at -= 864e5) count += 1;
  return count;
}
