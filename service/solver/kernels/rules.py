"""A ruleset as the arrays that the kernels read."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from service.engine.cards import DECK, MATCH
from service.engine.ruleset import Effect

if TYPE_CHECKING:
    from service.engine.ruleset import Ruleset

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Cards: TypeAlias = NDArray[np.uint8]

STACK: Final = 0
REMOVE_BETWEEN: Final = 1
REMOVE_PAIR: Final = 2
REMOVE_RUN: Final = 3

_EFFECTS: Final = {
    Effect.STACK: STACK,
    Effect.REMOVE_BETWEEN: REMOVE_BETWEEN,
    Effect.REMOVE_PAIR: REMOVE_PAIR,
    Effect.REMOVE_RUN: REMOVE_RUN,
}

ANY: Final = -1
"""Stands for a card where no particular card is required."""

MAX_ROW: Final = len(DECK)
"""The maximum number of cards in a row."""
MAX_ENDGAME_LENGTH: Final = 15
"""The length of the longest row that ``endgame`` searches, in cards."""
MAX_ENDGAME_MOVES: Final = 64
"""The number of legal moves per row that the arrays of ``endgame`` have room for."""
HIGHEST_TOTAL: Final = 62
"""The highest sum of a run: the highest bit of an int64 below the sign."""


class RulesetBoundError(ValueError):
    """A ruleset that is outside the bounds of the kernels."""


class Rules(NamedTuple):
    """A ruleset as the kernels read it.

    Attributes:
        effect: ``STACK``, ``REMOVE_BETWEEN``, ``REMOVE_PAIR`` or ``REMOVE_RUN``.
        offsets: int64[k], the legal values of origin - target.
        partners: int64[52]; bit a of ``partners[b]`` is set if card a may be the
            origin of a move whose target is card b. Unused for runs.
        matches: int64[52]; bit a of ``matches[b]`` is set if a and b share rank or
            suit, whether or not one is the goal card; no card matches itself.
        values: int64[52], the value of each card in a run; zeros where no runs leave.
        totals: Bit s is set if a run with the sum s leaves.
        goal_length: The cards left in a won row.
        first: The card that a won row starts with, or ``ANY``.
        last: The card that a won row ends with, or ``ANY``.
        goal_place: The lowest place at which a goal card with cards to its right
            can still win; 0 where no goal is named, where some move goes to the
            right, and where moves are compulsory.
    """

    effect: int
    offsets: Ints
    partners: Ints
    matches: Ints
    values: Ints
    totals: int
    goal_length: int
    first: int
    last: int
    goal_place: int


@lru_cache(maxsize=1024)
def rules_of(ruleset: Ruleset, goal: int | None, *, compulsory: bool = False) -> Rules:
    """Convert a ruleset to arrays.

    A goal card is never a target: once covered, it cannot return to the top, so a
    move that covers it always loses. Where a goal is named, ``Rules`` therefore
    allows fewer moves than the game, but the same positions can be won. Where moves
    are compulsory, the goal card may be covered, because a losing move must be made
    if it is the only one.

    Where all moves go to the left, the place of the goal card never increases. The
    last pile that remains to its right, which nothing can cover, must pass it by a
    move of at least two places. If the goal card is too far left for the shortest
    such move while piles remain to its right, the row is lost.

    Args:
        ruleset: The variant.
        goal: The goal card, where the variant names one.
        compulsory: Whether moves are compulsory while cards are still to be dealt.

    Raises:
        RulesetBoundError: The ruleset is outside the bounds of the kernels.
    """
    _check_bounds(ruleset)
    kept = None if compulsory else goal
    partners = [
        0 if target == kept else sum(MATCH[origin][target] << origin for origin in DECK)
        for target in DECK
    ]
    matches = [sum(MATCH[a][b] << a for a in DECK if a != b) for b in DECK]
    runs = ruleset.runs
    values = [0 if runs is None else runs.values[card % 13] for card in DECK]
    totals = 0 if runs is None else sum(1 << total for total in runs.totals)
    first, last = ruleset.pins or (ANY if goal is None else goal, ANY)
    return Rules(
        effect=_EFFECTS[ruleset.effect],
        offsets=np.array(ruleset.offsets, np.int64),
        partners=np.array(partners, np.int64),
        matches=np.array(matches, np.int64),
        values=np.array(values, np.int64),
        totals=totals,
        goal_length=ruleset.goal_length,
        first=first,
        last=last,
        goal_place=0 if kept is None else _least_goal_place(ruleset),
    )


def _least_goal_place(ruleset: Ruleset) -> int:
    if min(ruleset.offsets) < 0:
        return 0
    passing = (offset for offset in ruleset.offsets if offset > 1)
    return min(passing, default=ruleset.deck_size) - 1


def _check_bounds(ruleset: Ruleset) -> None:
    """Refuse a ruleset for which a kernel would overflow its arrays or be wrong."""
    searched = ruleset.effect in (Effect.STACK, Effect.REMOVE_PAIR)
    moves = sum(max(MAX_ENDGAME_LENGTH - abs(offset), 0) for offset in ruleset.offsets)
    if searched and moves > MAX_ENDGAME_MOVES:
        raise RulesetBoundError(
            f"{ruleset.key}: a row of {MAX_ENDGAME_LENGTH} cards has up to {moves} "
            f"moves; the solver has room for {MAX_ENDGAME_MOVES}."
        )
    if not searched and min(ruleset.offsets) < 0:
        raise RulesetBoundError(f"{ruleset.key}: an offset is negative.")
    steps = (later - offset for offset, later in pairwise(ruleset.offsets))
    if ruleset.runs and any(step != 1 for step in steps):
        raise RulesetBoundError(
            f"{ruleset.key}: the offsets of runs must be consecutive numbers."
        )
    sums = (*ruleset.runs.values, *ruleset.runs.totals) if ruleset.runs else (0,)
    if not 0 <= min(sums) <= max(sums) <= HIGHEST_TOTAL:
        raise RulesetBoundError(
            f"{ruleset.key}: the values and totals of runs must be from 0 to "
            f"{HIGHEST_TOTAL}."
        )
