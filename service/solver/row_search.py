"""The search of a row in a game that stacks or removes pairs."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final, Protocol

from service.solver.kernels.outcomes import LOST, WON
from service.solver.verdict import Solution, Verdict

if TYPE_CHECKING:
    from service.solver.budget import Budget
    from service.solver.kernels.exhaustive_search import ExhaustiveSearch
    from service.solver.restarts import Restarts

_SHORT: Final = 20
"""Rows up to this length are soon searched exhaustively, longer ones ..."""
_LONG: Final = 24
"""... beyond this length seldom within any budget."""


class Search(Protocol):
    """A search that can be interrupted and continued."""

    def advance(self, nodes: int) -> tuple[int, int]:
        """Search on; returns the outcome and the rows examined."""

    def line(self) -> bytes:
        """Return the moves that won, as a line of the engine."""


def search_row(
    size: int, restarts: Restarts, exhaustive: ExhaustiveSearch, budget: Budget
) -> Solution:
    """Search a row, by turns heuristically and exhaustively.

    Args:
        size: The number of cards.
        restarts: The heuristic search of the row.
        exhaustive: The exhaustive search of the row.
        budget: The work allowed.
    """
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
    """Return the nodes of the first turn of each search; later turns are longer."""
    if size <= _SHORT:
        return 1_000, inf
    return (5_000, 5_000) if size <= _LONG else (50_000, 5_000)


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
