/** The rules as far as a page needs them to show a move before the service has answered. */

const RANKS = 'A23456789TJQK';
const RUNS = {
  decade: { value: (rank) => Math.min(rank, 10), fits: (sum) => sum === 10 || sum === 20 || sum === 30 },
  'seven-up': { value: (rank) => rank, fits: (sum) => sum % 7 === 0 },
};

export const rankOf = (card) => RANKS.indexOf(card[0]) + 1;
const matches = (one, other) => one[0] === other[0] || one[1] === other[1];

function runFits(row, from, to, { value, fits }) {
  return fits(row.slice(to, from + 1).reduce((sum, card) => sum + value(rankOf(card)), 0));
}

function allowed(row, from, to, variant) {
  if (to < 0 || to >= row.length) return false;
  if (variant.effect === 'remove-run') return runFits(row, from, to, RUNS[variant.key]);
  return matches(row[from], row[to]);
}

/** Every legal move of a row, as {from, to}. */
export function legalMoves(row, variant) {
  return row.flatMap((_, from) =>
    variant.distances
      .map((distance) => ({ from, to: from - distance }))
      .filter(({ to }) => allowed(row, from, to, variant))
      .sort((one, other) => one.to - other.to),
  );
}

/** The positions that leave the row, or that are covered, when a move is made. */
export function leaving({ from, to }, variant) {
  const span = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
  switch (variant.effect) {
    case 'stack':
      return [to];
    case 'remove-pair':
      return [to, from];
    case 'remove-between':
      return span(to + 1, from - 1);
    default:
      return span(to, from);
  }
}

/** The state after a move, as far as the rules tell it. */
export function afterMove(state, move, variant) {
  const row = [...state.row];
  const heights = [...state.heights];
  const gone = leaving(move, variant);
  let removed = state.removed;
  if (variant.effect === 'stack') {
    row[move.to] = row[move.from];
    heights[move.to] += heights[move.from];
    row.splice(move.from, 1);
    heights.splice(move.from, 1);
  } else {
    removed = [...removed, ...gone.map((position) => row[position])];
    for (const position of gone.toReversed()) {
      row.splice(position, 1);
      heights.splice(position, 1);
    }
  }
  return {
    ...state,
    ...{ row, heights, removed, can_undo: state.options.undo !== 'none', can_redo: false },
    legal_moves: legalMoves(row, variant),
    moves: state.moves + 1,
    score: state.score + 10 * gone.length,
    last_action: { type: 'move', ...move },
  };
}

/** Where a pile can go; in removal games a move can be named from either end. */
export function targetsOf(state, variant, position) {
  const targets = state.legal_moves.filter(({ from }) => from === position).map(({ to }) => to);
  if (variant.effect === 'stack') return targets;
  const others = state.legal_moves.filter(({ to }) => to === position).map(({ from }) => from);
  return [...new Set([...targets, ...others])].sort((one, other) => one - other);
}

/** A move between two positions with its ends in the order that the variant names them in. */
export function ordered(one, other, variant) {
  if (variant.effect === 'stack') return { from: one, to: other };
  return { from: Math.max(one, other), to: Math.min(one, other) };
}

/** Piles or cards left, counting those still to be dealt. */
export const pilesLeft = (state) => state.row.length + state.stock;
