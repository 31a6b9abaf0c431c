"""Work on reviews: in the background, and in a slot of long searches."""

from __future__ import annotations

import logging
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock, Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from service.games.ids import key_of
from service.games.review import ASKED, encode_review, review_play
from service.games.search_slots import lower_priority
from service.games.snapshot import GameNotFoundError
from service.solver import REVIEW_NODES, Nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.games.search_slots import SearchSlots
    from service.games.service import Games
    from service.solver import Budget
    from service.store.coordination import Leases

MOST_WAITING: Final = 200
"""Reviews that can wait for one process; others are begun when they are asked again."""
_SLICE: Final = 50_000
"""Rows between two looks at the clock: some ten milliseconds."""
_TURN_SECONDS: Final = 0.2
"""The time that a review holds its slot, and the most that it then waits."""
_POLL_SECONDS: Final = 0.02
_SIGN_SECONDS: Final = 1.0
_LOG: Final = logging.getLogger(__name__)


class _Asked(NamedTuple):
    tenant: str
    game_id: str


class ReviewWork:
    """Works on reviews one after the other, in a thread of low priority.

    The thread ends with the last of them. A review that another process works on is
    left to it. What a process has not done when it ends is begun again when the review
    is asked for again.

    Args:
        games: The games.
        slots: The slots of long searches.
        leases: Tell which reviews are worked on, by any process.
    """

    def __init__(self, games: Games, slots: SearchSlots, leases: Leases) -> None:
        self._games = games
        self._slots = slots
        self._leases = leases
        self._mutex = Lock()
        self._waiting: deque[_Asked] = deque()
        self._is_working = False

    def begin(self, tenant: str, game_id: str) -> None:
        """Work on the review of a game, once its turn comes."""
        asked = _Asked(tenant, game_id)
        with self._mutex:
            if asked in self._waiting or len(self._waiting) >= MOST_WAITING:
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
            except Exception as error:  # noqa: BLE001 - the next is made all the same
                _LOG.warning("a review was not made: %s", error)

    def _next(self) -> _Asked | None:
        with self._mutex:
            self._is_working = bool(self._waiting)
            return self._waiting.popleft() if self._waiting else None

    def _review(self, asked: _Asked) -> None:
        key = key_of(*asked)
        if not self._leases.take(key):
            return
        try:
            with _Turns(self._slots, partial(self._leases.extend, key)) as turns:
                self._make(asked, _TurnBudget(Nodes(REVIEW_NODES), turns))
        finally:
            self._leases.end(key)

    def _make(self, asked: _Asked, budget: Budget) -> None:
        session = self._games.get(*asked).session
        if session.review == ASKED:
            review = encode_review(review_play(session.play, budget))
            self._games.change(*asked, lambda now, _: replace(now, review=review))


class _Turns:
    """Holds a slot in turns, between which others can take it.

    Args:
        slots: Where the slot comes from.
        sign: Called about once a second, as a sign that the work goes on.
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
        """Give the slot up for a while if it was held long enough."""
        if monotonic() - self._began >= _TURN_SECONDS:
            self._give_up_slot()
            self._wait_for_slot()

    def _wait_for_slot(self) -> None:
        while not self._held.enter_context(self._slots.slot()):
            self._held.close()
            self._give_sign()
            sleep(_POLL_SECONDS)
        self._began = monotonic()
        self._give_sign()

    def _give_up_slot(self) -> None:
        self._held.close()
        sleep(min(monotonic() - self._began, _TURN_SECONDS))

    def _give_sign(self) -> None:
        if monotonic() - self._signed_at >= _SIGN_SECONDS:
            self._sign()
            self._signed_at = monotonic()


@dataclass(frozen=True, slots=True)
class _TurnBudget:
    """A budget that is spent in turns."""

    budget: Budget
    turns: _Turns

    def slice(self) -> int:
        self.turns.take_turns()
        return min(self.budget.slice(), _SLICE)

    def spend(self, nodes: int) -> None:
        self.budget.spend(nodes)

    def part(self, parts: int) -> _TurnBudget:
        return _TurnBudget(self.budget.part(parts), self.turns)
