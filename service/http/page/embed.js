/** What the page tells the page that frames it, as docs/embedding.md describes. */

/** Messages go to the portal that framed the page, and to it alone. */
function portal() {
  if (location.ancestorOrigins?.length) return location.ancestorOrigins[0];
  return document.referrer ? new URL(document.referrer).origin : null;
}

const publicly = ({ watch_id, variant, status, version, moves, score, rating, row, stock }) => ({
  ...{ watch_id, variant, status, version, moves, score, rating },
  piles: row.length + stock,
});

export default function embed(table) {
  const origin = window.parent === window ? null : portal();
  const tell = (event, state, more = {}) =>
    origin && window.parent.postMessage({ accordion: 1, event, ...publicly(state), ...more }, origin);
  let last = null;
  return {
    ready: (state) => tell('ready', state),
    started(state) {
      last = state.watch_id;
      tell('started', state);
    },
    async shown(state) {
      if (table.waiting || !table.game) return;
      const mark = `${state.watch_id}/${state.version}`;
      const before = last;
      last = mark;
      if (before === null || before === mark) return;
      tell('moved', state);
      if (state.status !== 'playing') tell('over', state, { record: await table.game.record().catch(() => null) });
    },
  };
}
