"""Sets of small numbers, stored as the bits of a word."""

from __future__ import annotations

from numba import njit


@njit(nogil=True, inline="always")
def bits(word: int) -> int:
    """Count the bits that are set in a word, which must not be negative.

    ``bits((word & -word) - 1)`` is the index of the lowest bit that is set.
    """
    word -= (word >> 1) & 0x5555555555555555
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (word * 0x0101010101010101) >> 56
