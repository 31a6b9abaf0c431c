"""Reviews of games that are over: where a game was lost, as far as that is proved.

Reviews are made in the background, in a slot for long searches.
"""

from __future__ import annotations

import logging
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from struct import Struct
from threading import Lock, Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from service.engine.errors import RefusedError
from service.engine.play import Status
from service.engine.position import lay_out
from service.games.ids import key_of
from service.games.search_slots import lower_priority
from service.games.snapshot import GameNotFoundError
from service.solver import REVIEW_NODES, Nodes, Review, review

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.engine.play import Play
    from service.games.search_slots import SearchSlots
    from service.games.service import Games
    from service.games.session import Session
    from service.solver import Budget
    from service.store.coordination import Leases

_FORM: Final = 1
_STORED: Final = Struct(">BHhHHHQ")
"""The form and the numbers of a stored review; its line follows."""
_NUMBERS: Final = (
    "actions",
    "last_winnable",
    "first_lost",
    "decisions",
    "kept",
    "nodes",
)
PENDING_REVIEW: Final = b"\0"
"""The stored value of a review that was requested but is not finished."""
MAX_WAITING_REVIEWS: Final = 200
"""The maximum queue of a process; a request beyond it must be repeated."""
_SLICE: Final = 50_000
"""Nodes between two readings of the clock: about ten milliseconds."""
_TURN_SECONDS: Final = 0.2
"""How long a review holds its slot at a time, and the longest pause after that."""
_POLL_SECONDS: Final = 0.02
_SIGN_SECONDS: Final = 1.0
_LOG: Final = logging.getLogger(__name__)


class GameNotOverError(RefusedError):
    """The game is still played, or is lost but could be undone.

    Attributes:
        status: ``playing`` or ``lost``.
    """

    def __init__(self, status: str) -> None:
        super().__init__(f"the game is {status}, and goes on or could be undone")
        self.status = status


class ReviewNotFoundError(Exception):
    """The review was never requested, or may not be shown to spectators yet."""


def is_over(play: Play) -> bool:
    """Whether a game is over and cannot be undone, so that it can be reviewed."""
    return play.status is not Status.PLAYING and not play.can_undo


def review_play(play: Play, budget: Budget) -> Review:
    """Review a game that is over.

    Raises:
        GameNotOverError: The game is still played, or is lost but could be undone.
    """
    _check_over(play)
    return review_line(play, budget)


def ask_review(session: Session, _now: int) -> Session:
    """Return a game with its review requested; a review it already has is kept.

    Raises:
        GameNotOverError: The game is still played, or is lost but could be undone.
    """
    _check_over(session.play)
    return session._replace(review=session.review or PENDING_REVIEW)


def finished_review(session: Session) -> Review | None:
    """Return the review of a game; None if it is not finished.

    Raises:
        ReviewNotFoundError: The review was never requested.
    """
    if not session.review:
        raise ReviewNotFoundError
    if session.review == PENDING_REVIEW:
        return None
    return decode_review(session.review)


def _check_over(play: Play) -> None:
    if not is_over(play):
        raise GameNotOverError(play.status)


def review_line(play: Play, budget: Budget) -> Review:
    """Review the actions of a game, whether or not it is over."""
    options, goal = play.options, play.position.goal
    start = lay_out(play.ruleset, play.cards, options.layout, goal)
    return review(start, play.done, budget, compulsory=options.compulsory)


def encode_review(found: Review) -> bytes:
    """Encode a review as it is stored with its game."""
    numbers = [getattr(found, name) for name in _NUMBERS]
    return _STORED.pack(_FORM, *numbers) + found.line


def decode_review(stored: bytes) -> Review:
    """Decode a stored review.

    Raises:
        ValueError: The form is not known.
    """
    form, *numbers = _STORED.unpack_from(stored)
    if form != _FORM:
        raise ValueError(f"Form {form} of a review is not known.")
    line = stored[_STORED.size :]
    return Review(**dict(zip(_NUMBERS, numbers, strict=True)), line=line)


