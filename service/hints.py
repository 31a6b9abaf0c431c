"""The use cases of the solver: hints, solutions and analyses, with bounded work."""

from __future__ import annotations

from contextlib import contextmanager
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

    def hint(self, session: Session, milliseconds: int) -> Hint:
        """Hint at an action; it never depends on the order of hidden cards.

        A line found for an earlier hint is followed without a new search, unless cards
        that it was found with were taken back into the stock.

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
                budget = Milliseconds(milliseconds, self._clock)
                found = hint(position, budget, compulsory=compulsory)
        _count(position, found.verdict)
        return found

    def solution(self, session: Session, milliseconds: int) -> Solution:
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
                found = solve(position, Milliseconds(milliseconds, self._clock))
        _count(position, found.verdict)
        return found

    def analyse(self, position: Position, milliseconds: int) -> Analysis:
        """Judge a position and each of its legal moves.

        Raises:
            SolverBusyError: Too many searches are running.
        """
        with self._search(position):
            found = analyse(position, Milliseconds(milliseconds, self._clock))
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


def _open_position(session: Session) -> Position:
    if session.play.is_closed:
        raise GameOverError(session.play.status)
    return session.play.position


def _count(position: Position, verdict: Verdict) -> None:
    HINTS.labels(position.ruleset.key, verdict).inc()
