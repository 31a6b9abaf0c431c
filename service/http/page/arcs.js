/** Arcs from a pile to where it can go, bent around the ends of lines. */
import { svg } from './faces.js';

const MARGIN = 7;

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
  const left = -MARGIN;
  const right = start.right + MARGIN;
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

/** At both margins, how far the move goes: the same number tells that both ends are one arc. */
function marks(start, end, label) {
  const back = end.top < start.top;
  const margins = back ? [-MARGIN, start.right + MARGIN] : [start.right + MARGIN, -MARGIN];
  const heights = [start, end].map((point, i) => point.y - rise(2 * Math.abs(point.x - margins[i])));
  return margins.flatMap((x, i) => {
    const text = svg('text', { x, y: heights[i] + 3.5 });
    text.textContent = label;
    return [svg('circle', { class: 'mark', cx: x, cy: heights[i], r: 8 }), text];
  });
}

/** Draw the arcs from one card to others; `from` and `targets` are elements of the row. */
export function drawArcs(layer, row, from, targets) {
  const start = from && place(from.element, row);
  layer.replaceChildren(
    ...(from ? targets : []).map((target) =>
      arc(start, place(target.element, row), Math.abs(from.position - target.position)),
    ),
  );
}
