"""What makes a variant: one small frozen value.

Nothing here or above it asks which variant is played; everything reads these
fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Effect(StrEnum):
    """What a legal move does to the row."""

    STACK = "stack"
    """The pile goes whole onto another."""
    REMOVE_BETWEEN = "remove-between"
    """The cards strictly between a matching pair leave."""
    REMOVE_PAIR = "remove-pair"
    """Both cards of a matching pair leave."""
    REMOVE_RUN = "remove-run"
    """Neighbours with the right sum leave."""


class Layout(StrEnum):
    """How the deck reaches the row."""

    OPEN = "open"
    """Every card lies face up from the start."""
    STOCK = "stock"
    """The row starts with one card; each deal turns one more at its right end."""


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
    """Which runs of neighbours leave the row.

    Attributes:
        values: The value of each rank, ace to king, 13 integers.
        totals: The sums at which a run leaves.
    """

    values: tuple[int, ...]
    totals: frozenset[int]


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A variant of the patience, as data.

    Attributes:
        key: The name of the variant in the API.
        code: Its number in stored games; no number is ever used again.
        effect: What a legal move does.
        offsets: The legal values of ``origin - target`` of a move, in piles.
            In removal games origin and target are the two ends, so that the
            number of cards from one to the other is the offset plus one.
        goal_length: The piles or cards that are left when the game is won.
        aliases: Other names of it.
        deck_size: The cards dealt in all.
        pins: The cards dealt first and last, or None.
        names_goal: Whether a goal card must end on top of the last pile.
        runs: The runs that leave, for ``REMOVE_RUN``; else None.
        layout: The layout that is played unless another is asked for.
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
    def stacks(self) -> bool:
        """Whether piles grow, as they do in no removal game."""
        return self.effect is Effect.STACK