class _QueuedReview(NamedTuple):
    tenant: str
    game_id: str


class ReviewWork:
    """Makes reviews one after the other, in a low-priority thread.

    The thread ends when no review is waiting. A review that another process is making
    is skipped. A review that is unfinished when its process ends is started again when
    it is requested again.

    Args:
        games: The games.
        slots: The slots for long searches.
        leases: The leases of the reviews that are being made, by any process.
    """

    def __init__(self, games: Games, slots: SearchSlots, leases: Leases) -> None:
        self._games = games
        self._slots = slots
        self._leases = leases
        self._mutex = Lock()
        self._waiting: deque[_QueuedReview] = deque()
        self._is_working = False

    def begin(self, tenant: str, game_id: str) -> None:
        """Put the review of a game into the queue, if there is room."""
        asked = _QueuedReview(tenant, game_id)
        with self._mutex:
            if asked in self._waiting or len(self._waiting) >= MAX_WAITING_REVIEWS:
                return
            self._waiting.append(asked)
            if self._is_working:
                return
            self._is_working = True
        Thread(target=self._work, name="reviews", daemon=True).start()

    def _work(self) -> None:
        lower_priority()
        while asked := self._next():
            try:
                self._review(asked)
            except GameNotFoundError:
                _LOG.info("a game was deleted before its review was made")
            except Exception as error:  # noqa: BLE001 - go on with the next
                _LOG.warning("a review was not made: %s", error)

    def _next(self) -> _QueuedReview | None:
        with self._mutex:
            self._is_working = bool(self._waiting)
            return self._waiting.popleft() if self._waiting else None

    def _review(self, asked: _QueuedReview) -> None:
        key = key_of(*asked)
        if not self._leases.take(key):
            return
        try:
            with _Turns(self._slots, partial(self._leases.extend, key)) as turns:
                self._make(asked, _TurnBudget(Nodes(REVIEW_NODES), turns))
        finally:
            self._leases.end(key)

    def _make(self, asked: _QueuedReview, budget: Budget) -> None:
        session = self._games.get(*asked).session
        if session.review == PENDING_REVIEW:
            review = encode_review(review_play(session.play, budget))
            self._games.change(*asked, lambda now, _: now._replace(review=review))


class _Turns:
    """Holds a slot in turns, so that other searches can take it in between.

    Args:
        slots: The slots, of which one is held.
        sign: Called about once a second to show that the work continues.
    """

    def __init__(self, slots: SearchSlots, sign: Callable[[], None]) -> None:
        self._slots = slots
        self._sign = sign
        self._signed_at = monotonic()
        self._held = ExitStack()

    def __enter__(self) -> Self:
        self._wait_for_slot()
        return self

    def __exit__(self, *_error: object) -> None:
        self._give_up_slot()

    def take_turns(self) -> None:
        """Release the slot for a while if the turn is over."""
        if monotonic() - self._began >= _TURN_SECONDS:
            self._give_up_slot()
            self._wait_for_slot()

    def _wait_for_slot(self) -> None:
        while not self._held.enter_context(self._slots.slot()):
            self._held.close()
            self._report_progress()
            sleep(_POLL_SECONDS)
        self._began = monotonic()
        self._report_progress()

    def _give_up_slot(self) -> None:
        self._held.close()
        sleep(min(monotonic() - self._began, _TURN_SECONDS))

    def _report_progress(self) -> None:
        if monotonic() - self._signed_at >= _SIGN_SECONDS:
            self._sign()
            self._signed_at = monotonic()


@dataclass(frozen=True, slots=True)
class _TurnBudget:
    """A budget for work that holds a slot in turns."""

    budget: Budget
    turns: _Turns

    def slice(self) -> int:
        self.turns.take_turns()
        return min(self.budget.slice(), _SLICE)

    def spend(self, nodes: int) -> None:
        self.budget.spend(nodes)

    def part(self, parts: int) -> _TurnBudget:
        return _TurnBudget(self.budget.part(parts), self.turns)
