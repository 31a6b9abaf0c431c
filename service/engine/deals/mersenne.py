"""The Mersenne Twister MT19937, seeded as in the two functions of its reference code.

The generator is CPython's, always seeded from an argument. No other module of the
engine imports ``random``.
"""

from __future__ import annotations

import random
from typing import Final

_SIZE: Final = 624
_MULTIPLIER: Final = 1_812_433_253
_WORD: Final = 0xFFFF_FFFF
_STATE_VERSION: Final = 3
"""The version of the state that ``random.Random.setstate`` takes."""


def from_number(number: int) -> random.Random:
    """Seed with a natural number of any size.

    This is ``init_by_array`` of the reference code with the number's 32-bit words, the
    lowest first.
    """
    return random.Random(number)  # noqa: S311 - a deal must be reproducible


def from_word(word: int) -> random.Random:
    """Seed with a 32-bit word: ``init_genrand`` of the reference code."""
    state = [word]
    for i in range(1, _SIZE):
        last = state[-1]
        state.append((_MULTIPLIER * (last ^ last >> 30) + i) & _WORD)
    generator = random.Random(0)  # noqa: S311 - a deal must be reproducible
    generator.setstate((_STATE_VERSION, (*state, _SIZE), None))
    return generator
