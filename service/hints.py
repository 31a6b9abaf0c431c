"""The use cases of the solver: hints, solutions and analyses, with bounded work."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import BoundedSemaphore
from typing import TYPE_CHECKING

from service.engine.errors import CardsHiddenError, GameOverError
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
    from service.session import Session
    from service.solver import Budget


class SolverBusyError(Exception):
    """As many searches as may run at once are running."""


class Advisor:
    """Gives advice on games and positions.

    Args:
        searches: How many searches may run at once in this process.
        clock: Seconds that never go back.
    """

    def __init__(self, searches: int, clock: Callable[[], float]) -> None:
        self._places = BoundedSemaphore(searches)
        self._clock = clock

    def budget(self, milliseconds: int) -> Budget:
        """Start the time that searches may take together."""
        return Milliseconds(milliseconds, self._clock)

    def hint(self, session: Session, budget: Budget) -> Hint:
        """Hint at an action; it never depends on the order of hidden cards.

        A line found for an earlier hint is followed without a new search, while no
        card is hidden.

        Raises:
            GameOverError: The game is won or ended.
            SolverBusyError: Too many searches are running.
        """
        position = _open_position(session)
        if session.plan and not position.stock:
            found = follow(position, session.plan)
        else:
            compulsory = session.play.options.compulsory
            with self._search(position):
                found = hint(position, budget, compulsory=compulsory)
        _count(position, found.verdict)
        return found

    def solution(self, session: Session, budget: Budget) -> Solution:
        """Find the whole line to the win.

        Raises:
            CardsHiddenError: Cards are still to be dealt.
            GameOverError: The game is won or ended.
            SolverBusyError: Too many searches are running.
        """
        position = _open_position(session)
        if position.stock:
            raise CardsHiddenError(len(position.stock))
        if session.plan:
            found = Solution(Verdict.WINNABLE, session.plan)
        else:
            with self._search(position):
                found = solve(position, budget)
        _count(position, found.verdict)
        return found

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """Judge a position and each of its legal moves.

        Raises:
            SolverBusyError: Too many searches are running.
        """
        with self._search(position):
            found = analyse(position, budget)
        _count(position, found.solution.verdict)
        return found

    @contextmanager
    def _search(self, position: Position) -> Iterator[None]:
        if not self._places.acquire(blocking=False):
            raise SolverBusyError
        try:
            with SEARCH_SECONDS.labels(position.ruleset.key).time():
                yield
        finally:
            self._places.release()


@dataclass(slots=True)
class Advice:
    """A hint as a change of a game: it counts, and its line is kept for the next.

    Attributes:
        advisor: What gives it.
        budget: How long searches for it may take together.
        given: The hint, once the game has been changed.
    """

    advisor: Advisor
    budget: Budget
    given: Hint = field(init=False)

    def __call__(self, session: Session, _now: int) -> Session:
        """Take the hint; errors as in ``Advisor.hint``."""
        self.given = self.advisor.hint(session, self.budget)
        return session.advised(self.given.line)


def _open_position(session: Session) -> Position:
    if session.play.is_closed:
        raise GameOverError(session.play.status)
    return session.play.position


def _count(position: Position, verdict: Verdict) -> None:
    HINTS.labels(position.ruleset.key, verdict).inc()
