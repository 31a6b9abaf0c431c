"""The verdicts on several moves of a row: each line that wins helps to judge the rest.

All functions are for variants that stack or remove pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numba import njit

from service.solver.kernels.endgame import workspace
from service.solver.kernels.exhaustive_search import ExhaustiveSearch
from service.solver.kernels.heuristic_state import new_state, set_moves
from service.solver.kernels.known_lines import (
    LATEST_LINE,
    MAX_LINES,
    follow_line,
    new_lines,
    start_from,
    store_line,
)
from service.solver.kernels.moves import is_won, wins
from service.solver.kernels.outcomes import UNFINISHED, WON
from service.solver.kernels.passes import finish_pass
from service.solver.kernels.rules import MAX_ROW, REMOVE_PAIR
from service.solver.restarts import HeuristicSearch, search_with_restarts
from service.solver.row_search import search_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.engine.position import Move
    from service.solver.budget import Budget
    from service.solver.kernels.endgame import EndgameWorkspace
    from service.solver.kernels.heuristic_state import HeuristicState, Weights
    from service.solver.kernels.known_lines import KnownLines
    from service.solver.kernels.rules import Cards, Ints, Rules
    from service.solver.verdict import Solution

_EFFORT: Final = 3_000
"""The number of rows to examine in the passes for one move."""


@njit(nogil=True)
def _win_by_lines(
    rules: Rules,
    weights: Weights,
    row: Cards,
    size: int,
    state: HeuristicState,
    lines: KnownLines,
    work: EndgameWorkspace,
) -> tuple[int, int, int]:
    """Try to win the row after the first move of a state by following known lines.

    Returns:
        ``WON`` or ``UNFINISHED``, the number of moves made, and the number of rows
        examined.
    """
    fewest, best, nodes = size, -1, 0
    for index in range(min(lines.added[0], MAX_LINES)):
        left = start_from(rules, row, size, 1, state, lines)
        left, made = follow_line(rules, lines, index, state, left, 1, rules.goal_length)
        nodes += made
        if is_won(rules, state.row, left):
            return WON, made, nodes
        if left < fewest:
            fewest, best = left, index
    if best < 0:
        return UNFINISHED, 1, nodes
    left = start_from(rules, row, size, 1, state, lines)
    stop, limit = int(weights.stop), int(weights.limit)
    left, made = follow_line(rules, lines, best, state, left, 1, stop)
    outcome, made, examined = finish_pass(
        rules, weights, state, left, made, 0.0, limit, work
    )
    return outcome, made, nodes + examined


@njit(nogil=True)
def judge_moves(
    rules: Rules,
    weights: Weights,
    row: Cards,
    size: int,
    moves: Cards,
    judged: int,
    limit: int,
    state: HeuristicState,
    lines: KnownLines,
    work: EndgameWorkspace,
    passes: Ints,
    outcomes: Ints,
    found: Cards,
) -> tuple[int, int]:
    """Judge moves of a row, each with a little work.

    Args:
        rules: The variant.
        weights: The weights of the value.
        row: The cards, uint8[>= size].
        size: The number of cards.
        moves: uint8[k, 2], the origin and the target of each move.
        judged: The number of moves judged before.
        limit: The number of rows to examine; the last move may exceed it.
        state: Overwritten.
        lines: Lines that win the row; those found are added.
        work: Overwritten.
        passes: int64[1], overwritten.
        outcomes: int64[k]; set to ``WON``, ``LOST`` (proved) or ``UNFINISHED``.
        found: uint8[k, 52, 2]; for each move judged ``WON``, set to a line that
            begins with the move and wins.

    Returns:
        The number of moves judged so far, and the number of rows examined.
    """
    nodes = 0
    while judged < moves.shape[0] and nodes < limit:
        state.origins[0], state.targets[0] = moves[judged]
        outcome, made, examined = _win_by_lines(
            rules, weights, row, size, state, lines, work
        )
        nodes += examined
        if outcome != WON:
            passes[0] = min(lines.added[0], 1)
            lines.lengths[LATEST_LINE] = 0
            outcome, made, examined = search_with_restarts(
                rules, weights, row, size, 1, state, lines, work, passes, _EFFORT
            )
            nodes += examined
        if outcome == WON:
            found[judged, :made, 0] = state.origins[:made]
            found[judged, :made, 1] = state.targets[:made]
            index = lines.added[0] % MAX_LINES
            store_line(rules, row, size, state, made, lines, index)
            lines.added[0] += 1
        outcomes[judged] = outcome
        judged += 1
    return judged, nodes


@njit(nogil=True)
def are_sound(
    rules: Rules, row: Cards, size: int, outcomes: Ints, lines: Cards
) -> bool:
    """Whether the line of each move that was judged ``WON`` is legal and wins.

    Args:
        rules: The variant.
        row: The cards, uint8[>= size].
        size: The number of cards.
        outcomes: int64[k], the outcome of each move.
        lines: uint8[k, 52, 2], the lines as set by ``judge_moves``.
    """
    made = size - rules.goal_length
    if rules.effect == REMOVE_PAIR:
        made //= 2
    for index in range(outcomes.shape[0]):
        if outcomes[index] == WON and not wins(rules, row, size, lines[index, :made]):
            return False
    return True


class MoveJudge:
    """Judges the moves of a row; can be interrupted and continued.

    Attributes:
        outcomes: int64[k]; for each move ``WON``, ``LOST`` (proved) or ``UNFINISHED``.
    """

    def __init__(
        self,
        rules: Rules,
        weights: Weights,
        row: bytes,
        moves: Sequence[Move],
        line: bytes,
        seed: int,
    ) -> None:
        """Prepare to judge.

        Args:
            rules: The variant.
            weights: The weights of the value.
            row: The cards.
            moves: The moves to judge.
            line: A line of the engine that wins the row; empty if none is known.
            seed: Seeds the noise, at least 0.
        """
        self._rules = rules
        self._weights = weights
        self._seed = seed
        self._exhaustive = ExhaustiveSearch(rules, row)
        self._row = np.frombuffer(row, np.uint8)
        self._moves = np.frombuffer(b"".join(map(bytes, moves)), np.uint8).reshape(
            -1, 2
        )
        self._state = new_state(len(rules.offsets), seed)
        self._work = workspace()
        self._passes = np.zeros(1, np.int64)
        self._judged = 0
        self._wins = np.zeros((len(moves), MAX_ROW, 2), np.uint8)
        self._lines = new_lines()
        self.outcomes = np.full(len(moves), UNFINISHED, np.int64)
        if line:
            made = set_moves(self._state, line)
            store_line(rules, self._row, len(row), self._state, made, self._lines, 0)
            self._lines.added[0] = 1

    @property
    def is_done(self) -> bool:
        """Whether ``advance`` has judged every move."""
        return self._judged == len(self._moves)

    def advance(self, nodes: int) -> int:
        """Judge more moves, each with a little work, and return the rows examined.

        Their number may exceed ``nodes`` by the work for the last move.
        """
        self._judged, spent = judge_moves(
            self._rules,
            self._weights,
            self._row,
            len(self._row),
            self._moves,
            self._judged,
            nodes,
            self._state,
            self._lines,
            self._work,
            self._passes,
            self.outcomes,
            self._wins,
        )
        return spent

    def are_lines_sound(self) -> bool:
        """Whether every line found by ``advance`` is legal and wins."""
        return are_sound(
            self._rules, self._row, len(self._row), self.outcomes, self._wins
        )

    def search(self, move: Move, after: bytes, budget: Budget) -> Solution:
        """Search the row ``after`` a move that ``advance`` left ``UNFINISHED``.

        If it can be won, the line of the solution starts from that row.
        """
        row = self._row.tobytes()
        restarts = HeuristicSearch(
            self._rules, self._weights, row, self._seed, move, self._lines
        )
        self._exhaustive.restart(after)
        return search_row(len(after), restarts, self._exhaustive, budget)
