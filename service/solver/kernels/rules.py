"""A ruleset as the arrays that the kernels read."""

from __future__ import annotations

from functools import lru_cache
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
"""Stands for a card where none is asked for."""


class Rules(NamedTuple):
    """A ruleset for kernels; the one thing that they know of a variant.

    Attributes:
        effect: ``STACK``, ``REMOVE_BETWEEN``, ``REMOVE_PAIR`` or ``REMOVE_RUN``.
        offsets: int64[k], the legal values of origin - target.
        partners: int64[52]; bit a of ``partners[b]`` tells that a may be the
            origin of a move whose target is b. Unused for runs.
        matches: int64[52]; bit a of ``matches[b]`` tells that a and b share rank
            or suit, goal or not; no card matches itself.
        values: int64[52], the value of each card in a run; else zeros.
        totals: Bit s tells that a run of sum s leaves; no total exceeds 62.
        goal_length: The cards left in a won row.
        first: The card that a won row starts with, or ``ANY``.
        last: The card that a won row ends with, or ``ANY``.
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


@lru_cache(maxsize=1024)
def rules_of(ruleset: Ruleset, goal: int | None, *, compulsory: bool = False) -> Rules:
    """Write a ruleset as arrays.

    A goal card is never a target: once covered it cannot come back to the top,
    so a move that covers it loses for certain. Where a goal is named a
    ``Rules`` therefore allows fewer moves than the game does, and wins the
    same positions. Not so where moves are compulsory, since there a move that
    loses must be made when there is no other.

    Args:
        ruleset: The variant.
        goal: The goal card, where the variant names one.
        compulsory: Whether moves are compulsory while cards are to be dealt.
    """
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
    )
