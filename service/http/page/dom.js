/** Elements in short. */
import { t } from './texts.js';

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
