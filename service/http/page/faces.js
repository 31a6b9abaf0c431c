/** Card faces, drawn from the symbols in index.html. */

const SVG = 'http://www.w3.org/2000/svg';
/** Pips by rank: columns at 34, 50 and 66 of 100, rows of 140; those below the middle stand on their heads. */
const PIPS = {
  2: '50,31 50,109',
  3: '50,31 50,70 50,109',
  4: '34,31 66,31 34,109 66,109',
  5: '34,31 66,31 50,70 34,109 66,109',
  6: '34,31 66,31 34,70 66,70 34,109 66,109',
  7: '34,31 66,31 50,50 34,70 66,70 34,109 66,109',
  8: '34,31 66,31 50,50 34,70 66,70 50,90 34,109 66,109',
  9: '34,29 66,29 34,56 66,56 50,70 34,84 66,84 34,111 66,111',
  T: '34,29 66,29 50,42 34,56 66,56 34,84 66,84 50,98 34,111 66,111',
};

export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const use = (id, x, y, width, height, turned) =>
  svg('use', {
    ...{ href: `#${id}`, x, y, width, height },
    ...(turned && { transform: `rotate(180 ${x + width / 2} ${y + height / 2})` }),
  });

function pips([rank, suit]) {
  const size = rank === '9' || rank === 'T' ? 20 : 22;
  return PIPS[rank].split(' ').map((place) => {
    const [x, y] = place.split(',').map(Number);
    return use(`suit-${suit}`, x - size / 2, y - size / 2, size, size, y > 70);
  });
}

function court([rank, suit]) {
  const half = () => [use(`court-${rank}`, 22, 18, 56, 52), use(`suit-${suit}`, 25, 21, 13, 13)];
  return [
    svg('rect', { class: 'panel', x: 22, y: 17, width: 56, height: 106, rx: 3 }),
    ...half(),
    svg('g', { transform: 'rotate(180 50 70)' }, ...half()),
    svg('path', { class: 'waist', d: 'M22 70h56' }),
  ];
}

function middle(card) {
  if (card[0] === 'A') return [use(`suit-${card[1]}`, 26, 46, 48, 48)];
  return PIPS[card[0]] ? pips(card) : court(card);
}

const corner = ([rank, suit]) => [use(`rank-${rank}`, 4, 6.5, 16, 20), use(`suit-${suit}`, 5.5, 30, 13, 13)];

/** The face for a large card, and the one for a small card; the style sheet shows one of them. */
export function face(card) {
  const full = svg(
    'svg',
    { class: 'face full', viewBox: '0 0 100 140', 'aria-hidden': true },
    ...middle(card),
    ...corner(card),
    svg('g', { transform: 'rotate(180 50 70)' }, ...corner(card)),
  );
  const large = svg(
    'svg',
    { class: 'face large', viewBox: '0 0 100 140', 'aria-hidden': true },
    use(`rank-${card[0]}`, 18, 12, 64, 62),
    use(`suit-${card[1]}`, 25, 80, 50, 50),
  );
  return [full, large];
}

/** A picture of a card that is no control, as in the rules. */
export function picture(card) {
  const element = document.createElement('span');
  element.className = 'card picture';
  element.dataset.suit = card[1];
  element.append(...face(card));
  return element;
}
