"""Whether a game counts on boards.

It follows from the game itself, so that it never changes with the clock alone: what
other games of the player decide is written into the game when it starts and when the
player has help in another one, and looked at once more when it ends.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from service.games.session import Unranked, day_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.games.session import Session


class UnrankedReason(StrEnum):
    """Why a game does not count on boards."""

    DEAL = "deal"
    """The game is neither of a deal of the day nor of an event."""
    NO_PLAYER = "no-player"
    PLAYER_KEY = "player-key"
    """The player's name is bound to another key."""
    PAST_DAY = "past-day"
    """It was started after the day of its deal."""
    OPTIONS = "options"
    """It is not played with the options of the variant, or of the event."""
    HELP = "help"
    """The player had a hint or a solution in a game of the deal."""
    CLOSED = "closed"
    """It was played after the deal had closed."""


_OF_FLAG: Final = {
    Unranked.HELP: UnrankedReason.HELP,
    Unranked.PLAYER_KEY: UnrankedReason.PLAYER_KEY,
}


def unranked_reason(session: Session) -> UnrankedReason | None:
    """Say why a game does not count on boards; None where it does.

    A game that is played counts if it ends in time.
    """
    return next(_reasons(session), None)


def _reasons(session: Session) -> Iterator[UnrankedReason]:
    if session.closes_at is None:
        yield UnrankedReason.DEAL
        return
    if session.player is None:
        yield UnrankedReason.NO_PLAYER
    if session.daily is not None and day_of(session.started_at) != session.daily:
        yield UnrankedReason.PAST_DAY
    if not session.default_options:
        yield UnrankedReason.OPTIONS
    if session.hints_used:
        yield UnrankedReason.HELP
    latest = session.last_action_at if session.ended_at is None else session.ended_at
    if latest is not None and latest >= session.closes_at:
        yield UnrankedReason.CLOSED
    if session.unranked in _OF_FLAG:
        yield _OF_FLAG[session.unranked]
