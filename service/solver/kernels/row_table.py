"""A hash table of positions: the row, six bits a card, and the number of cards dealt.

A key contains the whole position, not a hash of it, so two different positions are
never confused. A table is int64[slots, words], with slots a power of two; the first
word of a free slot is 0. The top four bits of a key's first word contain the stamp
of a search, so that several searches can use a table without clearing it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from service.solver.kernels.rules import Cards, Ints

_PER_WORD: Final = 10
_FORGOTTEN: Final = 1 << 62
"""A bit of a key's first word that is never set in a key with the stamp 0."""
_MIX: Final = -7046029254386353131
_NEAR: Final = 8
"""The number of slots searched for a key in a full table; a power of two."""

FOUND: Final = 0
ADDED: Final = 1
REPLACED: Final = 2


def words_for(cards: int) -> int:
    """Return the length of a key, in words, for rows of up to ``cards`` cards."""
    return -(-(cards + 1) // _PER_WORD)


@njit(nogil=True)
def write_key(key: Ints, row: Cards, size: int, dealt: int, stamp: int) -> None:
    """Write the key of a position.

    Args:
        key: int64[words]; set to the key.
        row: The cards, uint8[>= size].
        size: The number of cards.
        dealt: The number of cards dealt since the search began.
        stamp: The stamp of the search, 0 to 7.
    """
    word = 0
    packed = np.int64(dealt + 1)
    filled = 1
    for place in range(size):
        if filled == _PER_WORD:
            key[word] = packed
            word += 1
            packed = np.int64(0)
            filled = 0
        packed |= (np.int64(row[place]) + 1) << (6 * filled)
        filled += 1
    key[word] = packed
    for rest in range(word + 1, key.shape[0]):
        key[rest] = 0
    key[0] |= stamp << 60


@njit(nogil=True)
def _hash(key: Ints) -> int:
    """Return a hash of the words of a key."""
    mixed = np.int64(0)
    for word in range(key.shape[0]):
        mixed = (mixed ^ key[word]) * _MIX
        mixed ^= (mixed >> 29) & 0x7FFFFFFFF
    return int(mixed)


@njit(nogil=True)
def _holds(table: Ints, slot: int, key: Ints) -> bool:
    """Whether a slot contains a key."""
    same = True
    for word in range(key.shape[0]):
        same = same and table[slot, word] == key[word]
    return same


@njit(nogil=True)
def find_slot(table: Ints, key: Ints) -> int:
    """Return the slot that contains a key, or else the free slot where it belongs."""
    last = table.shape[0] - 1
    slot: int = _hash(key) & last
    while table[slot, 0] != 0 and not _holds(table, slot, key):
        slot = (slot + 1) & last
    return slot


@njit(nogil=True)
def store(table: Ints, key: Ints, stored: int) -> int:
    """Store a key, given the number of keys ``stored`` so far.

    In a table that is three quarters full, the key may replace another.

    Returns:
        ``FOUND`` if the table contains the key already; ``ADDED``, or ``REPLACED``
        if the table is three quarters full.
    """
    if 4 * stored < 3 * table.shape[0]:
        slot = find_slot(table, key)
        if table[slot, 0] != 0:
            return FOUND
        add(table, slot, key)
        return ADDED
    last = table.shape[0] - 1
    mixed = _hash(key)
    for near in range(_NEAR):
        if _holds(table, (mixed + near) & last, key):
            return FOUND
    add(table, (mixed + ((mixed >> 40) & (_NEAR - 1))) & last, key)
    return REPLACED


@njit(nogil=True)
def invalidate(table: Ints, key: Ints, stored: int) -> None:
    """Invalidate a key with the stamp 0, if the table contains it.

    The entry no longer equals any key. ``stored`` is as in ``store``.
    """
    if 4 * stored < 3 * table.shape[0]:
        slot = find_slot(table, key)
        if table[slot, 0] != 0:
            table[slot, 0] |= _FORGOTTEN
        return
    last = table.shape[0] - 1
    first = _hash(key)
    for near in range(_NEAR):
        slot = (first + near) & last
        if _holds(table, slot, key):
            table[slot, 0] |= _FORGOTTEN


@njit(nogil=True)
def add(table: Ints, slot: int, key: Ints) -> None:
    """Write a key into the slot that ``find_slot`` returned."""
    for word in range(key.shape[0]):
        table[slot, word] = key[word]


@njit(nogil=True)
def rehash(old: Ints, new: Ints) -> None:
    """Copy the keys of a table into a larger, empty one."""
    for slot in range(old.shape[0]):
        if old[slot, 0] != 0:
            key = old[slot]
            add(new, find_slot(new, key), key)
