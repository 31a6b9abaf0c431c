"""What can go wrong in the engine, as exceptions that hold data and no texts.

Every class says what was requested and why it was refused; the texts are made
elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.engine.position import Move, Position
    from service.engine.ruleset import Reason


class EngineError(Exception):
    """The base class of the engine's exceptions."""


class InputError(EngineError):
    """A value that the engine cannot take.

    Attributes:
        key: What is wrong with it, as a code; ``service.texts`` has its sentences.
        data: The values of that sentence; ``card``, ``first`` and ``last`` are cards.
    """

    def __init__(self, key: str, **data: object) -> None:
        super().__init__(f"{key} {data}" if data else key)
        self.key = key
        self.data = data


class CardError(InputError):
    """A text that is not a card.

    Attributes:
        text: What was given.
    """

    def __init__(self, text: str) -> None:
        super().__init__("card", value=text)
        self.text = text


class UnknownVariantError(EngineError):
    """A name that is neither a variant's key nor one of its aliases.

    Attributes:
        name: What was given.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"no variant is called {name!r}")
        self.name = name


class UnknownSourceError(EngineError):
    """A name that is no source of deals.

    Attributes:
        name: What was given.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"no source of deals is called {name!r}")
        self.name = name


class SeedError(InputError):
    """A seed that its source does not know."""


class DeckError(InputError):
    """Cards that cannot be the deck of a game."""


class GoalError(DeckError):
    """A goal card that the variant or the deck cannot have, or that is missing."""


class RefusedError(EngineError):
    """An action that the rules or the game's options refuse; nothing changed."""


class IllegalMoveError(RefusedError):
    """A move that is not legal.

    Attributes:
        position: The position in which it was asked for.
        move: The move that was asked for.
        reason: Why the rules refuse it.
    """

    def __init__(self, position: Position, move: Move, reason: Reason) -> None:
        super().__init__(f"{move.origin}-{move.target}: {reason}")
        self.position = position
        self.move = move
        self.reason = reason


class NoTargetError(RefusedError):
    """A tap on a pile that has no legal move.

    Attributes:
        position: The position in which it was tapped.
        origin: The pile that was tapped.
        reason: Why there is none.
    """

    def __init__(self, position: Position, origin: int, reason: Reason) -> None:
        super().__init__(f"{origin}: {reason}")
        self.position = position
        self.origin = origin
        self.reason = reason


class AmbiguousMoveError(RefusedError):
    """A tap on a pile that has several legal moves.

    Attributes:
        origin: The pile that was tapped.
        targets: The piles it could go to, in ascending order.
    """

    def __init__(self, origin: int, targets: tuple[int, ...]) -> None:
        super().__init__(f"{origin} could go to {', '.join(map(str, targets))}")
        self.origin = origin
        self.targets = targets


class StockEmptyError(RefusedError):
    """A deal of more cards than the stock holds.

    Attributes:
        stock: How many cards are left to be dealt.
    """

    def __init__(self, stock: int) -> None:
        super().__init__(f"{stock} cards are left to be dealt")
        self.stock = stock


class MoveCompulsoryError(RefusedError):
    """A deal while a move is legal, in a game where moves are compulsory.

    Attributes:
        legal_moves: The moves to choose from.
        interrupts: Whether a move becomes legal only while the cards are dealt.
    """

    def __init__(
        self, legal_moves: tuple[Move, ...], *, interrupts: bool = False
    ) -> None:
        super().__init__("a legal move must be made before the next card is dealt")
        self.legal_moves = legal_moves
        self.interrupts = interrupts


class CardsHiddenError(RefusedError):
    """A request whose result depends on cards that are still to be dealt.

    Attributes:
        stock: How many they are.
        in_batch: Whether an action of a batch asks, about a card that the batch deals.
    """

    def __init__(self, stock: int, *, in_batch: bool = False) -> None:
        super().__init__(f"{stock} cards are still to be dealt")
        self.stock = stock
        self.in_batch = in_batch


class UndoNotAllowedError(RefusedError):
    """An undo or a redo in a game without undo."""

    def __init__(self) -> None:
        super().__init__("this game was started without undo")


class NothingToUndoError(RefusedError):
    """An undo of more actions than were made.

    Attributes:
        available: How many could be undone.
    """

    def __init__(self, available: int) -> None:
        super().__init__(f"{available} actions can be undone")
        self.available = available


class NothingToRedoError(RefusedError):
    """A redo of more actions than were undone.

    Attributes:
        available: How many could be redone.
    """

    def __init__(self, available: int) -> None:
        super().__init__(f"{available} actions can be redone")
        self.available = available


class GameOverError(RefusedError):
    """An action in a game that is won or ended.

    Attributes:
        status: The game's status.
    """

    def __init__(self, status: str) -> None:
        super().__init__(f"the game is {status}")
        self.status = status


class RefusedAtError(RefusedError):
    """An action of a batch that was refused, so that none of the batch was made.

    Attributes:
        index: The place of the action in the batch, from 0.
        cause: The refusal.
    """

    def __init__(self, index: int, cause: RefusedError) -> None:
        super().__init__(f"action {index}: {cause}")
        self.index = index
        self.cause = cause
