"""The heuristic search of a row: passes with restarts, until one wins.

A pass makes the best-valued moves until the row is short; the short row is then
searched exhaustively. If this does not win, the next pass adds different random noise
to the values. Most passes first follow a known line for some moves: the line of an
earlier pass, or one that wins a similar row.

All functions are for variants that stack or remove pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numba import njit

from service.engine.play import encode_action
from service.solver.kernels.endgame import workspace
from service.solver.kernels.heuristic_search import random_number
from service.solver.kernels.heuristic_state import new_state, set_moves
from service.solver.kernels.known_lines import (
    LATEST_LINE,
    MAX_LINES,
    follow_line,
    new_lines,
    start_from,
    store_line,
)
from service.solver.kernels.outcomes import UNFINISHED, WON
from service.solver.kernels.passes import finish_pass, search_short
from service.solver.kernels.rules import MAX_ENDGAME_LENGTH

if TYPE_CHECKING:
    from service.engine.position import Move
    from service.solver.kernels.endgame import EndgameWorkspace
    from service.solver.kernels.heuristic_state import HeuristicState, Weights
    from service.solver.kernels.known_lines import KnownLines
    from service.solver.kernels.rules import Cards, Ints, Rules

_PARTIAL: Final = 4
"""The number of passes that first follow a known line, per pass of the whole row."""
_FEWEST_LEFT: Final = 21
_MAX_LEFT: Final = 30
"""A line is followed until a random number of cards is left: at least
``_FEWEST_LEFT``, less than ``_MAX_LEFT``."""
_DOUBLING: Final = 160
"""The number of passes after which the limit of the exhaustive search has doubled."""
_MAX_COUNTED: Final = 480
"""The number of passes after which that limit no longer grows."""


@njit(nogil=True)
def _choose_line(lines: KnownLines, random: Ints) -> int:
    """Choose a line at random: one that wins, or that of the latest whole pass."""
    known = min(lines.added[0], MAX_LINES)
    own = int(lines.lengths[LATEST_LINE] > 0)
    chosen = int((known + own) * random_number(random))
    return LATEST_LINE if chosen == known else chosen


@njit(nogil=True)
def search_with_restarts(
    rules: Rules,
    weights: Weights,
    row: Cards,
    size: int,
    first: int,
    state: HeuristicState,
    lines: KnownLines,
    work: EndgameWorkspace,
    passes: Ints,
    limit: int,
) -> tuple[int, int, int]:
    """Make passes until one wins or the limit is reached.

    A row that is short after the first moves is searched exhaustively instead.

    Args:
        rules: The variant.
        weights: The weights of the value.
        row: The cards, uint8[>= size].
        size: The number of cards.
        first: The number of moves with which every pass begins.
        state: Contains these moves; after a win, all moves.
        lines: Lines that win similar rows; its scratch and ``LATEST_LINE`` are set.
        work: Overwritten.
        passes: int64[1], the number of passes made so far; increased.
        limit: The number of rows to examine; the last pass may exceed it.

    Returns:
        ``WON``, ``LOST`` (proved) or ``UNFINISHED``, the number of moves made, and
        the number of rows examined.
    """
    nodes = 0
    while nodes < limit:
        left, made = start_from(rules, row, size, first, state, lines), first
        if left <= MAX_ENDGAME_LENGTH:
            return search_short(rules, state, left, made, work)
        is_whole = passes[0] % (_PARTIAL + 1) == 0
        if not is_whole:
            span = _MAX_LEFT - _FEWEST_LEFT
            stop = _FEWEST_LEFT + int(span * random_number(state.random))
            line = _choose_line(lines, state.random)
            left, made = follow_line(rules, lines, line, state, left, made, stop)
        noise = weights.noise if passes[0] else 0.0
        within = int(weights.limit * (1 + min(passes[0], _MAX_COUNTED) / _DOUBLING))
        passes[0] += 1
        outcome, made, examined = finish_pass(
            rules, weights, state, left, made, noise, within, work
        )
        nodes += examined
        if outcome == WON:
            return WON, made, nodes
        if is_whole:
            store_line(rules, row, size, state, made, lines, LATEST_LINE)
    return UNFINISHED, first, nodes


class HeuristicSearch:
    """A heuristic search that can be interrupted and continued."""

    def __init__(
        self,
        rules: Rules,
        weights: Weights,
        row: bytes,
        seed: int,
        first: Move | None = None,
        lines: KnownLines | None = None,
    ) -> None:
        """Prepare a search.

        Args:
            rules: The variant.
            weights: The weights of the value.
            row: The cards.
            seed: Seeds the noise, at least 0.
            first: The move to make first; None if any move may be the first.
            lines: Lines that win the row; None if none is known.
        """
        self._rules = rules
        self._weights = weights
        self._row = np.frombuffer(row, np.uint8)
        self._state = new_state(len(rules.offsets), seed)
        self._first = set_moves(self._state, encode_action(first)) if first else 0
        self._lines = new_lines() if lines is None else lines
        self._lines.lengths[LATEST_LINE] = 0
        self._work = workspace()
        self._passes = np.array([int(self._lines.added[0] > 0)], np.int64)
        self._made = 0

    def advance(self, nodes: int) -> tuple[int, int]:
        """Continue the search for ``nodes`` rows; the last pass may exceed them.

        Returns:
            ``WON``, ``LOST`` (proved) or ``UNFINISHED``, and the number of rows
            examined.
        """
        outcome, self._made, spent = search_with_restarts(
            self._rules,
            self._weights,
            self._row,
            len(self._row),
            self._first,
            self._state,
            self._lines,
            self._work,
            self._passes,
            nodes,
        )
        return outcome, spent

    def line(self) -> bytes:
        """Return the moves that won, without ``first``, as a line of the engine."""
        line = bytearray(2 * (self._made - self._first))
        line[::2] = self._state.origins[self._first : self._made].tolist()
        line[1::2] = self._state.targets[self._first : self._made].tolist()
        return bytes(line)
