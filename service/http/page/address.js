/** What the address of the page asks for. */

/** The deal, or the event, that a query names; null if it names none. */
export function planIn(query) {
  if (query.get('event')) return { event: query.get('event') };
  if (!['seed', 'daily', 'variant', 'source', 'layout', 'compulsory'].some((name) => query.has(name))) return null;
  const named = Object.fromEntries(['variant', 'seed', 'source'].filter((name) => query.get(name)).map((name) => [name, query.get(name)]));
  const options = {
    ...(query.get('layout') && { layout: query.get('layout') }),
    ...(query.get('compulsory') === 'true' && { layout: 'stock', compulsory: true }),
  };
  const daily = named.seed == null && { daily: query.get('daily') || true };
  return { ...named, ...daily, ...(Object.keys(options).length && { options }) };
}

/** Whether two plans are of the same deal; `today` is the day that a daily without one means. */
export function alike(one, other, today) {
  const key = ({ variant = 'accordion', event, seed = null, source = null, daily = null }) =>
    event ?? [variant, seed, source, daily === true ? today : daily].join('/');
  return key(one) === key(other);
}
