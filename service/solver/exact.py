"""Exhaustive search of any position: every variant, any length, any stock.

Depth first, each row once. The table holds whole rows, six bits a card, so
that two different rows are never taken for one. When the table is full, rows
are no longer noted but still searched, which costs time and no truth. So a
search that ends without a win has proved that there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numba import njit

from service.solver.moves import apply_move, is_won, legal_moves
from service.solver.tables import REMOVE_PAIR, STACK

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from service.solver.tables import Cards, Ints, Rules

WON: Final = 1
LOST: Final = 0
SPENT: Final = -1

DEAL: Final = 255
"""Origin and target of the action that deals a card."""
_LONGEST: Final = 52
_DEPTH: Final = 2 * _LONGEST + 2
_PER_WORD: Final = 10
_RANKS: Final = 13
_SUITS: Final = 4
_FIRST_SLOTS: Final = 1 << 12
_MOST_SLOTS: Final = 1 << 21
_PHI: Final = np.array([10_000 // (n + 1) for n in range(_LONGEST)], np.int64)


class Tree(NamedTuple):
    """The state of a search, so that it can be left and taken up again.

    Attributes:
        table: int64[slots, words], the rows seen; a zero word starts a free slot.
        stock: uint8[s], the cards to be dealt, the next one first.
        at: int64[4]: the depth reached, the rows in the table, whether moves
            are compulsory (1), whether moves are weighed and hopeless rows
            left (1): pairs or stacks with nothing left to be dealt.
        rows: uint8[depths, 52], the row at each depth.
        sizes: int64[depths], its cards.
        dealt: int64[depths], how much of the stock is dealt.
        origins: int64[depths, moves], the moves to be tried at each depth.
        targets: int64[depths, moves], the same.
        counts: int64[depths], how many of them are left; the last is next.
        key: int64[words], scratch.
        losses: int64[52], scratch.
        values: int64[moves], scratch.
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


