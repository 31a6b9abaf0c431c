"""A game being played: a deal, the actions made, and the actions undone.

A line of actions is ``bytes``, two bytes per action: the origin and the target of a
move, or 0xFF 0xFF for a deal of one card.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

from service.engine.errors import (
    AmbiguousMoveError,
    CardsHiddenError,
    GameOverError,
    MoveCompulsoryError,
    NoTargetError,
    NothingToRedoError,
    NothingToUndoError,
    RefusedAtError,
    RefusedError,
    StockEmptyError,
    UndoNotAllowedError,
)
from service.engine.position import (
    Move,
    Position,
    apply_removal,
    cards_at_first,
    lay_out,
)
from service.engine.ruleset import IllegalMoveReason, Layout, UndoRule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.engine.ruleset import Ruleset


class Deal(Enum):
    """The action that deals one card of the stock."""

    CARD = "deal"


DEAL: Final = Deal.CARD
Action: TypeAlias = Move | Deal

ACTION_BYTES: Final = 2
"""Bytes per action in a line."""
_DEAL_BYTES: Final = b"\xff\xff"


def encode_action(action: Action) -> bytes:
    """Encode one action of a line in ``ACTION_BYTES`` bytes."""
    return _DEAL_BYTES if isinstance(action, Deal) else bytes(action)


def actions_of(line: bytes) -> Iterator[Action]:
    """Decode a line of actions, first to last."""
    for i in range(0, len(line), ACTION_BYTES):
        yield decode_action(line[i : i + ACTION_BYTES])


def decode_action(pair: bytes) -> Action:
    """Decode one action of a line."""
    return DEAL if pair == _DEAL_BYTES else Move(*pair)


def play_line(position: Position, line: bytes) -> Position:
    """Play a line of actions.

    Raises:
        IllegalMoveError: A move of the line is not legal.
        StockEmptyError: The line deals a card when the stock is empty.
    """
    while line.startswith(_DEAL_BYTES):
        position, line = position.deal(), line[ACTION_BYTES:]
    if _DEAL_BYTES[0] not in line:
        pairs = zip(line[::ACTION_BYTES], line[1::ACTION_BYTES], strict=True)
        return position.apply_all(pairs)
    for action in actions_of(line):
        if isinstance(action, Deal):
            position = position.deal()
        else:
            position = position.apply(action)
    return position


class Status(StrEnum):
    """The status of a game."""

    PLAYING = "playing"
    WON = "won"
    LOST = "lost"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a game.

    Attributes:
        compulsory: Whether dealing is refused while a move is legal, the rule of 1883.
    """

    layout: Layout
    compulsory: bool = False
    undo: UndoRule = UndoRule.UNLIMITED


@dataclass(frozen=True, slots=True)
class DealRequest:
    """A request to deal.

    Attributes:
        count: The number of cards, at least 1; None means the whole stock.
    """

    count: int | None = 1


Step: TypeAlias = Move | DealRequest


