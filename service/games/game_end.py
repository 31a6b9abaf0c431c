"""What happens when a game ends: every handler is called for every end.

Handlers are called until all of them have succeeded, even if a process dies: a duty is
stored before the game is written, and deleted when every handler has returned. A
handler may therefore be called more than once for the same end; further calls must
change nothing. A game that is undone after a loss can end again; the later end then
replaces the earlier one. The handlers are listed in ``service.games.use_cases``.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from service.games.codec import StoredFormError, decode
from service.metrics import GAMES_ENDED
from service.store.coordination import Duty
from service.store.protocol import StoreUnavailableError
from service.timestamps import SECOND_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from service.games.session import Session
    from service.store.coordination import Duties
    from service.store.protocol import GameKey, GameStore

_IN_FLIGHT: Final = 2 * SECOND_MS
"""A duty younger than this is left to the process that noted it."""
_NEVER_WRITTEN: Final = 60 * SECOND_MS
"""A duty as old as this is deleted if its game has not ended."""
_DUTIES_AT_ONCE: Final = 100
_LOG: Final = logging.getLogger(__name__)


class GameEnd(NamedTuple):
    """The end of a game.

    Attributes:
        key: The game.
        session: The game as it ended; ``session.ends`` numbers the end.
    """

    key: GameKey
    session: Session


class EndHandler(Protocol):
    """Something to do when a game ends."""

    def concerns(self, end: GameEnd) -> bool:
        """Whether the handler has anything to do for an end."""

    def handle(self, end: GameEnd) -> None:
        """Handle an end; a second call for the same end must change nothing.

        Raises:
            StoreUnavailableError: The end could not be handled.
        """


@dataclass(frozen=True, slots=True)
class GameEnds:
    """Calls the handlers for every end.

    Attributes:
        duties: The stored duties.
        handlers: The handlers, in the order in which they are called.
        clock: Returns the time in milliseconds since 1970, UTC.
    """

    games: GameStore
    duties: Duties
    handlers: Sequence[EndHandler]
    clock: Callable[[], int]

    def note(self, end: GameEnd) -> Duty | None:
        """Store a duty before an end is written.

        Returns:
            The duty; None if no handler is concerned.

        Raises:
            StoreUnavailableError: The duty could not be stored.
        """
        if not self._concerned(end):
            return None
        duty = Duty(end.key, self.clock())
        self.duties.note(duty)
        return duty

    def process(self, end: GameEnd, duty: Duty | None) -> None:
        """Handle an end that was just written, and delete its duty.

        If the store is unavailable, the duty stays for ``sweep``.
        """
        session = end.session
        GAMES_ENDED.labels(session.play.ruleset.key, session.play.status).inc()
        if duty is None:
            return
        try:
            self.settle(end)
            self.duties.delete(duty)
        except StoreUnavailableError as error:
            _LOG.warning("the end of a game will be handled later: %s", error)

    def settle(self, end: GameEnd) -> None:
        """Call every handler that an end concerns.

        It must be called before a game that has ended changes again or is deleted, as
        its end may not have been handled.

        Raises:
            StoreUnavailableError: A handler failed; those after it were not called.
        """
        for handler in self._concerned(end):
            handler.handle(end)

    def sweep(self) -> None:
        """Handle the duties left by processes that died or lost the store.

        A duty that cannot be handled yet stays for the next sweep.

        Raises:
            StoreUnavailableError: The list of duties could not be read.
        """
        now, left, is_last = self.clock(), 0, False
        while not is_last:
            duties = self.duties.list(now - _IN_FLIGHT, _DUTIES_AT_ONCE, left)
            done = sum(self._try_duty(duty, now) for duty in duties)
            if done:
                _LOG.info("handled the ends of %d games that were left", done)
            left += len(duties) - done
            is_last = len(duties) < _DUTIES_AT_ONCE

    def _try_duty(self, duty: Duty, now: int) -> bool:
        try:
            return self._process_duty(duty, now)
        except StoredFormError:  # left to the newer release that wrote it
            return False
        except Exception as error:  # noqa: BLE001 - go on with the others
            _LOG.warning("the end of a game will be handled later: %r", error)
            return False

    def _process_duty(self, duty: Duty, now: int) -> bool:
        stored = self.games.load(duty.key)
        if stored is not None:
            session = decode(stored.payload, stored.revision)
            if session.ended_at is not None:
                self.settle(GameEnd(duty.key, session))
            elif now - duty.noted_at < _NEVER_WRITTEN:
                return False
        self.duties.delete(duty)
        return True

    def _concerned(self, end: GameEnd) -> list[EndHandler]:
        return [handler for handler in self.handlers if handler.concerns(end)]
