/** The end of a game: the bellows, the result, and what can be done next. */
import { boardTable, dayResults, streak } from './boards.js';
import { button, copy, h } from './dom.js';
import { svg } from './faces.js';
import { kept } from './memory.js';
import { pilesLeft } from './rules.js';
import { has, number, t } from './texts.js';

const STILL = matchMedia('(prefers-reduced-motion: reduce)');
const WIDTH = 600;

export function showResult(section, page) {
  const { table, fresh } = page;
  const { state } = table;
  const piles = pilesLeft(state);
  if (state.status !== 'playing' && !table.watched) remember(page);
  const { figure, fold } = bellows(state.status === 'won' ? 0 : piles, table.variant.deck_size);
  section.replaceChildren(
    figure,
    h('h2', { id: 'result-title', tabIndex: -1 }, title(state, table.variant)),
    h('p', {}, text(state, table.variant)),
    facts(state),
    ...standing(page),
    h('div', { className: 'actions' }, ...actions(page)),
  );
  if (state.daily || state.ranked) showOthers(section, page);
  section.setAttribute('aria-labelledby', 'result-title');
  section.hidden = false;
  if (!fresh) return;
  page.announce(`${title(state, table.variant)}. ${text(state, table.variant)}`);
  fold();
  if (state.status === 'won') celebrate();
  scrollTowards(section);
}

// Only this page: scrollIntoView would also scroll the page that embeds it.
function scrollTowards(section) {
  const { top, bottom } = section.getBoundingClientRect();
  const by = Math.min(top, bottom - innerHeight);
  if (by > 0) scrollBy({ top: by, behavior: STILL.matches ? 'auto' : 'smooth' });
}

function facts({ score, moves, elapsed_seconds: seconds }) {
  const two = (value) => String(Math.floor(value) % 60).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), seconds / 60];
  const time = `${hours ? `${hours}:${two(minutes)}` : Math.floor(minutes)}:${two(seconds)}`;
  const fact = (key, value, className) => h('div', { className }, h('dt', {}, t(key)), h('dd', {}, value));
  return h('dl', { className: 'facts' }, fact('score', number(score), 'points'), fact('moves', number(moves)), fact('time', time));
}

/** The streak of days, and why a game of the day or of an event is on no board. */
function standing({ table, today }) {
  const { daily, event, ranked, unranked_reason: reason } = table.state;
  if (table.watched || !(daily || event)) return [];
  const days = daily === today() ? streak(kept.get('history', []), daily) : 0;
  const known = !ranked && has(reason) && (event || daily === today());
  return [days > 0 && t('streak', { n: days }), known && t(reason)].filter(Boolean).map((text) => h('p', {}, text));
}

/** How others did: all of a day, and the board around the player. */
async function showOthers(section, { table, client, given }) {
  const { daily, ranked, variant } = table.state;
  const { firstChild } = section;
  const [day, board] = await Promise.all([
    daily && !given ? dayResults(client, daily, variant, pilesLeft(table.state)) : [],
    ranked && table.game ? table.game.leaderboard().catch(() => null) : null,
  ]);
  if (section.firstChild !== firstChild) return;
  section.append(...day, ...(board?.entries.length ? [h('h3', {}, t('board')), boardTable(board.entries)] : []));
}

function title(state, variant) {
  if (state.status === 'won') return t('wonTitle');
  return t(variant.effect === 'stack' ? 'lostTitle' : 'lostCards', { n: pilesLeft(state) });
}

function text(state, variant) {
  if (state.status === 'won') return t(variant.goal_length === 1 ? 'wonPile' : 'wonText');
  if (state.rating) return t(state.rating);
  return t(state.status === 'lost' ? 'lostText' : 'endedText');
}