@dataclass(frozen=True)
class Play:
    """A game being played, an immutable value.

    Attributes:
        cards: The whole deal, in the order of dealing.
        position: The current position.
        done: The line of actions that led to the position.
        undone: The line of undone actions, the next to be redone first.
        finished: Whether the player has ended the game.
    """

    options: Options
    cards: bytes
    position: Position
    done: bytes = b""
    undone: bytes = b""
    finished: bool = False

    @property
    def ruleset(self) -> Ruleset:
        """The variant that is played."""
        return self.position.ruleset

    @cached_property
    def status(self) -> Status:
        """The status; a game that is both won and finished is won."""
        if self.position.is_won:
            return Status.WON
        if self.finished:
            return Status.ENDED
        return Status.LOST if self.position.is_stuck else Status.PLAYING

    @property
    def is_closed(self) -> bool:
        """Whether every action is refused, undo included."""
        return self.finished or self.position.is_won

    @property
    def cards_dealt(self) -> int:
        """The number of cards dealt, those laid out at the start included."""
        return len(self.cards) - len(self.position.stock)

    @property
    def actions(self) -> int:
        """The number of actions made and not undone, deals included."""
        return len(self.done) // ACTION_BYTES

    @property
    def moves(self) -> int:
        """The number of moves made and not undone, without deals."""
        dealt = self.cards_dealt - cards_at_first(self.options.layout, self.cards)
        return self.actions - dealt

    @property
    def removed(self) -> bytes:
        """The cards removed from the row, in the order of removal.

        Cards removed by the same move are ordered from left to right. Empty in
        stacking games.
        """
        if self.ruleset.is_stacking:
            return b""
        dealt = cards_at_first(self.options.layout, self.cards)
        row, removed = self.cards[:dealt], b""
        for action in actions_of(self.done):
            if isinstance(action, Deal):
                row += self.cards[dealt : dealt + 1]
                dealt += 1
            else:
                row, leaving = apply_removal(self.ruleset.effect, row, action)
                removed += leaving
        return removed

    @property
    def legal_moves(self) -> tuple[Move, ...]:
        """The moves that would be accepted; none if the game is closed."""
        return () if self.is_closed else self.position.legal_moves

    @property
    def can_deal(self) -> bool:
        """Whether a deal of one card would be accepted."""
        is_blocked = self.is_closed or self._must_move(self.position)
        return bool(self.position.stock) and not is_blocked

    @property
    def can_undo(self) -> bool:
        """Whether an undo would be accepted."""
        return bool(self.done) and self._may_undo

    @property
    def can_redo(self) -> bool:
        """Whether a redo would be accepted."""
        return bool(self.undone) and self._may_undo

    def _must_move(self, position: Position) -> bool:
        return self.options.compulsory and position.can_move

    @property
    def _may_undo(self) -> bool:
        return self.options.undo is UndoRule.UNLIMITED and not self.is_closed

    def move(self, move: Move) -> Play:
        """Make a move.

        Raises:
            GameOverError: The game is won or ended.
            IllegalMoveError: The move is not legal.
        """
        self._require_open()
        position = self.position.apply(move)
        done = self.done + encode_action(move)
        return Play(self.options, self.cards, position, done)

    def tap(self, origin: int) -> Play:
        """Make the only legal move of the pile at ``origin``.

        Raises:
            GameOverError: The game is won or ended.
            NoTargetError: The pile has no legal move, or does not exist.
            AmbiguousMoveError: The pile has several legal moves.
        """
        self._require_open()
        moves = [move for move in self.position.legal_moves if move.origin == origin]
        if not moves:
            exists = 0 <= origin < len(self.position.row)
            reason = (
                IllegalMoveReason.NO_MATCH if exists else IllegalMoveReason.NO_SUCH_PILE
            )
            raise NoTargetError(self.position, origin, reason)
        if len(moves) > 1:
            raise AmbiguousMoveError(origin, tuple(move.target for move in moves))
        return self.move(moves[0])

    def deal(self, count: int | None = 1) -> Play:
        """Deal cards, one after the other.

        If moves are compulsory, dealing stops as soon as a move is legal, possibly
        before ``count`` cards are dealt.

        Args:
            count: The number of cards, at least 1; None means the whole stock.

        Raises:
            GameOverError: The game is won or ended.
            StockEmptyError: The stock is empty or holds fewer than ``count`` cards.
            MoveCompulsoryError: Moves are compulsory and one is legal already.
        """
        self._require_open()
        stock = len(self.position.stock)
        count = stock if count is None else count
        if not 0 < count <= stock:
            raise StockEmptyError(stock)
        if self._must_move(self.position):
            raise MoveCompulsoryError(self.position.legal_moves)
        position = self.position.deal()
        dealt = 1
        while dealt < count and not self._must_move(position):
            position = position.deal()
            dealt += 1
        done = self.done + _DEAL_BYTES * dealt
        return Play(self.options, self.cards, position, done)

    def run(self, steps: Iterable[Step], *, blind: bool = False) -> Play:
        """Make several steps: all of them, or none if one is refused.

        Args:
            steps: The steps, in order. A ``DealRequest`` is refused unless all its
                cards can be dealt.
            blind: Whether to refuse steps that depend on cards dealt by an earlier
                step. If the stock is secret, a refusal would otherwise reveal a card
                that is then not dealt.

        Raises:
            RefusedAtError: A step was refused.
        """
        play = self
        for index, step in enumerate(steps):
            try:
                if blind:
                    self._refuse_peek(play, step)
                play = play._take(step)
            except RefusedError as refusal:
                raise RefusedAtError(index, refusal) from refusal
        return play

    def _take(self, step: Step) -> Play:
        if isinstance(step, Move):
            return self.move(step)
        dealt = self.deal(step.count)
        left = 0 if step.count is None else len(self.position.stock) - step.count
        if len(dealt.position.stock) > left:
            raise MoveCompulsoryError(dealt.position.legal_moves, interrupts=True)
        return dealt

    def _refuse_peek(self, play: Play, step: Step) -> None:
        """Refuse a step on ``play`` that depends on cards dealt since ``self``.

        Those cards are at the right end of the row and stay there.
        """
        fresh = play.cards_dealt - self.cards_dealt
        if isinstance(step, Move):
            peeks = fresh > 0 and max(step) >= len(play.position.row) - fresh
        else:
            peeks = self.options.compulsory and (fresh > 0 or step.count != 1)
        if peeks:
            raise CardsHiddenError(len(self.position.stock), in_batch=True)

    def undo(self, count: int | None = 1) -> Play:
        """Undo actions, the latest first.

        Args:
            count: The number of actions, at least 1; None means all.

        Raises:
            GameOverError: The game is won or ended.
            UndoNotAllowedError: The game was started without undo.
            NothingToUndoError: There are fewer than ``count`` actions, or none.
        """
        self._require_undo()
        count = self.actions if count is None else count
        if not 0 < count <= self.actions:
            raise NothingToUndoError(self.actions)
        cut = -count * ACTION_BYTES
        kept, taken = self.done[:cut], self.done[cut:]
        again = start(self.ruleset, self.cards, self.options, self.position.goal)
        position = play_line(again.position, kept)
        return replace(self, position=position, done=kept, undone=taken + self.undone)

    def redo(self, count: int | None = 1) -> Play:
        """Redo undone actions, in the order in which they were first made.

        Args:
            count: The number of actions, at least 1; None means all.

        Raises:
            GameOverError: The game is won or ended.
            UndoNotAllowedError: The game was started without undo.
            NothingToRedoError: There are fewer than ``count`` undone actions, or none.
        """
        self._require_undo()
        available = len(self.undone) // ACTION_BYTES
        count = available if count is None else count
        if not 0 < count <= available:
            raise NothingToRedoError(available)
        cut = count * ACTION_BYTES
        again, left = self.undone[:cut], self.undone[cut:]
        position = play_line(self.position, again)
        return replace(self, position=position, done=self.done + again, undone=left)

    def finish(self) -> Play:
        """End the game.

        Raises:
            GameOverError: The game is already won or ended.
        """
        self._require_open()
        return replace(self, finished=True)

    def _require_open(self) -> None:
        if self.is_closed:
            raise GameOverError(self.status)

    def _require_undo(self) -> None:
        self._require_open()
        if self.options.undo is UndoRule.NONE:
            raise UndoNotAllowedError


def start(
    ruleset: Ruleset, cards: bytes, options: Options, goal: int | None = None
) -> Play:
    """Start a game.

    Args:
        ruleset: The variant.
        cards: The deal, in the order of dealing.
        options: The options of the game.
        goal: The goal card, if the variant names one.
    """
    return Play(options, cards, lay_out(ruleset, cards, options.layout, goal))
