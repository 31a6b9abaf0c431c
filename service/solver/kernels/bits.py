"""Sets of small numbers, each a bit of a word."""

from __future__ import annotations

from numba import njit


@njit(nogil=True, inline="always")
def bits(word: int) -> int:
    """Count the bits of a word that is not negative.

    ``bits((word & -word) - 1)`` is the index of the lowest bit.
    """
    word -= (word >> 1) & 0x5555555555555555
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (word * 0x0101010101010101) >> 56