function actions(page) {
  const { table, begin, notice, dealName, given } = page;
  const { state, plan } = table;
  const steps = () => review(page);
  if (table.watched) return state.seed ? [button('walk', steps)] : [];
  const { variant, event } = state;
  const start = (chosen) => () => begin(chosen).catch(() => {});
  const same = event ? { event, variant, name: plan.name } : state.daily ? { daily: state.daily, variant, again: true } : { seed: state.seed, source: state.source, variant, options: plan.options };
  const next = button('next', start({ variant }));
  next.classList.add('first');
  return [
    !given && next,
    !given && (event || state.daily || state.seed) && button('again', start(same)),
    state.status === 'lost' && button('stop', () => table.finish()),
    state.status !== 'lost' && button('review', steps),
    button('share', () => share(state, table.variant, dealName(state, true), notice)),
    button('picture', () => savePicture(state, table.variant, dealName(state, true))),
  ].filter(Boolean);
}

async function review(page) {
  const { showReview } = await import('./review.js');
  const section = document.getElementById('result');
  const done = () => {
    page.table.look(null);
    showResult(section, { ...page, fresh: false });
  };
  await showReview(section, { ...page, done });
}

/** Note the game in this browser's history; a game that was undone and ended again replaces itself. */
function remember({ table, dealName }) {
  const { watch_id: id, variant, daily, status, score } = table.state;
  const games = kept.get('history', []).filter((game) => game.id !== id);
  const game = { id, variant, name: table.variant.name, daily, status, score, piles: pilesLeft(table.state), label: dealName(table.state, true) };
  kept.set('history', [...games, game].slice(-200));
}

// --- the bellows: a fold for each pile that is left

const widthOf = (folds) => folds && Math.min(WIDTH - 2 * BOARD - 30, 4 + folds * 10);

