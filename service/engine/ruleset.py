"""The definition of a variant as one immutable value.

The engine and the packages above it never test which variant is played; they read
these fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Effect(StrEnum):
    """What a legal move does to the row."""

    STACK = "stack"
    """A pile moves onto another pile."""
    REMOVE_BETWEEN = "remove-between"
    """The cards strictly between a matching pair leave the row."""
    REMOVE_PAIR = "remove-pair"
    """Both cards of a matching pair leave the row."""
    REMOVE_RUN = "remove-run"
    """Adjacent cards whose values add up to one of the totals leave the row."""


class Layout(StrEnum):
    """How many cards are laid out at the start."""

    OPEN = "open"
    """All cards, face up."""
    STOCK = "stock"
    """The first card; each deal adds one card to the right end of the row."""


class UndoRule(StrEnum):
    """Whether actions can be undone."""

    UNLIMITED = "unlimited"
    NONE = "none"


class IllegalMoveReason(StrEnum):
    """Why a move is not legal."""

    NO_SUCH_PILE = "no-such-pile"
    DISTANCE = "distance"
    DIRECTION = "direction"
    NO_MATCH = "no-match"


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of adjacent cards that can leave the row.

    Attributes:
        values: The value of each rank, ace to king; 13 integers.
        totals: The sums of values at which a run can leave.
    """

    values: tuple[int, ...]
    totals: frozenset[int]


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A variant of the patience, as data.

    Attributes:
        key: The name of the variant in the API.
        code: The number of the variant in stored games; never reused.
        offsets: The legal values of ``origin - target`` of a move, in piles. In removal
            games origin and target are the two ends, so the move concerns
            ``origin - target + 1`` cards.
        goal_length: The number of piles left in the row when the game is won.
        aliases: Other names of the variant.
        deck_size: The number of cards in a deal; a deck laid out by a player may have
            fewer.
        pins: The cards dealt first and last, or None.
        names_goal: Whether a goal card must end on top of the last pile.
        runs: The runs that can leave, for ``REMOVE_RUN``; else None.
        layout: The default layout.
    """

    key: str
    code: int
    effect: Effect
    offsets: tuple[int, ...]
    goal_length: int
    aliases: tuple[str, ...] = ()
    deck_size: int = 52
    pins: tuple[int, int] | None = None
    names_goal: bool = False
    runs: Runs | None = None
    layout: Layout = Layout.OPEN

    @property
    def is_stacking(self) -> bool:
        """Whether this is a stacking game; if not, it is a removal game."""
        return self.effect is Effect.STACK
