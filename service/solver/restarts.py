"""The heuristic search of long rows: passes with restarts, until one wins.

A pass makes the best-valued moves until the row is short; the short row is then
searched exhaustively. If that does not win, the next pass starts from the whole row
again, with other random noise in its values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numba import njit

from service.solver.kernels.endgame import solve_endgame, workspace
from service.solver.kernels.heuristic_search import make_best_moves
from service.solver.kernels.heuristic_state import new_state
from service.solver.kernels.outcomes import WON
from service.solver.kernels.rules import REMOVE_PAIR

if TYPE_CHECKING:
    from service.solver.kernels.endgame import Workspace
    from service.solver.kernels.heuristic_state import HeuristicState, Weights
    from service.solver.kernels.rules import Cards, Ints, Rules

_DOUBLING: Final = 32
"""Passes after which the limit of the exhaustive search has doubled."""
_MOST_COUNTED: Final = 96
"""Passes after which that limit grows no more."""

NOT_WON: Final = -1


@njit(nogil=True)
def _append_endgame(
    rules: Rules, work: Workspace, size: int, state: HeuristicState, made: int
) -> int:
    """Append the moves that won a short row to those of its pass."""
    step = 2 if rules.effect == REMOVE_PAIR else 1
    for length in range(size - step, rules.goal_length - 1, -step):
        state.origins[made] = work.path[length] // 64
        state.targets[made] = work.path[length] % 64
        made += 1
    return made


@njit(nogil=True)
def search_with_restarts(
    rules: Rules,
    weights: Weights,
    row: Cards,
    size: int,
    state: HeuristicState,
    work: Workspace,
    passes: Ints,
    limit: int,
) -> tuple[int, int]:
    """Make passes until one wins or the limit is reached.

    Args:
        rules: The variant.
        weights: The weights of the value.
        row: The cards, uint8[>= size].
        size: The number of cards.
        state: Is overwritten; after a win it has the moves.
        work: Is overwritten.
        passes: int64[1], the number of passes made so far; is increased.
        limit: The rows to be examined; the last pass may exceed it.

    Returns:
        The number of moves of the win or ``NOT_WON``, and the rows examined.
    """
    nodes = 0
    while nodes < limit:
        state.row[:size] = row[:size]
        noise = weights.noise if passes[0] else 0.0
        short = min(int(weights.stop), size)
        left, made, valued = make_best_moves(rules, weights, state, size, short, noise)
        within = int(weights.limit * (1 + min(passes[0], _MOST_COUNTED) / _DOUBLING))
        passes[0] += 1
        nodes += valued
        if left > short:
            nodes += 1
            continue
        outcome, examined = solve_endgame(rules, state.row, left, within, work)
        nodes += examined
        if outcome == WON:
            return _append_endgame(rules, work, left, state, made), nodes
    return NOT_WON, nodes


class Restarts:
    """A heuristic search that can be interrupted and continued."""

    def __init__(self, rules: Rules, weights: Weights, row: bytes, seed: int) -> None:
        """Prepare a search.

        Args:
            rules: The variant; one that stacks or removes pairs.
            weights: The weights of the value.
            row: The cards.
            seed: Seeds the noise, at least 0.
        """
        self._rules = rules
        self._weights = weights
        self._row = np.frombuffer(row, np.uint8)
        self._state = new_state(len(rules.offsets), seed)
        self._work = workspace()
        self._passes = np.zeros(1, np.int64)
        self._made = NOT_WON

    def advance(self, nodes: int) -> tuple[bool, int]:
        """Search on.

        Args:
            nodes: The rows to be examined; the last pass may exceed it.

        Returns:
            Whether the search has won, and the rows examined.
        """
        self._made, spent = search_with_restarts(
            self._rules,
            self._weights,
            self._row,
            len(self._row),
            self._state,
            self._work,
            self._passes,
            nodes,
        )
        return self._made >= 0, spent

    def line(self) -> bytes:
        """Return the moves that won, as a line of the engine."""
        pairs = np.stack((self._state.origins, self._state.targets), axis=1)
        return pairs[: self._made].astype(np.uint8).tobytes()
