"""The search of a row in games that stack or remove pairs."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final, Protocol

from service.solver.kernels.outcomes import LOST, WON
from service.solver.verdict import Solution, Verdict

if TYPE_CHECKING:
    from service.solver.budget import Budget
    from service.solver.kernels.exhaustive_search import ExhaustiveSearch
    from service.solver.restarts import HeuristicSearch

_SHORT: Final = 20
"""Rows of up to this length can be searched exhaustively in a short time."""
_LONG: Final = 24
"""Longer rows than this can seldom be searched exhaustively within any budget."""


class Search(Protocol):
    """A search that can be interrupted and continued."""

    def advance(self, nodes: int) -> tuple[int, int]:
        """Examine up to about ``nodes`` rows; return the outcome and their number."""

    def line(self) -> bytes:
        """Return the moves that won, as a line of the engine."""


def search_row(
    size: int, restarts: HeuristicSearch, exhaustive: ExhaustiveSearch, budget: Budget
) -> Solution:
    """Search a row of ``size`` cards heuristically and exhaustively, in turns."""
    nodes = 0
    heuristic_turn, exhaustive_turn = _turns(size)
    while budget.slice():
        for search, turn in (
            (restarts, heuristic_turn),
            (exhaustive, exhaustive_turn),
        ):
            found = take_turn(search, budget, turn)
            nodes += found.nodes
            if found.verdict is not Verdict.UNKNOWN:
                return Solution(found.verdict, found.line, nodes)
        heuristic_turn, exhaustive_turn = 2 * heuristic_turn, 2 * exhaustive_turn
    return Solution(Verdict.UNKNOWN, nodes=nodes)


def _turns(size: int) -> tuple[float, float]:
    """Return the nodes of the first heuristic and the first exhaustive turn."""
    if size <= _SHORT:
        return 1_000, inf
    return (5_000, 5_000) if size <= _LONG else (50_000, 5_000)


def take_turn(search: Search, budget: Budget, turn: float) -> Solution:
    """Continue a search until it has a verdict, or the turn or the budget is spent.

    A turn is a number of nodes; the last step of the search may exceed it.
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
