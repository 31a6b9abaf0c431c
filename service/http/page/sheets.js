/** The sheets: new game, rules, history, settings and keys. */
import { dayBoards, streak } from './boards.js';
import { button, copy, h } from './dom.js';
import { picture, svg } from './faces.js';
import { kept } from './memory.js';
import { afterMove } from './rules.js';
import { LANGUAGES, cardName, date, language, number, t } from './texts.js';

const SOURCES = { 'accordion/1': null, pysol: 'PySolFC', solvitaire: 'Solvitaire' };
let dialog = null;

/** Open a sheet; `page` is what main.js lets it use. */
export function open(name, page) {
  dialog?.remove();
  const id = `sheet-${name}`;
  const body = h('div', { className: 'body' });
  const close = h('button', { type: 'button', className: 'close', 'aria-label': t('close'), onclick: shut }, icon('close'));
  const title = h('h2', { id }, t(TITLES[name]));
  dialog = h('dialog', { 'aria-labelledby': id, onclick: outside }, h('header', {}, title, close), body);
  document.body.append(dialog);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.showModal();
  SHEETS[name](body, page);
}

const TITLES = { new: 'newGame', rules: 'rules', history: 'history', board: 'board', settings: 'settings', keys: 'keysTitle' };
const shut = () => dialog?.close();

/** A click beside the sheet closes it. (A handler that returned false would stop all other clicks.) */
function outside({ target }) {
  if (target === dialog) shut();
}

function icon(name) {
  return svg('svg', { class: 'icon', 'aria-hidden': true }, svg('use', { href: `#i-${name}` }));
}

// --- new game

function newGame(body, page) {
  const { table, today, begin } = page;
  const choice = { variant: table.variant.key, options: {} };
  const start = (plan) => {
    shut();
    return begin({ ...plan, variant: choice.variant }).catch(() => {});
  };
  const options = () => (Object.keys(choice.options).length ? { options: choice.options } : {});
  const yesterday = new Date(Date.parse(today()) - 864e5).toISOString().slice(0, 10);
  const daily = (key, day) => {
    const played = kept.get('history', []).find((game) => game.daily === day && game.variant === choice.variant);
    const about = played ? `${date(day)} · ${t('lostTitle', { n: played.piles })}` : date(day);
    return h('button', { type: 'button', className: 'button wide', onclick: () => start({ daily: day }) }, t(key), h('small', {}, about));
  };
  const first = daily('dailyToday', today());
  first.classList.add('first');
  const random = h('div', { className: 'inline' });
  const showRandom = ({ difficulties }) => {
    const levels = difficulties.map((difficulty) => button(difficulty, () => start({ difficulty, ...options() })));
    const winnable = levels.length ? [] : [button('canBeWon', () => start({ winnable: true, ...options() }))];
    random.replaceChildren(button('anyDeal', () => start(options())), ...winnable, ...levels);
  };
  showRandom(table.variant);
  body.append(
    games(page, choice, showRandom),
    h('div', { className: 'stack' }, first, daily('dailyYesterday', yesterday), h('div', { className: 'inline' }, boardButton(page))),
    h('p', {}, h('small', {}, [t('utc'), streakText(today())].filter(Boolean).join(' '))),
    events(page),
    h('h3', {}, t('next')),
    random,
    byNumber(start, options),
    optionsOf(choice),
    links(page),
  );
}

const boardButton = (page) => !page.given && button('board', () => open('board', page));

function streakText(day) {
  const days = streak(kept.get('history', []), day);
  return days && t('streak', { n: days });
}

/** The tournaments that are open, where there are any. */
function events({ client }) {
  const place = h('div', { className: 'stack' });
  const link = ({ id, name }) => h('a', { className: 'button wide', href: `?event=${encodeURIComponent(id)}` }, h('bdi', {}, name));
  const isOpen = ({ opens_at, closes_at }) => Date.parse(opens_at) <= client.now() && client.now() < Date.parse(closes_at);
  const show = ({ events }) => {
    const now = events.filter(isOpen);
    if (now.length) place.append(h('h3', {}, t('events')), ...now.map(link));
  };
  client.events().then(show, () => {});
  return place;
}

function byNumber(start, options) {
  const seed = h('input', { name: 'seed', maxLength: 64, required: true, 'aria-label': t('seed'), placeholder: t('seed') });
  const source = h('select', { 'aria-label': t('source') });
  for (const [value, name] of Object.entries(SOURCES)) source.append(h('option', { value }, `${t('source')} ${name ?? t('sourceOwn')}`));
  const submit = (event) => {
    event.preventDefault();
    start({ seed: seed.value.trim(), source: source.value, ...options() });
  };
  const send = h('button', { className: 'button' }, t('play'));
  return h('form', { onsubmit: submit }, h('h3', {}, t('byNumber')), h('div', { className: 'by-number' }, seed, source, send));
}

