"""What can go wrong in the engine, as exceptions that hold data and no texts.

Every class says what was requested and why it was refused; the texts are made
elsewhere.
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
        """Show the data, without a position: cards of its stock may be hidden."""
        return repr(self)


class InputError(EngineError):
    """A value that the engine cannot take.

    Attributes:
        key: What is wrong with it, as a code; ``service.texts`` has its sentences.
        data: The values of that sentence; ``card``, ``first`` and ``last`` are cards.
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
    """A name that is no source of deals."""

    name: str


class SeedError(InputError):
    """A seed that its source does not know."""


class DeckError(InputError):
    """Cards that cannot be the deck of a game."""


class GoalError(DeckError):
    """A goal card that the variant or the deck cannot have, or that is missing."""


class RefusedError(EngineError):
    """An action that the rules or the game's options refuse; nothing changed."""


@dataclass(eq=False)
class IllegalMoveError(RefusedError):
    """A move that is not legal.

    Attributes:
        position: The position in which it was asked for.
        move: The move that was asked for.
        reason: Why the rules refuse it.
    """

    position: Position = field(repr=False)
    move: Move
    reason: IllegalMoveReason


@dataclass(eq=False)
class NoTargetError(RefusedError):
    """A tap on a pile that has no legal move.

    Attributes:
        position: The position in which it was tapped.
        origin: The pile that was tapped.
        reason: Why there is none.
    """

    position: Position = field(repr=False)
    origin: int
    reason: IllegalMoveReason


@dataclass(eq=False)
class AmbiguousMoveError(RefusedError):
    """A tap on a pile that has several legal moves.

    Attributes:
        origin: The pile that was tapped.
        targets: The piles it could go to, in ascending order.
    """

    origin: int
    targets: tuple[int, ...]


@dataclass(eq=False)
class StockEmptyError(RefusedError):
    """A deal of more cards than the stock holds.

    Attributes:
        stock: How many cards are left to be dealt.
    """

    stock: int


@dataclass(eq=False)
class MoveCompulsoryError(RefusedError):
    """A deal while a move is legal, in a game where moves are compulsory.

    Attributes:
        legal_moves: The moves to choose from.
        interrupts: Whether a move becomes legal only while the cards are dealt.
    """

    legal_moves: tuple[Move, ...]
    interrupts: bool = field(default=False, kw_only=True)


@dataclass(eq=False)
class CardsHiddenError(RefusedError):
    """A request whose result depends on cards that are still to be dealt.

    Attributes:
        stock: How many they are.
        in_batch: Whether an action of a batch asks, about a card that the batch deals.
    """

    stock: int
    in_batch: bool = field(default=False, kw_only=True)


class UndoNotAllowedError(RefusedError):
    """An undo or a redo in a game without undo."""


@dataclass(eq=False)
class NothingToUndoError(RefusedError):
    """An undo of more actions than were made.

    Attributes:
        available: How many could be undone.
    """

    available: int


@dataclass(eq=False)
class NothingToRedoError(RefusedError):
    """A redo of more actions than were undone.

    Attributes:
        available: How many could be redone.
    """

    available: int


@dataclass(eq=False)
class GameOverError(RefusedError):
    """An action in a game of this status: it is won or ended."""

    status: str


@dataclass(eq=False)
class RefusedAtError(RefusedError):
    """An action of a batch that was refused, so that none of the batch was made.

    Attributes:
        index: The place of the action in the batch, from 0.
        cause: The refusal.
    """

    index: int
    cause: RefusedError