function bellows(piles, most) {
  const figure = svg('svg', { class: 'bellows', viewBox: `0 0 ${WIDTH} 92`, 'aria-hidden': true });
  const draw = (folds, width) => figure.replaceChildren(...parts(folds, width));
  const final = widthOf(piles);
  draw(piles, final);
  const fold = () => {
    if (STILL.matches) return;
    const start = performance.now();
    const widest = widthOf(most);
    const frame = (now) => {
      const x = Math.min(1, (now - start) / 1500);
      const eased = 1 - (1 - x) ** 3;
      const breath = Math.sin(x * Math.PI * 3) * 26 * (1 - x);
      draw(Math.round(most + (piles - most) * eased), widest + (final - widest) * eased + breath);
      if (x < 1) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  };
  return { figure, fold };
}

const BOARD = 40;

/** The sheets of the bellows as paths, from left to right. */
function sheets(folds, width) {
  const left = (WIDTH - width) / 2;
  const step = width / folds / 2;
  return Array.from({ length: folds * 2 }, (_, i) => {
    const x = left + i * step;
    const [near, far] = i % 2 ? [5, 14] : [14, 5];
    return `M${x} ${near}L${x + step} ${far}V${92 - far}L${x} ${92 - near}Z`;
  });
}

function parts(folds, width) {
  const paper = sheets(folds, width).map((d, i) => svg('path', { class: i % 2 ? 'fold dark' : 'fold', d }));
  return [...paper, keyboard((WIDTH - width) / 2 - BOARD), buttons((WIDTH + width) / 2)];
}

const side = (x, keys) => svg('g', {}, svg('rect', { class: 'board', x, y: 0, width: BOARD, height: 92, rx: 9 }), ...keys);
const keyboard = (x) =>
  side(x, Array.from({ length: 9 }, (_, i) => svg('rect', { class: 'key', x: x + 4, y: 6 + i * 9, width: 17, height: 8, rx: 1.5 })));
const buttons = (x) =>
  side(x, Array.from({ length: 15 }, (_, i) => svg('circle', { class: 'key', cx: x + 14 + (i % 3) * 9, cy: 14 + Math.floor(i / 3) * 16, r: 2.8 })));

function celebrate() {
  if (STILL.matches) return;
  const box = h('div', { className: 'confetti', 'aria-hidden': true });
  document.body.append(box);
  const flights = Array.from({ length: 52 }, (_, i) => {
    const suit = 'CDHS'[i % 4];
    const pip = svg('svg', { viewBox: '0 0 24 24' }, svg('use', { href: `#suit-${suit}` }));
    Object.assign(pip.style, { left: '50%', top: '55%', color: suit === 'H' || suit === 'D' ? 'var(--red)' : 'var(--accent)' });
    box.append(pip);
    const [angle, reach] = [Math.random() * 2 * Math.PI, 120 + Math.random() * 0.5 * innerWidth];
    const [x, y] = [Math.cos(angle) * reach, Math.sin(angle) * reach * 0.6 - 160];
    const frames = [
      { transform: 'translate(0, 0) scale(.3)', opacity: 1 },
      { transform: `translate(${x}px, ${y}px) rotate(${reach}deg)`, opacity: 1, offset: 0.55 },
      { transform: `translate(${x * 1.1}px, ${y + 420}px) rotate(${reach * 2}deg)`, opacity: 0 },
    ];
    return pip.animate(frames, { duration: 1800 + Math.random() * 900, easing: 'cubic-bezier(.15,.7,.5,1)' }).finished;
  });
  Promise.allSettled(flights).then(() => box.remove());
}

// --- sharing

function linkTo(state) {
  const base = location.href.replace(/[?#].*$/, '');
  const query = state.daily ? { daily: state.daily } : { seed: state.seed };
  const source = !state.daily && state.source !== 'accordion/1' && { source: state.source };
  return `${base}?${new URLSearchParams({ variant: state.variant, ...query, ...source })}`;
}

async function share(state, variant, deal, notice) {
  const result = `${title(state, variant)} ${t('points', { n: state.score })}`;
  const bars = '▮'.repeat(Math.min(26, pilesLeft(state)));
  const words = [t('shareText', { deal: `${variant.name}, ${deal}`, result }), bars, state.daily || state.seed ? linkTo(state) : ''];
  const message = words.filter(Boolean).join('\n');
  if (navigator.share && matchMedia('(pointer: coarse)').matches) return navigator.share({ text: message }).catch(() => {});
  return notice('', await copy(message).then(() => t('copied'), () => message));
}

/** The result as a PNG, drawn here. */
function savePicture(state, variant, deal) {
  const canvas = h('canvas', { width: 1000, height: 520 });
  const pen = canvas.getContext('2d');
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
  const piles = pilesLeft(state);
  const width = widthOf(piles);
  pen.fillStyle = colour('--table');
  pen.fillRect(0, 0, 1000, 520);
  pen.setTransform(1.6, 0, 0, 2, 20, 50);
  pen.strokeStyle = colour('--edge-line');
  for (const [i, d] of sheets(piles, width).entries()) {
    pen.fillStyle = colour(i % 2 ? '--gold' : '--paper');
    pen.fill(new Path2D(d));
    pen.stroke(new Path2D(d));
  }
  pen.fillStyle = colour('--accent');
  pen.beginPath();
  for (const x of [(WIDTH - width) / 2 - BOARD, (WIDTH + width) / 2]) pen.roundRect(x, 0, BOARD, 92, 9);
  pen.fill();
  pen.resetTransform();
  pen.textAlign = 'center';
  pen.direction = document.documentElement.dir;
  const write = (line, y, size, fill) => {
    Object.assign(pen, { font: `600 ${size}px system-ui, sans-serif`, fillStyle: colour(fill) });
    pen.fillText(line, 500, y);
  };
  write(title(state, variant), 340, 60, '--text');
  write(`${t('points', { n: state.score })}`, 400, 32, '--text');
  write(`${variant.name} · ${deal}`, 455, 28, '--quiet');
  canvas.toBlob((blob) => {
    const file = new File([blob], `accordion-${piles}.png`, { type: blob.type });
    if (matchMedia('(pointer: coarse)').matches && navigator.canShare?.({ files: [file] })) return navigator.share({ files: [file] }).catch(() => {});
    const url = URL.createObjectURL(blob);
    h('a', { href: url, download: file.name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
    return undefined;
  });
}
