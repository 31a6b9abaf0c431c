"""Winning long rows: descents, each finished exhaustively, until one wins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numba import njit

from service.solver.kernels.endgame import WON, finish, scratch
from service.solver.kernels.heuristic_search import descend
from service.solver.kernels.heuristic_state import slope
from service.solver.kernels.rules import REMOVE_PAIR

if TYPE_CHECKING:
    from service.solver.kernels.endgame import Scratch
    from service.solver.kernels.heuristic_state import Slope, Weights
    from service.solver.kernels.rules import Cards, Ints, Rules

_CALM: Final = 32
"""Descents after which the rows looked at in the end of one have doubled."""
_LONG: Final = 96
"""Descents after which they grow no more."""

SEARCHING: Final = -1


@njit(cache=True, nogil=True)
def _recall(rules: Rules, mem: Scratch, size: int, at: Slope, made: int) -> int:
    """Add the moves of a finished row to those of its descent."""
    step = 2 if rules.effect == REMOVE_PAIR else 1
    for level in range(size - step, rules.goal_length - 1, -step):
        at.origins[made] = mem.path[level] // 64
        at.targets[made] = mem.path[level] % 64
        made += 1
    return made


@njit(cache=True, nogil=True)
def restart(
    rules: Rules,
    weights: Weights,
    row: Cards,
    size: int,
    at: Slope,
    mem: Scratch,
    tries: Ints,
    limit: int,
) -> tuple[int, int]:
    """Descend again and again, until a descent is won or the limit reached.

    Args:
        rules: The variant.
        weights: The weights of the value.
        row: The cards, uint8[>= size].
        size: How many there are.
        at: Scratch; after a win it has the moves.
        mem: Scratch.
        tries: int64[1], the descents made so far; kept up.
        limit: The rows to be looked at; the last descent may go beyond.

    Returns:
        The moves of the win or ``SEARCHING``, and the rows looked at.
    """
    nodes = 0
    while nodes < limit:
        at.row[:size] = row[:size]
        noise = weights.noise if tries[0] else 0.0
        short = min(int(weights.stop), size)
        left, made, valued = descend(rules, weights, at, size, short, noise)
        within = int(weights.limit * (1 + min(tries[0], _LONG) / _CALM))
        tries[0] += 1
        nodes += valued
        if left > short:
            nodes += 1
            continue
        state, looked_at = finish(rules, at.row, left, within, mem)
        nodes += looked_at
        if state == WON:
            return _recall(rules, mem, left, at, made), nodes
    return SEARCHING, nodes


class Restarts:
    """A search by descents that can be taken up again."""

    def __init__(self, rules: Rules, weights: Weights, row: bytes, seed: int) -> None:
        """Start a search.

        Args:
            rules: The variant; one that stacks or removes pairs.
            weights: The weights of the value.
            row: The cards.
            seed: Seeds the noise, at least 0.
        """
        self._rules = rules
        self._weights = weights
        self._row = np.frombuffer(row, np.uint8)
        self._at = slope(len(rules.offsets), seed)
        self._mem = scratch()
        self._tries = np.zeros(1, np.int64)
        self._made = SEARCHING

    def advance(self, nodes: int) -> tuple[bool, int]:
        """Search on for about so many nodes; whether it has won, and nodes."""
        self._made, spent = restart(
            self._rules,
            self._weights,
            self._row,
            len(self._row),
            self._at,
            self._mem,
            self._tries,
            nodes,
        )
        return self._made >= 0, spent

    def line(self) -> bytes:
        """Return the moves that won, as a line of the engine."""
        pairs = np.stack((self._at.origins, self._at.targets), axis=1)
        return pairs[: self._made].astype(np.uint8).tobytes()
