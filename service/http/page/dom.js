/** Elements in short. */
import { kept } from './memory.js';
import { number, t } from './texts.js';

export function h(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (key === 'data') Object.assign(element.dataset, value);
    else if (key in element) element[key] = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const button = (key, onclick, ...more) =>
  h('button', { type: 'button', className: 'button', onclick }, t(key), ...more);

export function copy(text) {
  return navigator.clipboard?.writeText(text) ?? Promise.reject(new Error());
}

/** A board as a table, the player's own entry marked. */
export function boardTable({ entries }) {
  const mine = kept.get('player');
  const line = ({ rank, player, score }) =>
    h(
      'tr', { className: player === mine ? 'me' : '' },
      h('td', {}, number(rank)), h('td', {}, h('bdi', {}, player)), h('td', { className: 'number' }, number(score)),
    );
  const head = ['rank', 'name', 'score'].map((key, i) => h('th', { scope: 'col', className: i > 1 ? 'number' : '' }, t(key)));
  return h('table', {}, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...entries.map(line)));
}
