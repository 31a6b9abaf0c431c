"""The use cases of the solver: hints, solutions and analyses, with bounded work."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from service.engine.errors import CardsHiddenError
from service.games.search_slots import Search, SearchSlots, SlotBudget
from service.metrics import HINTS, SEARCH_SECONDS
from service.solver import (
    Analysis,
    Hint,
    Milliseconds,
    Solution,
    Verdict,
    analyse,
    follow,
    hint,
    solve,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from service.engine.position import Position
    from service.games.session import Session
    from service.solver import Budget


Given = TypeVar("Given", Hint, Solution)
Found = TypeVar("Found", Solution, Analysis)


class SolverBusyError(Exception):
    """An answer needs a long search, and as many as may run at once are running."""


class Advisor:
    """Gives advice on games and positions.

    Args:
        searches: How many long searches may run at once in this process and those
            forked from it.
        clock: Seconds that never go back.
    """

    def __init__(self, searches: int, clock: Callable[[], float]) -> None:
        self._slots = SearchSlots(searches)
        self._clock = clock

    @property
    def slots(self) -> SearchSlots:
        """The slots of long searches."""
        return self._slots

    def budget(self, milliseconds: int) -> Budget:
        """Start the time that searches may take together."""
        return Milliseconds(milliseconds, self._clock)

    def hint(self, session: Session, budget: Budget) -> Hint:
        """Hint at an action; it never depends on the order of hidden cards.

        A line found for an earlier hint is followed without a new search, while no
        card is hidden. When too many long searches are running, only a short one is
        made, so the hint may be ``unknown``.

        Raises:
            GameOverError: The game is won or ended.
            HintsNotAllowedError: The game is played without hints.
        """
        session.require_hints()
        position = session.play.position
        if has_plan(session):
            return follow(position, session.plan)
        compulsory = session.play.options.compulsory
        with self._search(position) as search:
            return hint(position, SlotBudget(budget, search), compulsory=compulsory)

    def solution(self, session: Session, budget: Budget) -> Solution:
        """Find the whole line to the win.

        Raises:
            CardsHiddenError: Cards are still to be dealt.
            GameOverError: The game is won or ended.
            HintsNotAllowedError: The game is played without hints.
            SolverBusyError: Too many long searches are running.
        """
        session.require_hints()
        position = session.play.position
        if position.stock:
            raise CardsHiddenError(len(position.stock))
        if has_plan(session):
            return Solution(Verdict.WINNABLE, session.plan)
        with self._search(position) as search:
            return _complete(search, solve(position, SlotBudget(budget, search)))

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """Judge a position and each of its legal moves.

        Raises:
            SolverBusyError: Too many long searches are running.
        """
        with self._search(position) as search:
            found = _complete(search, analyse(position, SlotBudget(budget, search)))
        _count(position.ruleset.key, found.solution.verdict)
        return found

    @contextmanager
    def _search(self, position: Position) -> Iterator[Search]:
        seconds = SEARCH_SECONDS.labels(position.ruleset.key)
        with seconds.time(), Search(self._slots) as search:
            yield search


@dataclass(slots=True)
class Advice(Generic[Given]):
    """Advice as a change of a game: it counts, and its line is kept for the next.

    Attributes:
        ask: What gives it: ``Advisor.hint`` or ``Advisor.solution``.
        budget: How long searches for it may take together.
        given: The advice, once it was given.
    """

    ask: Callable[[Session, Budget], Given]
    budget: Budget
    given: Given = field(init=False)
    _variant: str = field(init=False, default="")

    def __call__(self, session: Session, _now: int) -> Session:
        """Take the advice; errors as in ``ask``."""
        self.given = self.ask(session, self.budget)
        self._variant = session.play.ruleset.key
        return session.advised(self.given.line)

    def count(self) -> None:
        """Count it in the metrics, once the game is changed; not if none was given."""
        if self._variant:
            _count(self._variant, self.given.verdict)


def has_plan(session: Session) -> bool:
    """Say whether advice needs no search: a line is known, and no card is hidden."""
    return bool(session.plan) and not session.play.position.stock


def _complete(search: Search, found: Found) -> Found:
    """Return what a search found, unless it ended for want of a slot."""
    if search.is_refused:
        raise SolverBusyError
    return found


def _count(variant: str, verdict: Verdict) -> None:
    HINTS.labels(variant, verdict).inc()
