"""What a game is worth: points and a rating."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from service.engine.play import Status

if TYPE_CHECKING:
    from service.engine.play import Play

POINTS_A_CARD: Final = 10
WIN_POINTS: Final = 500
TIME_BONUS: Final = 1200


class Rating(StrEnum):
    """How good a finished game was."""

    FULL = "full"
    STRONG = "strong"
    MORAL = "moral"


MOST_PILES: Final = {Rating.FULL: 1, Rating.STRONG: 3, Rating.MORAL: 5}
"""The most piles that are left with a rating, in a game that goes down to one pile."""


def score(play: Play, seconds: int | None) -> int:
    """Count the points of a game.

    Ten for each pile or card got rid of; for a win 500 more, and 1200 less one
    for each full second it took, never below 0.

    Args:
        play: The game.
        seconds: The full seconds from start to win; None where no clock ran,
            which leaves the time bonus out.
    """
    points = POINTS_A_CARD * (play.cards_dealt - len(play.position.row))
    if play.status is not Status.WON:
        return points
    bonus = 0 if seconds is None else max(0, TIME_BONUS - seconds)
    return points + WIN_POINTS + bonus


def rate(play: Play) -> Rating | None:
    """Rate a game that is over; None while it is played or below every rating.

    A game that goes down to one pile is rated by the piles that are left once
    the whole deck lies on the table, and only a win is full; any other game is
    full when won.
    """
    if play.status is Status.WON:
        return Rating.FULL
    is_dealt = play.status is not Status.PLAYING and not play.position.stock
    if not is_dealt or not play.ruleset.stacks or play.ruleset.goal_length != 1:
        return None
    near = (Rating.STRONG, Rating.MORAL)
    piles = len(play.position.row)
    return next((each for each in near if piles <= MOST_PILES[each]), None)
