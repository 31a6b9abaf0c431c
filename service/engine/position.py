"""Positions, and the one definition of a legal move.

A position is an immutable value that includes its ruleset. Piles are numbered from 0,
the leftmost.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import accumulate, compress
from typing import TYPE_CHECKING, Final, NamedTuple

from service.engine.cards import DECK, MATCH
from service.engine.errors import IllegalMoveError, StockEmptyError
from service.engine.ruleset import Effect, IllegalMoveReason, Layout

if TYPE_CHECKING:
    from collections.abc import Iterable

    from service.engine.ruleset import Ruleset, Runs


class Move(NamedTuple):
    """A move, as indices of piles in the row, from 0 at the left.

    In stacking games the pile at ``origin`` moves onto the pile at ``target``. In
    removal games they are the right (``origin``) and left (``target``) ends of the
    cards that the move concerns; they are equal for a run of a single card.
    """

    origin: int
    target: int


@dataclass(frozen=True)
class Position:
    """A row of piles, and the stock still to be dealt.

    Attributes:
        row: The top card of each pile, left to right.
        heights: The number of cards in each pile, one byte per pile, left to right;
            all 1 in removal games.
        stock: The cards still to be dealt, the next one first.
        goal: The card that must end on top of the last pile, or None.
    """

    ruleset: Ruleset
    row: bytes
    heights: bytes
    stock: bytes = b""
    goal: int | None = None

    @cached_property
    def legal_moves(self) -> tuple[Move, ...]:
        """The legal moves, sorted by origin, then by target."""
        return _moves(self.row, self.ruleset.offsets, self.ruleset.runs)

    @property
    def can_move(self) -> bool:
        """Whether any move is legal."""
        return bool(self.legal_moves)

    @property
    def is_won(self) -> bool:
        """Whether the stock is empty and the goal of the variant is reached."""
        ruleset = self.ruleset
        return (
            not self.stock
            and len(self.row) == ruleset.goal_length
            and (ruleset.pins is None or self.row == bytes(ruleset.pins))
            and (self.goal is None or self.row[0] == self.goal)
        )

    @property
    def is_stuck(self) -> bool:
        """Whether no move is legal and the stock is empty."""
        return not self.stock and not self.can_move

    def refusal(self, move: Move) -> IllegalMoveReason | None:
        """Return why a move is not legal, or None if it is legal."""
        origin, target = move
        size, offsets = len(self.row), self.ruleset.offsets
        if not (0 <= origin < size and 0 <= target < size):
            return IllegalMoveReason.NO_SUCH_PILE
        if origin - target not in offsets:
            wrong_way = target - origin in offsets
            return (
                IllegalMoveReason.DIRECTION if wrong_way else IllegalMoveReason.DISTANCE
            )
        looked_at = self.row[min(move) : max(move) + 1]
        if not _moves(looked_at, (origin - target,), self.ruleset.runs):
            return IllegalMoveReason.NO_MATCH
        return None

    def apply(self, move: Move) -> Position:
        """Make a move; gaps in the row are closed.

        Raises:
            IllegalMoveError: The move is not legal.
        """
        if self.ruleset.is_stacking:
            return self.apply_all((move,))
        _check(self, move)
        left, _ = apply_removal(self.ruleset.effect, self.row, move)
        return self._with(left, self.heights[: len(left)])

    def apply_all(self, moves: Iterable[tuple[int, int]]) -> Position:
        """Make moves one after the other; in stacking games faster than by ``apply``.

        Raises:
            IllegalMoveError: A move is not legal.
        """
        if not self.ruleset.is_stacking:
            return reduce(lambda after, move: after.apply(Move(*move)), moves, self)
        offsets = self.ruleset.offsets
        row, heights = bytearray(self.row), bytearray(self.heights)
        for origin, target in moves:
            if (
                origin - target not in offsets
                or not 0 <= target < len(row) > origin >= 0
                or not MATCH[row[origin]][row[target]]
            ):
                _check(self._with(row, heights), Move(origin, target))  # raises
            row[target] = row[origin]
            heights[target] += heights[origin]
            del row[origin], heights[origin]
        return self._with(row, heights)

    def _with(self, row: bytes | bytearray, heights: bytes | bytearray) -> Position:
        return Position(self.ruleset, bytes(row), bytes(heights), self.stock, self.goal)

    def deal(self) -> Position:
        """Deal the next card of the stock to the right end of the row.

        Raises:
            StockEmptyError: The stock is empty.
        """
        if not self.stock:
            raise StockEmptyError(0)
        row, heights = self.row + self.stock[:1], self.heights + b"\x01"
        return Position(self.ruleset, row, heights, self.stock[1:], self.goal)


def _check(position: Position, move: Move) -> None:
    reason = position.refusal(move)
    if reason is not None:
        raise IllegalMoveError(position, move, reason)


def lay_out(
    ruleset: Ruleset, cards: bytes, layout: Layout, goal: int | None = None
) -> Position:
    """Return the position at the start of a game.

    Args:
        ruleset: The variant.
        cards: The deal, in the order of dealing.
        layout: Whether all cards are laid out, or only the first.
        goal: The goal card, if the variant names one.
    """
    dealt = cards_at_first(layout, cards)
    return Position(ruleset, cards[:dealt], b"\x01" * dealt, cards[dealt:], goal)


def cards_at_first(layout: Layout, cards: bytes) -> int:
    """Return the number of cards laid out at the start."""
    return 1 if layout is Layout.STOCK else len(cards)


def apply_removal(effect: Effect, row: bytes, move: Move) -> tuple[bytes, bytes]:
    """Make a legal move of a removal game.

    Returns:
        The remaining row and the removed cards, each from left to right.
    """
    origin, target = move
    if effect is Effect.REMOVE_PAIR:
        between = row[target + 1 : origin]
        left = row[:target] + between + row[origin + 1 :]
        return left, row[target : target + 1] + row[origin : origin + 1]
    inner = effect is Effect.REMOVE_BETWEEN
    start, stop = (target + 1, origin) if inner else (target, origin + 1)
    return row[:start] + row[stop:], row[start:stop]


def _moves(row: bytes, offsets: tuple[int, ...], runs: Runs | None) -> tuple[Move, ...]:
    """Return the legal moves that have one of the offsets, sorted.

    This is the one definition of a legal move. Without runs, the cards at origin and
    target must share rank or suit. With runs, the values of the cards from target to
    origin, both included, must add up to one of the totals.
    """
    moves: list[Move] = []
    if runs is None:
        codes = int.from_bytes(row.translate(_CODES), "little")
        for offset in offsets:
            apart = abs(offset)
            differences = (codes ^ codes >> 8 * apart).to_bytes(len(row), "little")
            pairs = differences[: max(0, len(row) - apart)]
            moves += compress(_MOVES[offset], pairs.translate(_MATCHING))
    else:
        sums = list(accumulate((runs.values[card % 13] for card in row), initial=0))
        for offset in offsets:
            ends = zip(sums[offset + 1 :], sums, strict=False)
            moves += compress(_MOVES[offset], [b - a in runs.totals for b, a in ends])
    moves.sort()
    return tuple(moves)


def _code(card: int) -> int:
    """Encode a card in a byte: the rank in the low four bits, the suit in the high."""
    return card % 13 | card // 13 << 4


_CODES: Final = bytes(_code(card) for card in DECK).ljust(256, b"\0")
"""``_code`` of each card, as a table for ``bytes.translate``."""
_MATCHES: Final = {_code(a) ^ _code(b): MATCH[a][b] for a in DECK for b in DECK}
_MATCHING: Final = bytes(_MATCHES.get(difference, 0) for difference in range(256))
"""``MATCH`` by the XOR of the codes of two cards: 1 if they share rank or suit."""

_MAX_PILES: Final = 52
_MOVES: Final = {
    offset: tuple(
        Move(origin, origin - offset)
        for origin in range(_MAX_PILES)
        if 0 <= origin - offset < _MAX_PILES
    )
    for offset in range(-_MAX_PILES, _MAX_PILES)
}
"""The moves of each offset, by ascending origin; shared by all positions."""
