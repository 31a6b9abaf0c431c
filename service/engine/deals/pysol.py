"""The source ``pysol``: PySolFC's game numbers, written as PySolFC accepts them.

Numbers below 32000, and those after ``ms``, are dealt with the generator of Microsoft's
games; all others with the Mersenne Twister.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from service.engine.cards import RANKS, SUITS
from service.engine.deals.mersenne import from_number
from service.engine.deals.source import Draws, Source
from service.engine.errors import SeedError

if TYPE_CHECKING:
    from collections.abc import Callable

_MS_TEXT: Final = re.compile(r"ms([0-9]+)")
_IGNORED: Final = re.compile(r"[\s#\-_.,]")
_MS_LIMIT: Final = 32_000
"""Numbers without ``ms`` use the Microsoft generator if they are below this."""
_RANDOM_BITS: Final = 128
_MS_LAST: Final = (1 << 33) - 1

_N_RANKS: Final = len(RANKS)
_MS_DECK: Final = bytes(
    suit * _N_RANKS + rank for rank in range(_N_RANKS) for suit in range(len(SUITS))
)
_MT_SUITS: Final = tuple(map(SUITS.index, "CSHD"))
_MT_DECK: Final = bytes(
    suit * _N_RANKS + rank for suit in _MT_SUITS for rank in range(_N_RANKS)
)


class _PysolDraws(Draws):
    """Draws that draw a card in two steps."""

    def card(self) -> int:
        """Draw a suit, in the order C S H D, then a rank, ace to king."""
        suit = _MT_SUITS[self.below(len(SUITS))]
        return suit * _N_RANKS + self.below(_N_RANKS)


def _draws(seed: str) -> Draws:
    """Start the draws of a game number.

    Raises:
        SeedError: PySolFC would not accept the text.
    """
    number, microsoft = _read_number(seed)
    if microsoft:
        return _PysolDraws(_microsoft(number), _MS_DECK, from_end=True)
    return _PysolDraws(_mersenne(number), _MT_DECK, from_end=True)


def _read_number(seed: str) -> tuple[int, bool]:
    """Parse a game number.

    Returns:
        The number, and whether it uses the Microsoft generator.

    Raises:
        SeedError: PySolFC would not accept the text.
    """
    explicit = _MS_TEXT.fullmatch(seed)
    text = explicit[1] if explicit else _IGNORED.sub("", seed.removesuffix("L").lower())
    try:
        number = int(text)
    except ValueError:
        raise SeedError("seed-pysol", most=_MS_LAST) from None
    last = _MS_LAST if explicit else number
    if not 1 <= number <= last:
        raise SeedError("seed-pysol", most=_MS_LAST)
    return number, explicit is not None or number < _MS_LIMIT


def show(seed: str) -> str:
    """Return a game number as PySolFC shows it.

    Raises:
        SeedError: PySolFC would not accept the text.
    """
    number, microsoft = _read_number(seed)
    return f"ms{number}" if microsoft else f"{number:020}"


def _microsoft(seed: int) -> Callable[[int], int]:
    """Draw with the congruential generator of Microsoft's C library.

    Its extension to seeds of 32 and 33 bits is PySolFC's.
    """
    state = seed - (1 << 32) if seed >= 1 << 32 else seed

    def below(bound: int) -> int:
        nonlocal state
        state = (state * 214013 + 2531011) % (1 << 32)
        high = state >> 16
        if seed < 1 << 31:
            return (high & 0x7FFF) % bound
        if seed < 1 << 32:
            return (high | 0x8000) % bound
        return (high + 1) % bound

    return below


def _mersenne(seed: int) -> Callable[[int], int]:
    generator = from_number(seed)

    def below(bound: int) -> int:
        return int(generator.random() * bound)

    return below


def _random_seed(bits: Callable[[int], int]) -> str:
    return str(bits(_RANDOM_BITS) + _MS_LIMIT)


SOURCE: Final = Source("pysol", 2, _draws, _random_seed)
