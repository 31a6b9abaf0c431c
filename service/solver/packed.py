"""The end of a game, exhaustively: rows of up to fifteen cards in one word.

The cards of the row are labelled 1 to 15, leftmost first; a row is an int64
with the label of the leftmost card in its lowest four bits, and zeros above
the last. A word is therefore the whole row and not a digest of it, so a table
of words can never take one row for another, and a search that ends has proved
what it says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numba import njit

from service.solver.tables import ANY, REMOVE_PAIR

if TYPE_CHECKING:
    from service.solver.tables import Cards, Ints, Rules

MOST: Final = 15
"""The longest row that fits."""
_SLOTS: Final = 1 << 14
_STAMPS: Final = 7
_PHI: Final = np.array([1000 // (others + 1) for others in range(MOST + 1)], np.int64)
"""How badly a card with so many possible coverers to its right is placed."""

WON: Final = 1
LOST: Final = 0
SPENT: Final = -1


class Scratch(NamedTuple):
    """Memory of the search, to be used again for the next row.

    Attributes:
        table: int64[_SLOTS], the rows seen: a word and, in its highest four
            bits, the stamp of the search that saw it.
        stamp: int64[2], the stamp in use and the slots taken.
        coverers: int64[16]; bit a of ``coverers[b]``: label a may move onto b.
        matches: int64[16]; bit a of ``matches[b]``: labels a and b match.
        rows: int64[16, 64], the rows to be tried, by their length.
        made: int64[16, 64], the moves that made them, 64 x origin + target.
        left: int64[17], how many of them are left.
        path: int64[16], the move that made the row being tried, by its length.
        keys: int64[64], the values of the moves of one row.
        gain: int64[16], scratch by label.
        loss: int64[16], scratch by place.
    """

    table: Ints
    stamp: Ints
    coverers: Ints
    matches: Ints
    rows: Ints
    made: Ints
    left: Ints
    path: Ints
    keys: Ints
    gain: Ints
    loss: Ints


def scratch() -> Scratch:
    """Allocate the memory: a quarter of a megabyte."""
    wide, long = MOST + 1, 64
    return Scratch(
        table=np.zeros(_SLOTS, np.int64),
        stamp=np.zeros(2, np.int64),
        coverers=np.zeros(wide, np.int64),
        matches=np.zeros(wide, np.int64),
        rows=np.zeros((wide, long), np.int64),
        made=np.zeros((wide, long), np.int64),
        left=np.zeros(wide + 1, np.int64),
        path=np.zeros(wide, np.int64),
        keys=np.zeros(long, np.int64),
        gain=np.zeros(wide, np.int64),
        loss=np.zeros(wide, np.int64),
    )


@njit(cache=True, nogil=True, inline="always")
def _bits(word: int) -> int:
    """Count the bits of a word of at most 16."""
    word -= (word >> 1) & 0x5555
    word = (word & 0x3333) + ((word >> 2) & 0x3333)
    word = (word + (word >> 4)) & 0x0F0F
    return (word + (word >> 8)) & 31


@njit(cache=True, nogil=True, inline="always")
def _without(word: int, place: int) -> int:
    """Take the card at a place out of a row."""
    below = (1 << (4 * place)) - 1
    return (word & below) | ((word >> 4) & ~below)


@njit(cache=True, nogil=True)
def _pack(rules: Rules, row: Cards, size: int, mem: Scratch) -> int:
    word = 0
    for place in range(size):
        word |= (place + 1) << (4 * place)
        mem.coverers[place + 1] = 0
        mem.matches[place + 1] = 0
        for other in range(size):
            bit = 1 << (other + 1)
            if (rules.partners[row[place]] >> row[other]) & 1 and other != place:
                mem.coverers[place + 1] |= bit
            if (rules.matches[row[place]] >> row[other]) & 1:
                mem.matches[place + 1] |= bit
    return word


@njit(cache=True, nogil=True)
def _seen(mem: Scratch, word: int) -> bool:
    """Look a row up, and note it."""
    last = mem.table.shape[0] - 1
    stamped = word | (mem.stamp[0] << 60)
    slot = ((word * -7046029254386353131) >> 33) & last
    while mem.table[slot] != 0:
        if mem.table[slot] == stamped:
            return True
        slot = (slot + 1) & last
    mem.table[slot] = stamped
    mem.stamp[1] += 1
    return False


@njit(cache=True, nogil=True)
def _weigh(mem: Scratch, word: int, size: int) -> None:
    """Value each card as one to be covered: put in ``loss``, lower is better.

    A card counts the more, the fewer cards to its right could cover it; it is
    a loss, too, when covering it takes a coverer from cards to its left.
    """
    to_right = 0
    for place in range(size - 1, -1, -1):
        label = (word >> (4 * place)) & 15
        others = _bits(mem.coverers[label] & to_right)
        to_right |= 1 << label
        mem.loss[place] = -_PHI[others]
        mem.gain[label] = _PHI[max(others - 1, 0)] - _PHI[others]
    to_left = 0
    for place in range(size):
        label = (word >> (4 * place)) & 15
        others = mem.coverers[label] & to_left
        while others:
            low = others & -others
            others ^= low
            mem.loss[place] += mem.gain[_bits(low - 1)]
        to_left |= 1 << label


@njit(cache=True, nogil=True)
def _is_hopeless(rules: Rules, mem: Scratch, word: int) -> bool:
    """Whether the groups of a row prove it lost; the argument is in ``exact``."""
    unreached = 0
    while word:
        unreached |= 1 << (word & 15)
        word >>= 4
    groups = 0
    while unreached:
        edge = unreached & -unreached
        unreached ^= edge
        members = 0
        while edge:
            label = _bits((edge & -edge) - 1)
            edge &= edge - 1
            found = mem.matches[label] & unreached
            unreached ^= found
            edge |= found
            members += 1
        groups += members & 1 if rules.effect == REMOVE_PAIR else 1
    return groups > rules.goal_length


@njit(cache=True, nogil=True)
def _expand(rules: Rules, mem: Scratch, word: int, size: int) -> int:
    """Put the rows one move away in ``rows``, the most promising last."""
    pair = rules.effect == REMOVE_PAIR
    after = size - 2 if pair else size - 1
    rows = mem.rows[after]
    made = mem.made[after]
    count = 0
    for origin in range(size - 1, -1, -1):
        top = (word >> (4 * origin)) & 15
        for offset in rules.offsets:
            target = origin - offset
            if target < 0 or target >= size:
                continue
            under = (word >> (4 * target)) & 15
            if not (mem.coverers[under] >> top) & 1:
                continue
            value = mem.loss[target]
            if pair:
                value += mem.loss[origin]
                row = _without(_without(word, origin), target)
            else:
                row = _without(word ^ ((top ^ under) << (4 * target)), origin)
            place = count
            while place > 0 and mem.keys[place - 1] < value:
                mem.keys[place] = mem.keys[place - 1]
                rows[place] = rows[place - 1]
                made[place] = made[place - 1]
                place -= 1
            mem.keys[place] = value
            rows[place] = row
            made[place] = 64 * origin + target
            count += 1
    mem.left[after] = count
    return after


@njit(cache=True, nogil=True)
def finish(
    rules: Rules, row: Cards, size: int, limit: int, mem: Scratch
) -> tuple[int, int]:
    """Search a row exhaustively, for games that stack or remove pairs.

    Args:
        rules: The variant.
        row: The cards, uint8[>= size].
        size: How many there are, at most ``MOST``.
        limit: The rows to be looked at before the search is given up.
        mem: Memory; after a win its ``path`` tells the moves by the length
            of the row that each left.

    Returns:
        ``WON``, ``LOST`` (proved) or ``SPENT``, and the rows looked at.
    """
    if mem.stamp[0] >= _STAMPS or mem.stamp[1] + limit > mem.table.shape[0] // 2:
        mem.table[:] = 0
        mem.stamp[:] = 0
    mem.stamp[0] += 1
    keeper = 0
    for place in range(size):
        if row[place] == rules.first:
            keeper = place + 1
    mem.left[:] = 0
    mem.rows[size, 0] = _pack(rules, row, size, mem)
    mem.left[size] = 1
    level = size
    nodes = 0
    while True:
        while mem.left[level] == 0:
            level += 1
            if level > size:
                return LOST, nodes
        mem.left[level] -= 1
        word = mem.rows[level, mem.left[level]]
        mem.path[level] = mem.made[level, mem.left[level]]
        if level == rules.goal_length:
            if rules.first == ANY or word == keeper:
                return WON, nodes
            continue
        if level < rules.goal_length or _seen(mem, word):
            continue
        nodes += 1
        if nodes > limit:
            return SPENT, nodes
        if not _is_hopeless(rules, mem, word):
            _weigh(mem, word, level)
            level = _expand(rules, mem, word, level)
