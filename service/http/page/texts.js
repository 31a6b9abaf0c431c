/** What the page says, in the language of the player. */

export const LANGUAGES = { en: 'English', fr: 'Français', de: 'Deutsch', nl: 'Nederlands', ar: 'العربية' };

let catalogue = {};
let plurals, numbers, dates, times;
export let language = 'en';
export let direction = 'ltr';

/** The first of the wanted languages that there is. */
export function choose(wanted) {
  const known = wanted.map((tag) => String(tag).toLowerCase().split('-')[0]).find((tag) => tag in LANGUAGES);
  return known ?? 'en';
}

export async function speak(wanted) {
  language = wanted;
  direction = wanted === 'ar' ? 'rtl' : 'ltr';
  // Cards and positions are written with 0 to 9 everywhere, and so is every other number.
  const locale = `${wanted}-u-nu-latn`;
  plurals = new Intl.PluralRules(locale);
  numbers = new Intl.NumberFormat(locale);
  dates = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', timeZone: 'UTC' });
  times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  catalogue = (await import(`./lang/${wanted}.js`)).default;
  Object.assign(document.documentElement, { lang: wanted, dir: direction });
  translate(document);
}

/** Fill every element that names a text. */
export function translate(root) {
  for (const element of root.querySelectorAll('[data-t]')) element.textContent = t(element.dataset.t);
}

export const number = (value) => numbers.format(value);
export const date = (day) => dates.format(new Date(`${day}T00:00:00Z`));

/** A time in milliseconds, as the device's clock shows it. */
export const time = (milliseconds) => times.format(milliseconds);

/** A text with its values filled in; `n` chooses its plural. */
export function t(key, values = {}) {
  let text = catalogue[key];
  if (text === undefined) return key;
  if (typeof text === 'object') text = text[plurals.select(values.n)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (_, name) => shown(values[name]));
}

export const has = (key) => key in catalogue;

/** Values keep their own direction inside an Arabic sentence. */
function shown(value) {
  const text = typeof value === 'number' ? numbers.format(value) : String(value ?? '');
  return direction === 'rtl' ? `\u2068${text}\u2069` : text;
}

export function cardName([rank, suit]) {
  return t('card', { rank: t(`rank${rank}`), suit: t(`suit${suit}`) }).replace(/[\u2068\u2069]/g, '');
}
