/** A tournament before it is played: what it is, when it is open, and its board. */
import { boardTable, readBoard } from './boards.js';
import { h } from './dom.js';
import { kept } from './memory.js';
import { t, time } from './texts.js';

/** Show an event in a section; `begin` starts a game of it under the name that is given there. */
export async function showEvent(section, event, { client, begin }) {
  const variant = await client.variant(event.variant);
  const now = client.now();
  const [opens, closes] = [event.opens_at, event.closes_at].map(Date.parse);
  const open = opens <= now && now < closes;
  const when = now < opens ? t('opensAt', { time: time(opens) }) : t(open ? 'closesAt' : 'closedAt', { time: time(closes) });
  const entries = await readBoard(client, `events/${event.id}`).catch(() => []);
  section.replaceChildren(
    ...[
      h('h2', { id: 'result-title' }, h('bdi', {}, event.name)),
      h('p', {}, variant.name),
      h('p', {}, [when, event.attempts && t('attempts', { n: event.attempts })].filter(Boolean).join(' ')),
      open && entry(event, begin),
      entries.length > 0 && h('h3', {}, t('board')),
      entries.length > 0 && boardTable(entries),
    ].filter(Boolean),
  );
  section.setAttribute('aria-labelledby', 'result-title');
  section.hidden = false;
}

function entry({ id, name, variant }, begin) {
  const player = h('input', { required: true, maxLength: 64, value: kept.get('player', ''), autocomplete: 'nickname', dir: 'auto' });
  const send = h('button', { className: 'button first' }, t('play'));
  const submit = (sent) => {
    sent.preventDefault();
    kept.set('player', player.value.trim());
    begin({ event: id, name, variant }).catch(() => {});
  };
  return h('form', { className: 'entry', onsubmit: submit }, h('label', { className: 'field' }, h('span', {}, t('player')), player), send);
}
