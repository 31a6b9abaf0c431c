/** Arcs from a pile to where it can go, bent around the ends of lines. */
import { svg } from './faces.js';

const RADIUS = 8;
/** How far beside the row an arc leaves it: as far as the screen has room for its mark. */
let margin = 0;

/** The place of a card in its row: middle, top and line. */
function place(element, row) {
  const { offsetLeft: x, offsetTop: top, offsetWidth: width, offsetHeight: height } = element;
  return { x: x + width / 2, y: top + height * 0.16, top, right: row.clientWidth };
}

const rise = (distance) => Math.min(46, 16 + distance * 0.12);

/** On one line: a single curve. Across lines: one to the margin, another from the margin opposite. */
function curves(start, end) {
  if (start.top === end.top) {
    const height = rise(Math.abs(start.x - end.x));
    return [`M${start.x} ${start.y}C${start.x} ${start.y - height} ${end.x} ${end.y - height} ${end.x} ${end.y}`];
  }
  const back = end.top < start.top;
  const left = -margin;
  const right = start.right + margin;
  const [out, into] = back ? [left, right] : [right, left];
  const leg = (point, margin) => {
    const height = rise(2 * Math.abs(point.x - margin));
    return { height, bend: point.x + (margin - point.x) * 0.6 };
  };
  const first = leg(start, out);
  const second = leg(end, into);
  return [
    `M${start.x} ${start.y}C${start.x} ${start.y - first.height} ${first.bend} ${start.y - first.height} ${out} ${start.y - first.height}`,
    `M${into} ${end.y - second.height}C${second.bend} ${end.y - second.height} ${end.x} ${end.y - second.height} ${end.x} ${end.y}`,
  ];
}

function arc(start, end, label) {
  const paths = curves(start, end);
  const lines = paths.flatMap((d) => [svg('path', { class: 'halo', d }), svg('path', { class: 'line', d })]);
  const tip = svg('path', { class: 'tip', d: `M${end.x} ${end.y + 5}l-5.5-8h11z` });
  const group = svg('g', { class: paths.length > 1 ? 'arc wrapped' : 'arc' }, ...lines, tip);
  group.append(svg('circle', { class: 'start', cx: start.x, cy: start.y, r: 3.5 }));
  if (paths.length > 1) group.append(...marks(start, end, label));
  return group;
}

/** An arrow where the arc leaves the row; where it comes back, how far the move goes. */
function marks(start, end, label) {
  const back = end.top < start.top;
  const [out, into] = back ? [-margin, start.right + margin] : [start.right + margin, -margin];
  const y = start.y - rise(2 * Math.abs(start.x - out));
  const height = end.y - rise(2 * Math.abs(end.x - into));
  const text = svg('text', { x: into, y: height + 4 });
  text.textContent = label;
  const side = back ? 6 : -6;
  return [
    svg('path', { class: 'tip', d: `M${out - side} ${y}l${side * 1.6}-6v12z` }),
    svg('circle', { class: 'mark', cx: into, cy: height, r: RADIUS }),
    text,
  ];
}

/** Draw the arcs from one card to others; `from` and `targets` are elements of the row. */
export function drawArcs(layer, row, from, targets) {
  margin = Math.min(8, row.getBoundingClientRect().left - RADIUS - 1);
  const start = from && place(from.element, row);
  layer.replaceChildren(
    ...(from ? targets : []).map((target) =>
      arc(start, place(target.element, row), Math.abs(from.position - target.position)),
    ),
  );
}
