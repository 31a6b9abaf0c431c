"""Exhaustive search of any position: every variant, any length, any stock.

The search is depth first and records the positions that it visits in a table
(``row_table``), so that it searches each of them once. When the table is full, a new
position may replace an earlier one, which is searched again if it is reached again:
the search becomes slower but remains correct. A search that ends without a win has
therefore proved that none exists.
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
    invalidate,
    rehash,
    store,
    words_for,
    write_key,
)
from service.solver.kernels.rules import MAX_ROW, REMOVE_PAIR, STACK

if TYPE_CHECKING:
    from service.solver.kernels.rules import Cards, Ints, Rules

DEAL_CODE: Final = 255
"""The origin and the target of the action that deals a card."""
_RANKS: Final = 13
_SUITS: Final = 4
_FIRST_SLOTS: Final = 1 << 12
_MAX_SLOTS: Final = 1 << 20
"""The slots of the largest table; twice as many if keys are at most half as long."""
_COVER_VALUES: Final = np.array([10_000 // (n + 1) for n in range(MAX_ROW)], np.int64)
"""The value of covering a card, by how many cards to its right could cover it."""


class ExhaustiveState(NamedTuple):
    """The state of a search that can be interrupted and continued.

    Attributes:
        table: int64[slots, words], the positions visited, as in ``row_table``.
        stock: uint8[s], the cards to be dealt, the next one first.
        progress: int64[3]: the depth reached (-1 once the row is proved lost); the
            number of positions in the table; and 1 if moves are sorted and rows
            proved lost are skipped, else 0. It is 1 in games that stack or remove
            pairs, if no cards are left to be dealt.
        rows: uint8[depths, 52], the row at each depth.
        sizes: int64[depths], the number of cards in that row.
        dealt: int64[depths], the number of cards dealt from the stock.
        origins: int64[depths, moves], the origins of the moves at each depth.
        targets: int64[depths, moves], their targets.
        counts: int64[depths], the number of moves still to be tried, the last one
            first; -1 if the row has not been examined yet.
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
        rows=np.zeros((depths, MAX_ROW), np.uint8),
        sizes=np.zeros(depths, np.int64),
        dealt=np.zeros(depths, np.int64),
        origins=np.zeros((depths, moves), np.int64),
        targets=np.zeros((depths, moves), np.int64),
        counts=np.zeros(depths, np.int64),
        key=np.zeros(words, np.int64),
        costs=np.zeros(MAX_ROW, np.int64),
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
    """Set the cost of covering each card, as in ``endgame``; lower is better."""
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
    """Return the cards of a row as the bits of a word."""
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
    """Sort moves by the cost of the cards they cover or remove, the lowest last."""
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
    """Whether a row is proved lost without a search."""
    least, pairs = rules.goal_place, rules.effect == REMOVE_PAIR
    if least > 0 and is_cut_off(find_card(row, size, rules.first), size, least):
        return True
    return is_proved_lost(rules.matches, cards_of(row, size), rules.goal_length, pairs)


@njit(nogil=True)
def explore(rules: Rules, state: ExhaustiveState, limit: int) -> tuple[int, int]:
    """Continue a search.

    Args:
        rules: The variant.
        state: The state; after a win, the action made at depth d is at the index
            ``counts[d]`` of ``origins[d]`` and ``targets[d]``.
        limit: The number of rows to examine before the search is interrupted.

    Returns:
        ``WON``, ``LOST`` (proved) or ``UNFINISHED``, and the number of rows examined.
    """
    # Passing a tuple of arrays to an inner kernel takes longer than running it.
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
def invalidate_path(state: ExhaustiveState) -> None:
    """Invalidate the positions in the table whose search was not completed.

    All other positions in the table are proved lost.
    """
    for depth in range(state.progress[0] + 1):
        if state.counts[depth] >= 0:
            row, size = state.rows[depth], state.sizes[depth]
            write_key(state.key, row, size, state.dealt[depth], 0)
            invalidate(state.table, state.key, state.progress[1])


class ExhaustiveSearch:
    """An exhaustive search that can be interrupted and continued.

    Its table grows as it fills, to at most 34 MB for a row of 18 cards and 50 MB for
    a row of 52.
    """

    def __init__(self, rules: Rules, row: bytes, stock: bytes = b"") -> None:
        """Prepare a search.

        Args:
            rules: The variant.
            row: The cards of the row, the leftmost first.
            stock: The cards still to be dealt, the next one first; a card is dealt
                only if no move is legal. Where moves are not compulsory, dealing
                every card first loses nothing: there, pass all cards as the row.
        """
        self._rules = rules
        self._row = row
        self._stock = stock

    @cached_property
    def _state(self) -> ExhaustiveState:
        return _new_state(self._rules, self._row, self._stock)

    def restart(self, row: bytes) -> None:
        """Search another row of the same game; rows proved lost are not repeated.

        It must not have more cards than the first row.
        """
        invalidate_path(self._state)
        _start_from(self._state, row)

    def advance(self, nodes: int) -> tuple[int, int]:
        """Continue the search; examine at most ``nodes`` rows.

        Returns:
            ``WON``, ``LOST`` (proved) or ``UNFINISHED``, and the number of rows
            examined.
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
        """Enlarge a table that is half full, to at most four times its slots."""
        table = self._state.table
        slots, words = table.shape
        most = _MAX_SLOTS * (2 if 2 * words <= words_for(MAX_ROW) else 1)
        if 2 * int(self._state.progress[1]) >= slots and slots < most:
            larger = np.zeros((min(4 * slots, most), words), np.int64)
            rehash(table, larger)
            self._state = self._state._replace(table=larger)
