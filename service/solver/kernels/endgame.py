"""The end of a game, exhaustively: rows of up to fifteen cards in one word.

The cards of the row are labelled 1 to 15, leftmost first; a row is an int64
with the label of the leftmost card in its lowest four bits, and zeros above
the last. A word is therefore the whole row and not a digest of it, so a table
of words can never take one row for another, and a search that ends has proved
what it says.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numba import njit

from service.solver.kernels.bits import bits
from service.solver.kernels.rules import ANY, REMOVE_PAIR

if TYPE_CHECKING:
    from service.solver.kernels.rules import Cards, Ints, Rules

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


_OF_THREAD = threading.local()


def scratch() -> Scratch:
    """Return the thread's own memory, so that a search allocates none."""
    mem: Scratch | None = getattr(_OF_THREAD, "mem", None)
    if mem is None:
        mem = _OF_THREAD.mem = _allocate()
    return mem


def _allocate() -> Scratch:
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
def _without(word: int, place: int) -> int:
    """Take the card at a place out of a row."""
    below = (1 << (4 * place)) - 1
    return (word & below) | ((word >> 4) & ~below)


@njit(cache=True, nogil=True)
def _pack(rules: Rules, row: Cards, size: int, coverers: Ints, matches: Ints) -> int:
    """Label a row; returns its word."""
    word = 0
    for place in range(size):
        word |= (place + 1) << (4 * place)
        coverers[place + 1] = 0
        matches[place + 1] = 0
        for other in range(size):
            bit = 1 << (other + 1)
            if (rules.partners[row[place]] >> row[other]) & 1 and other != place:
                coverers[place + 1] |= bit
            if (rules.matches[row[place]] >> row[other]) & 1:
                matches[place + 1] |= bit
    return word


@njit(cache=True, nogil=True)
def _seen(table: Ints, stamp: Ints, word: int) -> bool:
    """Look a row up, and note it."""
    last = table.shape[0] - 1
    stamped = word | (stamp[0] << 60)
    slot = ((word * -7046029254386353131) >> 33) & last
    while table[slot] != 0:
        if table[slot] == stamped:
            return True
        slot = (slot + 1) & last
    table[slot] = stamped
    stamp[1] += 1
    return False


@njit(cache=True, nogil=True)
def _is_hopeless(matches: Ints, word: int, goal_length: int, pairs: bool) -> bool:  # noqa: FBT001
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
            label = bits((edge & -edge) - 1)
            edge &= edge - 1
            found = matches[label] & unreached
            unreached ^= found
            edge |= found
            members += 1
        groups += members & 1 if pairs else 1
    return groups > goal_length


@njit(cache=True, nogil=True)
def _weigh(coverers: Ints, gain: Ints, loss: Ints, word: int, size: int) -> None:
    """Value each card as one to be covered: put in ``loss``, lower is better.

    A card counts the more, the fewer cards to its right could cover it; it is
    a loss, too, when covering it takes a coverer from cards to its left.
    """
    to_right = 0
    for place in range(size - 1, -1, -1):
        label = (word >> (4 * place)) & 15
        others = bits(coverers[label] & to_right)
        to_right |= 1 << label
        loss[place] = -_PHI[others]
        gain[label] = _PHI[max(others - 1, 0)] - _PHI[others]
    to_left = 0
    for place in range(size):
        label = (word >> (4 * place)) & 15
        others = coverers[label] & to_left
        while others:
            loss[place] += gain[bits((others & -others) - 1)]
            others &= others - 1
        to_left |= 1 << label


@njit(cache=True, nogil=True)
def _expand(
    offsets: Ints,
    coverers: Ints,
    loss: Ints,
    keys: Ints,
    rows: Ints,
    made: Ints,
    word: int,
    size: int,
    pairs: bool,  # noqa: FBT001
) -> int:
    """List the rows one move away, the most promising last; returns their number."""
    count = 0
    for origin in range(size - 1, -1, -1):
        top = (word >> (4 * origin)) & 15
        for offset in offsets:
            target = origin - offset
            if target < 0 or target >= size:
                continue
            under = (word >> (4 * target)) & 15
            if not (coverers[under] >> top) & 1:
                continue
            value = loss[target]
            if pairs:
                value += loss[origin]
                row = _without(_without(word, origin), target)
            else:
                row = _without(word ^ ((top ^ under) << (4 * target)), origin)
            place = count
            while place > 0 and keys[place - 1] < value:
                keys[place] = keys[place - 1]
                rows[place] = rows[place - 1]
                made[place] = made[place - 1]
                place -= 1
            keys[place] = value
            rows[place] = row
            made[place] = 64 * origin + target
            count += 1
    return count


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
    # A tuple of arrays handed to an inner kernel costs more than its work.
    table, stamp, coverers, matches = mem.table, mem.stamp, mem.coverers, mem.matches
    gain, loss, left, path = mem.gain, mem.loss, mem.left, mem.path
    goal_length, pairs = rules.goal_length, rules.effect == REMOVE_PAIR
    if stamp[0] >= _STAMPS or stamp[1] + limit > table.shape[0] // 2:
        table[:] = 0
        stamp[:] = 0
    stamp[0] += 1
    left[:] = 0
    left[size] = 1
    mem.rows[size, 0] = _pack(rules, row, size, coverers, matches)
    level = size
    nodes = 0
    while True:
        while left[level] == 0:
            level += 1
            if level > size:
                return LOST, nodes
        left[level] -= 1
        word = mem.rows[level, left[level]]
        path[level] = mem.made[level, left[level]]
        if level == goal_length:
            if rules.first == ANY or row[word - 1] == rules.first:
                return WON, nodes
            continue
        if level < goal_length or _seen(table, stamp, word):
            continue
        nodes += 1
        if nodes > limit:
            return SPENT, nodes
        if _is_hopeless(matches, word, goal_length, pairs):
            continue
        _weigh(coverers, gain, loss, word, level)
        after = level - 2 if pairs else level - 1
        left[after] = _expand(
            rules.offsets,
            coverers,
            loss,
            mem.keys,
            mem.rows[after],
            mem.made[after],
            word,
            level,
            pairs,
        )
        level = after
