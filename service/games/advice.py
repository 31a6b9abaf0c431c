"""Hints, solutions and analyses, with a limit on the work of all searches."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from service.engine.errors import CardsHiddenError
from service.games.search_slots import SearchSlots, TimeShare, run_with_low_priority
from service.metrics import HINTS, SEARCH_SECONDS
from service.solver import (
    Analysis,
    Hint,
    Milliseconds,
    NodeLimit,
    Solution,
    Verdict,
    analyse,
    follow,
    hint,
    solve,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.engine.position import Position
    from service.games.session import Session
    from service.solver import Budget


Given = TypeVar("Given", Hint, Solution)
Found = TypeVar("Found", Hint, Solution, Analysis)

QUICK_NODES: Final = 40_000
"""The nodes of a search that needs no slot: a few milliseconds."""
_QUICK_SHARE: Final = 0.1
"""The share of a worker's time that searches of ``QUICK_NODES`` may take."""
_SAVED_SECONDS: Final = 0.01
FEW_NODES: Final = 5_000
"""The nodes of a search that needs no slot once that share is spent."""


class SolverBusyError(Exception):
    """A long search is needed, but the maximum number is already running."""


class Advisor:
    """Gives advice on games and positions.

    Args:
        searches: How many long searches may run at once in this process and those
            forked from it.
        clock: Returns seconds that never go back.

    Attributes:
        slots: The slots for long searches.
    """

    def __init__(self, searches: int, clock: Callable[[], float]) -> None:
        self.slots = SearchSlots(searches)
        self._quick = TimeShare(_QUICK_SHARE, _SAVED_SECONDS, clock)
        self._clock = clock

    def budget(self, milliseconds: int) -> Budget:
        """Return a budget of time, which starts now, for one or more searches."""
        return Milliseconds(milliseconds, self._clock)

    def hint(self, session: Session, budget: Budget) -> Hint:
        """Return a hint, which never depends on the order of hidden cards.

        While no card is hidden, a winning line found earlier is followed without a new
        search. If no slot is free for a long search, the hint comes from a short one,
        and its verdict may be ``unknown``.

        Raises:
            GameOverError: The game is won or ended.
            HintsNotAllowedError: The game is played without hints.
        """
        session.require_hints()
        position = session.play.position
        if has_plan(session):
            return follow(position, session.plan)
        compulsory = session.play.options.compulsory
        search = partial(hint, position, compulsory=compulsory)
        found, _ = self._search(position, search, budget)
        return found

    def solution(self, session: Session, budget: Budget) -> Solution:
        """Return the whole winning line, if one is found.

        Raises:
            CardsHiddenError: Cards are still to be dealt.
            GameOverError: The game is won or ended.
            HintsNotAllowedError: The game is played without hints.
            SolverBusyError: A long search is needed, and no slot is free.
        """
        session.require_hints()
        position = session.play.position
        if position.stock:
            raise CardsHiddenError(len(position.stock))
        if has_plan(session):
            return Solution(Verdict.WINNABLE, session.plan)
        return self._complete(position, partial(solve, position), budget)

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """Return a verdict for a position and for each of its legal moves.

        Raises:
            SolverBusyError: A long search is needed, and no slot is free.
        """
        found = self._complete(position, partial(analyse, position), budget)
        _count(position.ruleset.key, found.solution.verdict)
        return found

    def _complete(
        self, position: Position, search: Callable[[Budget], Found], budget: Budget
    ) -> Found:
        """Search until the search is complete or the budget is spent.

        Raises:
            SolverBusyError: A long search is needed, and no slot is free.
        """
        found, is_complete = self._search(position, search, budget)
        if not is_complete:
            raise SolverBusyError
        return found

    def _search(
        self, position: Position, search: Callable[[Budget], Found], budget: Budget
    ) -> tuple[Found, bool]:
        """Do a short search; if it reaches its limit, do a long one in a slot.

        Returns:
            The result; and false if a long search was needed but no slot was free.
        """
        with SEARCH_SECONDS.labels(position.ruleset.key).time():
            limit = NodeLimit(budget, QUICK_NODES if self._quick.is_left else FEW_NODES)
            with self._quick.spent():
                found = search(limit)
            if not limit.is_reached:
                return found, True
            with self.slots.slot() as has_slot:
                if has_slot:
                    found = _search_long(search, budget)
                return found, has_slot


def _search_long(search: Callable[[Budget], Found], budget: Budget) -> Found:
    limit = NodeLimit(budget, inf)

    def stop() -> None:
        limit.left = 0

    return run_with_low_priority(partial(search, limit), stop)


@dataclass(slots=True)
class Advice(Generic[Given]):
    """Advice as a change of a game: counts the advice, and keeps its line in the game.

    Attributes:
        ask: ``Advisor.hint`` or ``Advisor.solution``.
        budget: The budget of all its searches together.
        given: The advice; unset until the change is made.
    """

    ask: Callable[[Session, Budget], Given]
    budget: Budget
    given: Given = field(init=False)
    _variant: str = field(init=False, default="")

    def __call__(self, session: Session, _now: int) -> Session:
        """Return the game after the advice; errors as in ``ask``."""
        self.given = self.ask(session, self.budget)
        self._variant = session.play.ruleset.key
        return session.advised(self.given.line)

    def count(self) -> None:
        """Count the advice in the metrics, if any was given."""
        if self._variant:
            _count(self._variant, self.given.verdict)


def has_plan(session: Session) -> bool:
    """Return whether a winning line is known and no card is hidden."""
    return bool(session.plan) and not session.play.position.stock


def _count(variant: str, verdict: Verdict) -> None:
    HINTS.labels(variant, verdict).inc()
