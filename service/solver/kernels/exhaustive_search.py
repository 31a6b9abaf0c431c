"""Exhaustive search of any position: every variant, any length, any stock.

Depth first, each row once. The table holds whole rows, six bits a card, so
that two different rows are never taken for one. When the table is full, a new
row takes the place of an earlier one, which is searched again if it comes back:
that costs time and no truth. So a search that ends without a win has proved
that there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numba import njit

from service.solver.kernels.bits import bits
from service.solver.kernels.moves import apply_move, is_won, legal_moves
from service.solver.kernels.row_table import (
    ADDED,
    SEEN,
    note,
    rehash,
    words_for,
    write_key,
)
from service.solver.kernels.rules import REMOVE_PAIR, STACK

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from service.solver.kernels.rules import Cards, Ints, Rules

WON: Final = 1
LOST: Final = 0
SPENT: Final = -1

DEAL: Final = 255
"""Origin and target of the action that deals a card."""
_LONGEST: Final = 52
_RANKS: Final = 13
_SUITS: Final = 4
_FIRST_SLOTS: Final = 1 << 12
_MOST_SLOTS: Final = 1 << 20
"""The slots of the largest table; twice as many for keys of half its words."""
_WORDS: Final = words_for(_LONGEST)
_PHI: Final = np.array([10_000 // (n + 1) for n in range(_LONGEST)], np.int64)


class Tree(NamedTuple):
    """The state of a search, so that it can be left and taken up again.

    Attributes:
        table: int64[slots, words], the rows seen; a zero word starts a free slot.
        stock: uint8[s], the cards to be dealt, the next one first.
        at: int64[3]: the depth reached, the rows in the table, and whether
            (1) moves are weighed and hopeless rows left, which is for games
            that stack or remove pairs with nothing left to be dealt.
        rows: uint8[depths, 52], the row at each depth.
        sizes: int64[depths], its cards.
        dealt: int64[depths], how much of the stock is dealt.
        origins: int64[depths, moves], the moves to be tried at each depth.
        targets: int64[depths, moves], the same.
        counts: int64[depths], how many of them are left, the last is next; -1
            when the row was not looked at yet.
        key: int64[words], scratch.
        losses: int64[52], scratch.
        values: int64[moves], scratch.
        tally: int64[17], scratch.
    """

    table: Ints
    stock: Cards
    at: Ints
    rows: NDArray[np.uint8]
    sizes: Ints
    dealt: Ints
    origins: Ints
    targets: Ints
    counts: Ints
    key: Ints
    losses: Ints
    values: Ints
    tally: Ints


def _tree(rules: Rules, row: bytes, stock: bytes) -> Tree:
    longest = len(row) + len(stock)
    moves = longest * len(rules.offsets) + 1
    words = words_for(longest)
    depths = longest + len(stock) + 2
    weighs = rules.effect in (STACK, REMOVE_PAIR) and not stock
    started = Tree(
        table=np.zeros((_FIRST_SLOTS, words), np.int64),
        stock=np.array(list(stock), np.uint8),
        at=np.array([0, 0, int(weighs)], np.int64),
        rows=np.zeros((depths, _LONGEST), np.uint8),
        sizes=np.zeros(depths, np.int64),
        dealt=np.zeros(depths, np.int64),
        origins=np.zeros((depths, moves), np.int64),
        targets=np.zeros((depths, moves), np.int64),
        counts=np.zeros(depths, np.int64),
        key=np.zeros(words, np.int64),
        losses=np.zeros(_LONGEST, np.int64),
        values=np.zeros(moves, np.int64),
        tally=np.zeros(_RANKS + _SUITS, np.int64),
    )
    started.rows[0, : len(row)] = list(row)
    started.sizes[0] = len(row)
    started.counts[0] = -1
    return started


@njit(cache=True, nogil=True)
def _weigh(partners: Ints, row: Cards, size: int, losses: Ints, tally: Ints) -> None:
    """Value each card as one to be covered, lower is better, as ``packed`` does."""
    beyond = 0
    for place in range(size - 1, -1, -1):
        losses[place] = bits(partners[row[place]] & beyond)
        beyond |= 1 << row[place]
    tally[:] = 0
    for place in range(size):
        right = losses[place]
        suit = row[place] // _RANKS
        rank = row[place] - _RANKS * suit
        suit += _RANKS
        losses[place] = tally[rank] + tally[suit] - _PHI[right]
        gain = _PHI[max(right - 1, 0)] - _PHI[right]
        tally[rank] += gain
        tally[suit] += gain


@njit(cache=True, nogil=True)
def is_hopeless(
    matches: Ints,
    row: Cards,
    size: int,
    goal_length: int,
    pairs: bool,  # noqa: FBT001
) -> bool:
    """Whether the groups of a row prove it lost.

    A group is a set of cards that match each other, directly or through
    others; a move concerns one group. When piles are stacked, every group
    keeps a card to the end, for its last one has nothing to go onto: more
    groups than piles in a won row cannot be won. When pairs leave, a group of
    odd size cannot leave altogether. Cards only ever go, so groups never join.
    """
    unreached = 0
    for place in range(size):
        unreached |= 1 << row[place]
    groups = 0
    while unreached:
        edge = unreached & -unreached
        unreached ^= edge
        members = 0
        while edge:
            card = bits((edge & -edge) - 1)
            edge &= edge - 1
            found = matches[card] & unreached
            unreached ^= found
            edge |= found
            members += 1
        groups += members & 1 if pairs else 1
    return groups > goal_length


@njit(cache=True, nogil=True)
def _sort(
    losses: Ints,
    values: Ints,
    origins: Ints,
    targets: Ints,
    count: int,
    pairs: bool,  # noqa: FBT001
) -> None:
    """Sort moves by the value of the cards that go, the lowest last."""
    for new in range(count):
        origin, target = origins[new], targets[new]
        value = losses[target]
        if pairs:
            value += losses[origin]
        place = new
        while place > 0 and values[place - 1] < value:
            values[place] = values[place - 1]
            origins[place] = origins[place - 1]
            targets[place] = targets[place - 1]
            place -= 1
        values[place] = value
        origins[place] = origin
        targets[place] = target


@njit(cache=True, nogil=True)
def explore(rules: Rules, tree: Tree, limit: int) -> tuple[int, int]:
    """Search on.

    Args:
        rules: The variant.
        tree: The state; after a win the moves made at each depth are those
            just beyond ``counts`` in ``origins`` and ``targets``.
        limit: The rows to be looked at before the search is interrupted.

    Returns:
        ``WON``, ``LOST`` (proved) or ``SPENT``, and the rows looked at.
    """
    # A tuple of arrays handed to an inner kernel costs more than its work.
    table, stock, key, rows = tree.table, tree.stock, tree.key, tree.rows
    sizes, dealt, counts = tree.sizes, tree.dealt, tree.counts
    losses, values, tally = tree.losses, tree.values, tree.tally
    pairs, weighs = rules.effect == REMOVE_PAIR, tree.at[2] == 1
    nodes = 0
    depth, noted = tree.at[0], tree.at[1]
    while nodes < limit and depth >= 0:
        row, size = rows[depth], sizes[depth]
        if counts[depth] < 0:  # not looked at yet
            nodes += 1
            if dealt[depth] == stock.shape[0] and is_won(rules, row, size):
                tree.at[0] = depth
                return WON, nodes
            counts[depth] = 0
            write_key(key, row, size, dealt[depth], 0)
            found = note(table, key, noted)
            if found != SEEN:
                noted += found == ADDED
                if not weighs or not is_hopeless(
                    rules.matches, row, size, rules.goal_length, pairs
                ):
                    origins, targets = tree.origins[depth], tree.targets[depth]
                    counts[depth] = legal_moves(rules, row, size, origins, targets)
                    if weighs:
                        _weigh(rules.partners, row, size, losses, tally)
                        _sort(losses, values, origins, targets, counts[depth], pairs)
                    if counts[depth] == 0 and dealt[depth] < stock.shape[0]:
                        origins[0] = DEAL
                        targets[0] = DEAL
                        counts[depth] = 1
        if counts[depth] == 0:
            depth -= 1
            continue
        counts[depth] -= 1
        origin = tree.origins[depth, counts[depth]]
        target = tree.targets[depth, counts[depth]]
        dealt[depth + 1] = dealt[depth]
        if origin == DEAL:
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
    tree.at[0] = depth
    tree.at[1] = noted
    return (LOST if depth < 0 else SPENT), nodes


class Exhaustion:
    """An exhaustive search that can be taken up again.

    Its table grows as it fills, to 17 MB for a row of 18 cards and to 50 MB
    for one of 52.
    """

    def __init__(self, rules: Rules, row: bytes, stock: bytes = b"") -> None:
        """Start a search.

        Args:
            rules: The variant.
            row: The cards on the table.
            stock: The cards still to be dealt, the next one first; dealing
                waits until no move is legal. Where moves may wait, whoever
                deals out first misses nothing, so there the cards belong to
                the row.
        """
        self._rules = rules
        self._tree = _tree(rules, row, stock)

    def advance(self, nodes: int) -> tuple[int, int]:
        """Search on for so many nodes; ``WON``, ``LOST`` or ``SPENT``, and nodes."""
        state, spent = SPENT, 0
        while state == SPENT and spent < nodes:
            self._grow()
            most = min(nodes - spent, len(self._tree.table) // 4)
            state, looked_at = explore(self._rules, self._tree, most)
            spent += looked_at
        return state, spent

    def line(self) -> bytes:
        """Return the actions that led to the win, as a line of the engine."""
        here = self._tree
        line = bytearray()
        for depth in range(int(here.at[0])):
            made = here.counts[depth]
            line.append(int(here.origins[depth, made]))
            line.append(int(here.targets[depth, made]))
        return bytes(line)

    def _grow(self) -> None:
        table = self._tree.table
        slots = len(table)
        most = _MOST_SLOTS * (2 if table.shape[1] <= _WORDS // 2 else 1)
        if 2 * int(self._tree.at[1]) >= slots and slots < most:
            larger = np.zeros((min(4 * slots, most), table.shape[1]), np.int64)
            rehash(table, larger)
            self._tree = self._tree._replace(table=larger)