function optionsOf(choice) {
  const set = (name, value) => ({ target }) => {
    if (target.checked) choice.options[name] = value;
    else delete choice.options[name];
  };
  const check = (key, name, value) =>
    h('label', { className: 'check' }, h('input', { type: 'checkbox', onchange: set(name, value) }), t(key));
  const layout = h('select', { onchange: ({ target }) => set('layout', target.value)({ target: { checked: target.value } }) });
  layout.append(h('option', { value: '' }, '–'), h('option', { value: 'open' }, t('open')), h('option', { value: 'stock' }, t('stockLayout')));
  return h(
    'details', {}, h('summary', {}, t('options')),
    h('label', { className: 'field' }, h('span', {}, t('layout')), layout),
    check('compulsory', 'compulsory', true), check('noUndo', 'undo', 'none'), check('noHints', 'hints', 'none'),
  );
}

/** The variants, one of them chosen; the list is closed until it is asked for. */
function games({ client, explain, table }, choice, chosen) {
  const name = h('b', {}, table.variant.name);
  const list = h('div', { role: 'radiogroup', 'aria-label': t('game') });
  const details = h('details', { className: 'games' }, h('summary', {}, t('game'), ' ', name), list);
  const choose = (variant) => {
    choice.variant = variant.key;
    name.textContent = variant.name;
    chosen(variant);
  };
  const item = (variant) =>
    h(
      'label', { className: 'choice' },
      h('input', { type: 'radio', name: 'variant', value: variant.key, checked: variant.key === choice.variant, onchange: () => choose(variant) }),
      h('span', {}, variant.name, h('small', {}, variant.summary)),
    );
  client.variants().then((all) => list.append(...all.map(item)), explain);
  return details;
}