def tree(
    rules: Rules, row: bytes, stock: bytes = b"", *, compulsory: bool = False
) -> Tree:
    """Start a search.

    Args:
        rules: The variant.
        row: The cards on the table.
        stock: The cards still to be dealt, the next one first.
        compulsory: Whether dealing waits until no move is legal. If not, the
            stock must be empty: whoever may wait deals out first.
    """
    longest = len(row) + len(stock)
    moves = longest * len(rules.offsets) + 1
    words = -(-(longest + 1) // _PER_WORD)
    depths = min(longest + len(stock) + 2, _DEPTH)
    weighs = rules.effect in (STACK, REMOVE_PAIR) and not stock
    started = Tree(
        table=np.zeros((_FIRST_SLOTS, words), np.int64),
        stock=np.frombuffer(stock, np.uint8).copy(),
        at=np.array([0, 0, int(compulsory), int(weighs)], np.int64),
        rows=np.zeros((depths, _LONGEST), np.uint8),
        sizes=np.zeros(depths, np.int64),
        dealt=np.zeros(depths, np.int64),
        origins=np.zeros((depths, moves), np.int64),
        targets=np.zeros((depths, moves), np.int64),
        counts=np.zeros(depths, np.int64),
        key=np.zeros(words, np.int64),
        losses=np.zeros(_LONGEST, np.int64),
        values=np.zeros(max(moves, _RANKS + _SUITS), np.int64),
    )
    reset(rules, started, np.frombuffer(row, np.uint8), len(row))
    return started


@njit(cache=True, nogil=True)
def reset(rules: Rules, tree: Tree, row: Cards, size: int) -> None:
    """Put a row at the root of a search whose table is empty."""
    tree.at[0] = 0
    tree.at[1] = 0
    tree.rows[0, :size] = row[:size]
    tree.sizes[0] = size
    tree.dealt[0] = 0
    tree.counts[0] = 0
    if not _seen(tree, 0):
        _list_moves(rules, tree, 0)


@njit(cache=True, nogil=True)
def _find(table: Ints, key: Ints) -> int:
    """Return the slot of a key: where it is, or where it would go."""
    words = key.shape[0]
    mixed = 0
    for word in range(words):
        mixed = (mixed ^ key[word]) * -7046029254386353131
        mixed ^= (mixed >> 29) & 0x7FFFFFFFF
    last = table.shape[0] - 1
    slot = mixed & last
    while table[slot, 0] != 0:
        same = True
        for word in range(words):
            same = same and table[slot, word] == key[word]
        if same:
            break
        slot = (slot + 1) & last
    return slot


@njit(cache=True, nogil=True)
def _seen(tree: Tree, depth: int) -> bool:
    """Look the row at a depth up, and note it if there is room."""
    key = tree.key
    key[:] = 0
    key[0] = tree.dealt[depth] + 1
    for place in range(tree.sizes[depth]):
        at = place + 1
        card = np.int64(tree.rows[depth, place]) + 1
        key[at // _PER_WORD] |= card << (6 * (at % _PER_WORD))
    slot = _find(tree.table, key)
    if tree.table[slot, 0] != 0:
        return True
    if 4 * tree.at[1] < 3 * tree.table.shape[0]:
        tree.table[slot] = key
        tree.at[1] += 1
    return False


@njit(cache=True, nogil=True)
def rehash(old: Ints, new: Ints) -> None:
    """Move the rows of a table to a larger, empty one."""
    for slot in range(old.shape[0]):
        if old[slot, 0] != 0:
            new[_find(new, old[slot])] = old[slot]


@njit(cache=True, nogil=True, inline="always")
def _bits(word: int) -> int:
    """Count the bits of a word of at most 63."""
    word -= (word >> 1) & 0x5555555555555555
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (word * 0x0101010101010101) >> 56


@njit(cache=True, nogil=True)
def _weigh(rules: Rules, tree: Tree, depth: int) -> None:
    """Value each card as one to be covered, lower is better, as ``packed`` does."""
    row, size, losses = tree.rows[depth], tree.sizes[depth], tree.losses
    beyond = 0
    for place in range(size - 1, -1, -1):
        losses[place] = _bits(rules.partners[row[place]] & beyond)
        beyond |= 1 << row[place]
    by_rank, by_suit = tree.values[:_RANKS], tree.values[_RANKS : _RANKS + _SUITS]
    by_rank[:] = 0
    by_suit[:] = 0
    for place in range(size):
        card = row[place]
        right = losses[place]
        rank, suit = card % _RANKS, card // _RANKS
        losses[place] = by_rank[rank] + by_suit[suit] - _PHI[right]
        gain = _PHI[max(right - 1, 0)] - _PHI[right]
        by_rank[rank] += gain
        by_suit[suit] += gain


@njit(cache=True, nogil=True)
def _is_hopeless(rules: Rules, row: Cards, size: int) -> bool:
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
            card = _bits((edge & -edge) - 1)
            edge &= edge - 1
            found = rules.matches[card] & unreached
            unreached ^= found
            edge |= found
            members += 1
        groups += members & 1 if rules.effect == REMOVE_PAIR else 1
    return groups > rules.goal_length


@njit(cache=True, nogil=True)
def _list_moves(rules: Rules, tree: Tree, depth: int) -> None:
    """List what can be done at a depth, the most promising last."""
    row, size = tree.rows[depth], tree.sizes[depth]
    origins, targets = tree.origins[depth], tree.targets[depth]
    tree.counts[depth] = 0
    weighs = tree.at[3] == 1
    if weighs:
        if _is_hopeless(rules, row, size):
            return
        _weigh(rules, tree, depth)
    count = legal_moves(rules, row, size, origins, targets)
    if weighs:
        _sort(rules, tree, depth, count)
    if count == 0 and tree.dealt[depth] < tree.stock.shape[0]:
        origins[0] = DEAL
        targets[0] = DEAL
        count = 1
    tree.counts[depth] = count


@njit(cache=True, nogil=True)
def _sort(rules: Rules, tree: Tree, depth: int, count: int) -> None:
    """Sort the moves by the value of the cards that go, the lowest last."""
    origins, targets = tree.origins[depth], tree.targets[depth]
    values = tree.values
    for new in range(count):
        origin, target = origins[new], targets[new]
        value = tree.losses[target]
        if rules.effect == REMOVE_PAIR:
            value += tree.losses[origin]
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
    nodes = 0
    depth = tree.at[0]
    while True:
        if tree.dealt[depth] == tree.stock.shape[0] and is_won(
            rules, tree.rows[depth], tree.sizes[depth]
        ):
            tree.at[0] = depth
            return WON, nodes
        while tree.counts[depth] == 0:
            if depth == 0:
                return LOST, nodes
            depth -= 1
        if nodes >= limit:
            tree.at[0] = depth
            return SPENT, nodes
        tree.counts[depth] -= 1
        origin = tree.origins[depth, tree.counts[depth]]
        target = tree.targets[depth, tree.counts[depth]]
        size, dealt = tree.sizes[depth], tree.dealt[depth]
        below = tree.rows[depth + 1]
        if origin == DEAL:
            below[:size] = tree.rows[depth, :size]
            below[size] = tree.stock[dealt]
            size, dealt = size + 1, dealt + 1
        else:
            size = apply_move(rules, tree.rows[depth], size, origin, target, below)
        depth += 1
        tree.sizes[depth] = size
        tree.dealt[depth] = dealt
        tree.counts[depth] = 0
        nodes += 1
        if _seen(tree, depth):
            depth -= 1
            continue
        _list_moves(rules, tree, depth)


class Exhaustion:
    """An exhaustive search that can be taken up again."""

    def __init__(
        self, rules: Rules, row: bytes, stock: bytes = b"", *, compulsory: bool = False
    ) -> None:
        """Start a search; the arguments are those of ``tree``."""
        self._rules = rules
        self._tree = tree(rules, row, stock, compulsory=compulsory)

    def advance(self, nodes: int) -> tuple[int, int]:
        """Search on for about so many nodes; ``WON``, ``LOST`` or ``SPENT``, and nodes."""
        state, spent = SPENT, 0
        while state == SPENT and spent < nodes:
            self._grow()
            most = min(nodes - spent, self._tree.table.shape[0] // 4)
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
        if 2 * int(self._tree.at[1]) >= slots and slots < _MOST_SLOTS:
            larger = np.zeros((4 * slots, table.shape[1]), np.int64)
            rehash(table, larger)
            self._tree = self._tree._replace(table=larger)
