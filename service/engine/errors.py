"""The engine's exceptions.

They hold data about what was requested and why it was refused; ``service.texts`` has
the texts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.engine.position import Move, Position
    from service.engine.ruleset import IllegalMoveReason


class EngineError(Exception):
    """The base class of the engine's exceptions."""

    def __str__(self) -> str:
        """Return the data without the position, whose stock may be hidden."""
        return repr(self)


class InputError(EngineError):
    """A value that the engine does not accept.

    Attributes:
        key: What is wrong, as a code; ``service.texts`` has a sentence for each.
        data: The values for that sentence; ``card``, ``first`` and ``last`` are cards,
            0 to 51.
    """

    def __init__(self, key: str, **data: object) -> None:
        super().__init__(key, data)
        self.key = key
        self.data = data


class CardError(InputError):
    """A text that is not a card."""

    def __init__(self, text: str) -> None:
        super().__init__("card", value=text)
        self.text = text


@dataclass(eq=False)
class UnknownVariantError(EngineError):
    """A name that is neither a variant's key nor one of its aliases."""

    name: str


@dataclass(eq=False)
class UnknownSourceError(EngineError):
    """A name that is not a source of deals."""

    name: str


class SeedError(InputError):
    """A text that is not a seed of its source."""


class DeckError(InputError):
    """Cards that cannot be the deck of a game."""


class GoalError(DeckError):
    """A goal card that is missing, or that the variant or the deck does not allow."""


class RefusedError(EngineError):
    """An action that the rules or the game's options refuse; the game is unchanged."""


@dataclass(eq=False)
class IllegalMoveError(RefusedError):
    """A move that is not legal.

    Attributes:
        position: The position before the move.
    """

    position: Position = field(repr=False)
    move: Move
    reason: IllegalMoveReason


@dataclass(eq=False)
class NoTargetError(RefusedError):
    """A tap on a pile that has no legal move.

    Attributes:
        position: The position before the tap.
        origin: The pile that was tapped, from 0; may be outside the row.
        reason: ``NO_SUCH_PILE`` or ``NO_MATCH``.
    """

    position: Position = field(repr=False)
    origin: int
    reason: IllegalMoveReason


@dataclass(eq=False)
class AmbiguousMoveError(RefusedError):
    """A tap on a pile that has several legal moves.

    Attributes:
        origin: The pile that was tapped, from 0.
        targets: The targets of its legal moves, ascending.
    """

    origin: int
    targets: tuple[int, ...]


@dataclass(eq=False)
class StockEmptyError(RefusedError):
    """A deal of more cards than the stock holds.

    Attributes:
        stock: How many cards are still to be dealt.
    """

    stock: int


@dataclass(eq=False)
class MoveCompulsoryError(RefusedError):
    """A deal while a move is legal, in a game where moves are compulsory.

    Attributes:
        legal_moves: The legal moves.
        interrupts: Whether they became legal only after some of the cards were dealt.
    """

    legal_moves: tuple[Move, ...]
    interrupts: bool = field(default=False, kw_only=True)


@dataclass(eq=False)
class CardsHiddenError(RefusedError):
    """A request whose result depends on cards that are still to be dealt.

    Attributes:
        stock: How many cards are still to be dealt; in a batch, before the batch.
        in_batch: Whether it is an action of a batch that depends on cards that the
            batch itself deals.
    """

    stock: int
    in_batch: bool = field(default=False, kw_only=True)


class UndoNotAllowedError(RefusedError):
    """An undo or a redo in a game without undo."""


@dataclass(eq=False)
class NothingToUndoError(RefusedError):
    """An undo of more actions than were made.

    Attributes:
        available: How many actions can be undone.
    """

    available: int


@dataclass(eq=False)
class NothingToRedoError(RefusedError):
    """A redo of more actions than were undone.

    Attributes:
        available: How many actions can be redone.
    """

    available: int


@dataclass(eq=False)
class GameOverError(RefusedError):
    """An action in a game that is won or ended; ``status`` tells which."""

    status: str


@dataclass(eq=False)
class RefusedAtError(RefusedError):
    """A refused action of a batch; no action of the batch was made.

    Attributes:
        index: The index of the action in the batch, from 0.
        cause: The refusal.
    """

    index: int
    cause: RefusedError