function links({ table, notice }) {
  const { state, game } = table;
  const base = location.href.replace(/[?#].*$/, '');
  const give = (link) => async () => {
    shut();
    notice('', await copy(link).then(() => t('copied'), () => link));
  };
  const query = state.daily
    ? { daily: state.daily, variant: state.variant }
    : { variant: state.variant, seed: state.seed, ...(state.source !== 'accordion/1' && { source: state.source }) };
  const shareable = state.daily || state.seed;
  const stoppable = table.live && game;
  return h(
    'div', { className: 'actions' },
    shareable && button('copyLink', give(`${base}?${new URLSearchParams(query)}`)),
    state.watch_id && button('watchLink', give(`${base}#watch=${state.watch_id}`)),
    stoppable && button('stopGame', () => (shut(), table.finish())),
  );
}

// --- rules

async function rules(body, { table, client, explain }) {
  const variant = await client.variant(table.variant.key).catch(explain);
  if (!variant) return;
  const part = (key, text) => [h('h3', {}, t(key)), ...paragraphs(text)];
  body.classList.add('rules');
  body.append(
    ...[h('h3', {}, variant.name), ...paragraphs(variant.summary)],
    ...part('setup', variant.setup[table.state.options.layout]),
    ...[...part('move', variant.move), ...part('notAllowed', variant.not_allowed), ...part('win', variant.win)],
    ...example(variant),
    ...[h('h3', {}, t('tips')), h('ul', {}, ...variant.tips.map((tip) => h('li', {}, tip)))],
    ...[...part('scoringTitle', t('scoring')), ...part('odds', variant.odds), ...part('origin', variant.origin)],
    ...[h('h3', {}, t('glossary')), h('dl', {}, ...variant.glossary.flatMap(({ term, meaning }) => [h('dt', {}, term), h('dd', {}, meaning)]))],
  );
}

const paragraphs = (text) => text.split('\n').filter(Boolean).map((line) => h('p', {}, line));

/** Rows of a few cards, and moves that begin with them, as the texts of the rules explain them. */
const EXAMPLES = {
  accordion: ['4S 7H QC 4D KD', '3-0 3-0'],
  'accordion-bidirectional': ['7H 7C 2H', '0-1 1-0'],
  'accordions-revenge': ['2C 4H KH KC', '3-0 2-1 1-0'],
  '23-skidoo': ['7H 5H KH 5S 9S', '3-1 3-1 2-0'],
  'late-binding': ['KH 4C QC 4H QD', '3-0 1-0 1-0 1-0'],
  bayan: ['8C 2C JH QC 7H 2S', '3-0 2-1 1-0'],
  'push-pin': ['6S KS 9S 4H KH 6C', '4-1 3-0'],
  'royal-marriage': ['QH 2C 7D QD 9D KH', '3-0 3-0'],
  'nizhni-novgorod': ['AS KD JC TS 3S TC 2C AC', '5-2 5-2 3-0'],
  decade: ['QH 4D 8S AC 7S', '4-0'],
  'seven-up': ['QC 2H 7S 5D 9C', '2-2 1-0 1-0'],
};

/** A few cards to step through, move by move. */
function example(variant) {
  const [cards, line] = EXAMPLES[variant.key];
  const row = cards.split(' ');
  const moves = line.split(' ').map((move) => move.split('-').map(Number));
  let step = 0;
  const box = h('div', { className: 'example', role: 'img' });
  const next = button('step', () => show((step + 1) % (moves.length + 1)));
  const text = h('p', { 'aria-live': 'polite' }, variant.example);
  const blank = { row, heights: row.map(() => 1), removed: [], options: {}, moves: 0, score: 0 };
  function show(to) {
    step = to;
    const at = (count) => moves.slice(0, count).reduce((state, [from, onto]) => afterMove(state, { from, to: onto }, variant), blank);
    const state = at(step);
    box.replaceChildren(...state.row.map((card, i) => raised(picture(card), state.heights[i])));
    box.setAttribute('aria-label', state.row.map(cardName).join(t('comma')));
    const move = moves[step];
    if (move) move.forEach((position) => box.children[position].classList.add('target'));
    next.textContent = t(move ? 'step' : 'restart');
  }
  show(0);
  return [h('h3', {}, t('example')), text, box, h('p', {}, next)];
}

function raised(card, height) {
  card.dataset.edges = height > 1 ? Math.min(4, height) : 0;
  return card;
}

// --- history

function history(body, page) {
  const { today } = page;
  const games = kept.get('history', []);
  if (!games.length) body.append(h('p', {}, t('noHistory')));
  else {
    const of = [...new Set(games.map(({ variant }) => variant))];
    body.append(h('p', {}, streakText(today()) || t('streak', { n: 0 })));
    for (const variant of of) body.append(...historyOf(variant, games.filter((game) => game.variant === variant)));
    body.append(h('p', {}, h('small', {}, t('noHistory'))), button('forget', () => (kept.delete('history'), shut())));
  }
  body.append(h('p', {}, boardButton(page)));
}

/** The boards of the day on the table, or of today. */
function board(body, { table, client, today }) {
  const { daily, variant } = table.state;
  body.append(...dayBoards(client, daily ?? today(), variant));
}

function historyOf(key, games) {
  const recent = games.slice(-30);
  const rows = recent.slice(-8).reverse().map(({ name, label, piles, score }) =>
    h('tr', {}, h('td', {}, label ?? name), h('td', { className: 'number' }, number(piles)), h('td', { className: 'number' }, number(score))));
  const head = h('tr', {}, ...['deal', 'piles', 'score'].map((text, i) => h('th', { scope: 'col', className: i ? 'number' : '' }, t(text))));
  return [h('h3', {}, games.at(-1).name ?? key), plot(recent), h('table', {}, h('thead', {}, head), h('tbody', {}, ...rows))];
}

/** Piles left, a bar a game. */
function plot(games) {
  const [width, height] = [432, 96];
  const most = Math.max(10, ...games.map(({ piles }) => piles));
  const step = Math.min(24, (width - 30) / games.length);
  const y = (piles) => height - 4 - ((height - 16) * piles) / most;
  const bars = games.map(({ piles, status }, i) =>
    svg('rect', { class: status === 'won' ? 'bar won' : 'bar', x: 28 + i * step, y: y(piles), width: step * 0.7, height: height - 4 - y(piles), rx: 2 }));
  const marks = [5, most].map((piles) => {
    const label = svg('text', { x: 0, y: y(piles) + 4 });
    label.textContent = number(piles);
    return svg('g', {}, svg('line', { x1: 24, x2: width, y1: y(piles), y2: y(piles) }), label);
  });
  return svg('svg', { class: 'plot', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': t('plotLabel') }, ...marks, ...bars);
}

// --- settings

function settings(body, { applySettings }) {
  const values = kept.get('settings', {});
  const change = (name, value) => {
    kept.set('settings', Object.assign(values, { [name]: value }));
    applySettings();
  };
  const select = (key, name, choices, current) => {
    const field = h('select', { onchange: ({ target }) => change(name, target.value) });
    for (const [value, text] of choices) field.append(h('option', { value, selected: value === current }, text));
    return h('label', { className: 'field' }, h('span', {}, t(key)), field);
  };
  const check = (key, name, checked) =>
    h('label', { className: 'check' }, h('input', { type: 'checkbox', checked, onchange: ({ target }) => change(name, target.checked) }), t(key));
  const player = h('input', { maxLength: 64, value: kept.get('player', ''), autocomplete: 'nickname', dir: 'auto' });
  player.onchange = () => kept.set('player', player.value.trim() || null);
  const looks = ['auto', 'light', 'dark'].map((look) => [look, t(look)]);
  body.append(
    select('language', 'language', Object.entries(LANGUAGES), language),
    select('look', 'theme', looks, values.theme ?? 'auto'),
    check('fourColours', 'fourColours', Boolean(values.fourColours)),
    check('showPoints', 'points', values.points !== false),
    h('label', { className: 'field' }, h('span', {}, t('player')), player, h('small', {}, t('playerNote'))),
    h('h3', {}, t('keysTitle')), keyList(),
  );
}

function keyList() {
  const keys = [
    ...[['← →', 'keyArrows'], ['Enter', 'keyEnter'], ['Esc', 'keyEscape'], ['U', 'undo'], ['R', 'redo']],
    ...[['H', 'hint'], ['D', 'deal'], ['N', 'newGame'], ['?', 'keyHelp']],
  ];
  return h('dl', { className: 'keys' }, ...keys.flatMap(([key, text]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, t(text))]));
}

const SHEETS = { new: newGame, rules, history, board, settings, keys: (body) => body.append(keyList()) };
