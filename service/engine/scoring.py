"""The points and the rating of a game."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from service.engine.play import Status

if TYPE_CHECKING:
    from service.engine.play import Play

POINTS_PER_PILE: Final = 10
WIN_POINTS: Final = 500
MAX_TIME_BONUS: Final = 1200


class Rating(StrEnum):
    """The rating of a game that is over, the best first."""

    FULL = "full"
    STRONG = "strong"
    MORAL = "moral"


MAX_PILES: Final = {Rating.FULL: 1, Rating.STRONG: 3, Rating.MORAL: 5}
"""The most piles left for each rating, in stacking games whose goal is one pile."""


def score(play: Play, seconds: int | None) -> int:
    """Return the points of a game.

    Each pile that has left the row counts 10. A win adds 500, and a time bonus of 1200
    less one for each full second, at least 0.

    Args:
        play: The game.
        seconds: The full seconds from the start to the win; None if no time was
            measured: there is no time bonus then.
    """
    points = POINTS_PER_PILE * (play.cards_dealt - len(play.position.row))
    if play.status is not Status.WON:
        return points
    bonus = 0 if seconds is None else max(0, MAX_TIME_BONUS - seconds)
    return points + WIN_POINTS + bonus


def rate(play: Play) -> Rating | None:
    """Return the rating of a game; None if it is not over or earns no rating.

    Any win is ``FULL``. A game that is not won is rated by the number of piles left
    (``MAX_PILES``), if the whole deck is dealt and the variant is a stacking game
    whose goal is one pile; else it has no rating.
    """
    if play.status is Status.WON:
        return Rating.FULL
    is_dealt = play.status is not Status.PLAYING and not play.position.stock
    if not is_dealt or not play.ruleset.is_stacking or play.ruleset.goal_length != 1:
        return None
    near = (Rating.STRONG, Rating.MORAL)
    piles = len(play.position.row)
    return next((each for each in near if piles <= MAX_PILES[each]), None)
