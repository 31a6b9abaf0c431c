"""A table of whole positions: rows of cards, six bits a card, and the cards dealt.

A key holds the position itself and not a digest of it, so two positions are
never taken for one. A table is int64[slots, words] with slots a power of two;
a zero word starts a free slot. The top four bits of a key's first word are
free for the stamp of a search, so that a table need not be cleared for each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from service.solver.kernels.rules import Cards, Ints

_PER_WORD: Final = 10
_MIX: Final = -7046029254386353131
_NEAR: Final = 8
"""The slots in which a full table looks for a key; a power of two."""

SEEN: Final = 0
ADDED: Final = 1
REPLACED: Final = 2


def words_for(cards: int) -> int:
    """Return the words of a key for rows of up to so many cards."""
    return -(-(cards + 1) // _PER_WORD)


@njit(cache=True, nogil=True)
def write_key(key: Ints, row: Cards, size: int, dealt: int, stamp: int) -> None:
    """Write the key of a position.

    Args:
        key: Gets it, int64[words].
        row: The cards, uint8[>= size].
        size: How many there are.
        dealt: The cards dealt since the search began.
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


@njit(cache=True, nogil=True)
def _holds(table: Ints, slot: int, key: Ints) -> bool:
    """Whether a slot has a key."""
    same = True
    for word in range(key.shape[0]):
        same = same and table[slot, word] == key[word]
    return same


@njit(cache=True, nogil=True)
def _mix(key: Ints) -> int:
    """Mix the words of a key into one."""
    mixed = 0
    for word in range(key.shape[0]):
        mixed = (mixed ^ key[word]) * _MIX
        mixed ^= (mixed >> 29) & 0x7FFFFFFFF
    return int(mixed)


@njit(cache=True, nogil=True)
def find_slot(table: Ints, key: Ints) -> int:
    """Return the slot of a key: where it is, or where it would go."""
    last = table.shape[0] - 1
    slot: int = _mix(key) & last
    while table[slot, 0] != 0 and not _holds(table, slot, key):
        slot = (slot + 1) & last
    return slot


@njit(cache=True, nogil=True)
def note(table: Ints, key: Ints, noted: int) -> int:
    """Note a key; where the table is nearly full, it replaces an earlier one.

    Args:
        table: The table.
        key: The key.
        noted: How many keys were added to the table.

    Returns:
        ``SEEN`` when the table has the key already, ``ADDED``, or ``REPLACED``.
    """
    if 4 * noted < 3 * table.shape[0]:
        slot = find_slot(table, key)
        if table[slot, 0] != 0:
            return SEEN
        add(table, slot, key)
        return ADDED
    last = table.shape[0] - 1
    mixed = _mix(key)
    for near in range(_NEAR):
        slot = (mixed + near) & last
        if _holds(table, slot, key):
            return SEEN
    add(table, (mixed + ((mixed >> 40) & (_NEAR - 1))) & last, key)
    return REPLACED


@njit(cache=True, nogil=True)
def add(table: Ints, slot: int, key: Ints) -> None:
    """Put a key in its slot."""
    for word in range(key.shape[0]):
        table[slot, word] = key[word]


@njit(cache=True, nogil=True)
def rehash(old: Ints, new: Ints) -> None:
    """Copy a table into a larger, empty one."""
    for slot in range(old.shape[0]):
        if old[slot, 0] != 0:
            key = old[slot]
            add(new, find_slot(new, key), key)
