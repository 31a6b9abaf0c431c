"""Exhaustive search of any position: every variant, any length, any stock.

The search is depth first and visits each position once. The table of visited
positions holds whole rows, six bits a card, so that two different rows are never
taken for one. When the table is full, a new position replaces an earlier one, which
is searched again when it is met again: the search becomes slower and stays correct.
A search that ends without a win has therefore proved that there is none.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numba import njit

from service.solver.kernels.bits import bits
from service.solver.kernels.moves import apply_move, is_won, legal_moves
from service.solver.kernels.outcomes import (
    LOST,
    UNFINISHED,
    WON,
    find_card,
    is_cut_off,
    is_proved_lost,
)
from service.solver.kernels.row_table import (
    ADDED,
    FOUND,
    forget,
    rehash,
    store,
    words_for,
    write_key,
)
from service.solver.kernels.rules import REMOVE_PAIR, STACK

if TYPE_CHECKING:
    from service.solver.kernels.rules import Cards, Ints, Rules

DEAL_CODE: Final = 255
"""Origin and target of the action that deals a card."""
_LONGEST: Final = 52
_RANKS: Final = 13
_SUITS: Final = 4
_FIRST_SLOTS: Final = 1 << 12
_MOST_SLOTS: Final = 1 << 20
"""The slots of the largest table; twice as many where a key is half as long."""
_COVER_VALUES: Final = np.array([10_000 // (n + 1) for n in range(_LONGEST)], np.int64)
"""The value of covering a card, by the number of cards to its right that match it."""


class ExhaustiveState(NamedTuple):
    """The state of a search that can be interrupted and continued.

    Attributes:
        table: int64[slots, words], the positions visited; a zero word starts a
            free slot.
        stock: uint8[s], the cards to be dealt, the next one first.
        progress: int64[3]: the depth reached, the positions in the table, and 1
            if moves are sorted and rows that are proved lost are left out, which
            is for games that stack or remove pairs with nothing left to be dealt.
        rows: uint8[depths, 52], the row at each depth.
        sizes: int64[depths], its number of cards.
        dealt: int64[depths], the number of cards dealt from the stock.
        origins: int64[depths, moves], the moves to be tried at each depth.
        targets: int64[depths, moves], the same.
        counts: int64[depths], the number of moves left to be tried, the last one
            first; -1 when the row was not examined yet.
        key: int64[words], scratch.
        costs: int64[52], scratch.
        values: int64[moves], scratch.
        tally: int64[17], scratch.
    """

    table: Ints
    stock: Cards
    progress: Ints
    rows: Cards
    sizes: Ints
    dealt: Ints
    origins: Ints
    targets: Ints
    counts: Ints
    key: Ints
    costs: Ints
    values: Ints
    tally: Ints


def _new_state(rules: Rules, row: bytes, stock: bytes) -> ExhaustiveState:
    longest = len(row) + len(stock)
    moves = longest * len(rules.offsets) + 1
    words = words_for(longest)
    depths = longest + len(stock) + 2
    is_sorted = rules.effect in (STACK, REMOVE_PAIR) and not stock
    state = ExhaustiveState(
        table=np.zeros((_FIRST_SLOTS, words), np.int64),
        stock=np.array(list(stock), np.uint8),
        progress=np.array([0, 0, int(is_sorted)], np.int64),
        rows=np.zeros((depths, _LONGEST), np.uint8),
        sizes=np.zeros(depths, np.int64),
        dealt=np.zeros(depths, np.int64),
        origins=np.zeros((depths, moves), np.int64),
        targets=np.zeros((depths, moves), np.int64),
        counts=np.zeros(depths, np.int64),
        key=np.zeros(words, np.int64),
        costs=np.zeros(_LONGEST, np.int64),
        values=np.zeros(moves, np.int64),
        tally=np.zeros(_RANKS + _SUITS, np.int64),
    )
    _start_from(state, row)
    return state


def _start_from(state: ExhaustiveState, row: bytes) -> None:
    """Set the row that the search starts from."""
    state.progress[0] = 0
    state.rows[0, : len(row)] = list(row)
    state.sizes[0] = len(row)
    state.counts[0] = -1


@njit(nogil=True)
def _value_cards(
    partners: Ints, row: Cards, size: int, costs: Ints, tally: Ints
) -> None:
    """Set the cost of covering each card, lower is better, as in ``endgame``."""
    to_right = 0
    for place in range(size - 1, -1, -1):
        costs[place] = bits(partners[row[place]] & to_right)
        to_right |= 1 << row[place]
    tally[:] = 0
    for place in range(size):
        right = costs[place]
        suit = row[place] // _RANKS
        rank = row[place] - _RANKS * suit
        suit += _RANKS
        costs[place] = tally[rank] + tally[suit] - _COVER_VALUES[right]
        gain = _COVER_VALUES[max(right - 1, 0)] - _COVER_VALUES[right]
        tally[rank] += gain
        tally[suit] += gain


@njit(nogil=True)
def cards_of(row: Cards, size: int) -> int:
    """Return the cards of a row as bits."""
    cards = 0
    for place in range(size):
        cards |= 1 << row[place]
    return cards


@njit(nogil=True)
def _sort_moves(
    costs: Ints,
    values: Ints,
    origins: Ints,
    targets: Ints,
    count: int,
    pairs: bool,  # noqa: FBT001
) -> None:
    """Sort moves by the cost of the cards that are covered or removed, lowest last."""
    for new in range(count):
        origin, target = origins[new], targets[new]
        value = costs[target]
        if pairs:
            value += costs[origin]
        place = new
        while place > 0 and values[place - 1] < value:
            values[place] = values[place - 1]
            origins[place] = origins[place - 1]
            targets[place] = targets[place - 1]
            place -= 1
        values[place] = value
        origins[place] = origin
        targets[place] = target


@njit(nogil=True)
def _is_lost(rules: Rules, row: Cards, size: int) -> bool:
    """Whether a row is lost without any search."""
    least, pairs = rules.goal_place, rules.effect == REMOVE_PAIR
    if least > 0 and is_cut_off(find_card(row, size, rules.first), size, least):
        return True
    return is_proved_lost(rules.matches, cards_of(row, size), rules.goal_length, pairs)


@njit(nogil=True)
def explore(rules: Rules, state: ExhaustiveState, limit: int) -> tuple[int, int]:
    """Continue a search.

    Args:
        rules: The variant.
        state: The state; after a win the moves made at each depth are those just
            beyond ``counts`` in ``origins`` and ``targets``.
        limit: The rows to be examined before the search is interrupted.

    Returns:
        ``WON``, ``LOST`` (proved) or ``UNFINISHED``, and the rows examined.
    """
    # Passing a tuple of arrays to an inner kernel takes longer than the kernel.
    table, stock, key, rows = state.table, state.stock, state.key, state.rows
    sizes, dealt, counts = state.sizes, state.dealt, state.counts
    costs, values, tally = state.costs, state.values, state.tally
    pairs, is_sorted = rules.effect == REMOVE_PAIR, state.progress[2] == 1
    nodes = 0
    depth, stored = state.progress[0], state.progress[1]
    while nodes < limit and depth >= 0:
        row, size = rows[depth], sizes[depth]
        if counts[depth] < 0:  # not examined yet
            nodes += 1
            if dealt[depth] == stock.shape[0] and is_won(rules, row, size):
                state.progress[0] = depth
                state.progress[1] = stored
                return WON, nodes
            counts[depth] = 0
            write_key(key, row, size, dealt[depth], 0)
            outcome = store(table, key, stored)
            if outcome != FOUND:
                stored += outcome == ADDED
                if not is_sorted or not _is_lost(rules, row, size):
                    origins, targets = state.origins[depth], state.targets[depth]
                    counts[depth] = legal_moves(rules, row, size, origins, targets)
                    if is_sorted:
                        _value_cards(rules.partners, row, size, costs, tally)
                        _sort_moves(
                            costs, values, origins, targets, counts[depth], pairs
                        )
                    if counts[depth] == 0 and dealt[depth] < stock.shape[0]:
                        origins[0] = DEAL_CODE
                        targets[0] = DEAL_CODE
                        counts[depth] = 1
        if counts[depth] == 0:
            depth -= 1
            continue
        counts[depth] -= 1
        origin = state.origins[depth, counts[depth]]
        target = state.targets[depth, counts[depth]]
        dealt[depth + 1] = dealt[depth]
        if origin == DEAL_CODE:
            rows[depth + 1, :size] = row[:size]
            rows[depth + 1, size] = stock[dealt[depth]]
            sizes[depth + 1] = size + 1
            dealt[depth + 1] += 1
        else:
            sizes[depth + 1] = apply_move(
                rules, row, size, origin, target, rows[depth + 1]
            )
        depth += 1
        counts[depth] = -1
    state.progress[0] = depth
    state.progress[1] = stored
    return (LOST if depth < 0 else UNFINISHED), nodes


@njit(nogil=True)
def forget_path(state: ExhaustiveState) -> None:
    """Remove from the table the positions whose search was not completed.

    All others in the table are proved lost.
    """
    for depth in range(state.progress[0] + 1):
        if state.counts[depth] >= 0:
            row, size = state.rows[depth], state.sizes[depth]
            write_key(state.key, row, size, state.dealt[depth], 0)
            forget(state.table, state.key, state.progress[1])


class ExhaustiveSearch:
    """An exhaustive search that can be interrupted and continued.

    Its table grows as it fills, to 17 MB for a row of 18 cards and to 50 MB
    for one of 52.
    """

    def __init__(self, rules: Rules, row: bytes, stock: bytes = b"") -> None:
        """Prepare a search.

        Args:
            rules: The variant.
            row: The cards on the table.
            stock: The cards still to be dealt, the next one first; a card is
                dealt only where no move is legal. Where moves may wait, dealing
                every card first loses nothing, so there pass all cards as the row.
        """
        self._rules = rules
        self._row = row
        self._stock = stock

    @cached_property
    def _state(self) -> ExhaustiveState:
        return _new_state(self._rules, self._row, self._stock)

    def restart(self, row: bytes) -> None:
        """Search another row of the same game; what is proved lost is not repeated.

        Args:
            row: The cards on the table, no more than in the first row.
        """
        forget_path(self._state)
        _start_from(self._state, row)

    def advance(self, nodes: int) -> tuple[int, int]:
        """Search on.

        Args:
            nodes: The rows to be examined at most.

        Returns:
            ``WON``, ``LOST`` (proved) or ``UNFINISHED``, and the rows examined.
        """
        outcome, spent = UNFINISHED, 0
        while outcome == UNFINISHED and spent < nodes:
            self._grow()
            most = min(nodes - spent, len(self._state.table) // 4)
            outcome, examined = explore(self._rules, self._state, most)
            spent += examined
        return outcome, spent

    def line(self) -> bytes:
        """Return the actions that led to the win, as a line of the engine."""
        state = self._state
        line = bytearray()
        for depth in range(int(state.progress[0])):
            made = state.counts[depth]
            line.append(int(state.origins[depth, made]))
            line.append(int(state.targets[depth, made]))
        return bytes(line)

    def _grow(self) -> None:
        """Give a table that is half full up to four times the slots."""
        table = self._state.table
        slots, words = table.shape
        most = _MOST_SLOTS * (2 if 2 * words <= words_for(_LONGEST) else 1)
        if 2 * int(self._state.progress[1]) >= slots and slots < most:
            larger = np.zeros((min(4 * slots, most), words), np.int64)
            rehash(table, larger)
            self._state = self._state._replace(table=larger)
