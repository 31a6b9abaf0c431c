"""The search of a row in a game that stacks or removes pairs."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final, Protocol

from service.solver.kernels.exhaustive_search import ExhaustiveSearch
from service.solver.kernels.outcomes import LOST, WON
from service.solver.verdict import Solution, Verdict

if TYPE_CHECKING:
    from service.solver.budget import Budget
    from service.solver.kernels.rules import Rules
    from service.solver.restarts import Restarts

_TURN: Final = 5_000
"""Nodes of the first turn of each search; every next turn has twice as many."""
_SHORT: Final = 20
"""Rows up to this length are soon searched exhaustively ..."""
_SHORT_TURN: Final = 1_000
"""... so that there the heuristic search gets one short turn."""
_LONG: Final = 30
"""Rows beyond this length are seldom exhausted within any budget ..."""
_LONG_SHARE: Final = 0.1
"""... so that there the exhaustive search gets this share of a turn."""


class Search(Protocol):
    """A search that can be interrupted and continued."""

    def advance(self, nodes: int) -> tuple[int, int]:
        """Search on; returns the outcome and the rows examined."""

    def line(self) -> bytes:
        """Return the moves that won, as a line of the engine."""


def search_row(
    rules: Rules, row: bytes, restarts: Restarts, budget: Budget
) -> Solution:
    """Search a row, by turns heuristically and exhaustively.

    Args:
        rules: The variant; one that stacks or removes pairs.
        row: The cards.
        restarts: The heuristic search of the row.
        budget: The work allowed.
    """
    turn, share = _turns(len(row))
    exhaustive: ExhaustiveSearch | None = None
    nodes = 0
    while budget.slice():
        found = take_turn(restarts, budget, turn)
        nodes += found.nodes
        if found.verdict is Verdict.UNKNOWN:
            exhaustive = exhaustive or ExhaustiveSearch(rules, row)
            found = take_turn(exhaustive, budget, share * turn)
            nodes += found.nodes
        if found.verdict is not Verdict.UNKNOWN:
            return Solution(found.verdict, found.line, nodes)
        turn *= 2
    return Solution(Verdict.UNKNOWN, nodes=nodes)


def _turns(size: int) -> tuple[float, float]:
    """Return the nodes of the first heuristic turn, and the exhaustive share of it."""
    if size <= _SHORT:
        return _SHORT_TURN, inf
    return _TURN, 1.0 if size <= _LONG else _LONG_SHARE


def take_turn(search: Search, budget: Budget, turn: float) -> Solution:
    """Search on until there is a verdict, the turn is over or the budget is spent.

    Args:
        search: The search.
        budget: The work allowed.
        turn: The nodes of the turn; the last step of a search may exceed them.
    """
    nodes = 0
    while nodes < turn and (most := budget.slice()):
        outcome, spent = search.advance(int(min(most, turn - nodes)))
        nodes += spent
        budget.spend(spent)
        if outcome == WON:
            return Solution(Verdict.WINNABLE, search.line(), nodes)
        if outcome == LOST:
            return Solution(Verdict.UNWINNABLE, nodes=nodes)
    return Solution(Verdict.UNKNOWN, nodes=nodes)
