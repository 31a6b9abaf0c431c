"""The Mersenne Twister MT19937, seeded in its two classic ways.

The generator is CPython's own; only its state is set here, so that nothing
about it is random. This is the one place of the engine that imports it.
"""

from __future__ import annotations

import random
from typing import Final

_SIZE: Final = 624
_MULTIPLIER: Final = 1_812_433_253
_WORD: Final = 0xFFFF_FFFF
_STATE_VERSION: Final = 3
"""The layout of the state that ``random.Random.setstate`` takes."""


def from_number(number: int) -> random.Random:
    """Seed with a natural number of any size.

    Its 32-bit words, the lowest first, are what the reference code calls the
    array of ``init_by_array``.
    """
    return random.Random(number)  # noqa: S311 - a deal must be reproducible


def from_word(word: int) -> random.Random:
    """Seed with one 32-bit word (``init_genrand`` of the reference code)."""
    state = [word]
    for i in range(1, _SIZE):
        last = state[-1]
        state.append((_MULTIPLIER * (last ^ last >> 30) + i) & _WORD)
    generator = random.Random(0)  # noqa: S311 - a deal must be reproducible
    generator.setstate((_STATE_VERSION, (*state, _SIZE), None))
    return generator
