"""The source ``solvitaire``: the seeds of Solvitaire's option ``--random``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.engine.cards import RANKS, SUITS
from service.engine.deals.mersenne import from_word
from service.engine.deals.source import Draws, Source
from service.engine.errors import SeedError

if TYPE_CHECKING:
    from collections.abc import Callable

_BITS: Final = 32
_MAX_LENGTH: Final = len(str(1 << _BITS))
_DECK: Final = bytes(
    SUITS.index(suit) * len(RANKS) + rank
    for rank in range(len(RANKS))
    for suit in "CHSD"
)


def _draws(seed: str) -> Draws:
    """Start the draws of a seed.

    Raises:
        SeedError: The seed is not a number below 2^32 in decimal digits.
    """
    generator = from_word(_read(seed))

    def below(bound: int) -> int:
        """Draw a number from 0 to ``bound - 1``, by buckets of equal size."""
        bucket = (1 << _BITS) // bound
        while (draw := generator.getrandbits(_BITS) // bucket) >= bound:
            pass
        return draw

    return Draws(below, _DECK, from_end=True)


def _read(seed: str) -> int:
    decimal = seed.isascii() and seed.isdigit() and len(seed) <= _MAX_LENGTH
    if not decimal or int(seed) >= 1 << _BITS:
        raise SeedError("integer-range", least=0, most=(1 << _BITS) - 1)
    return int(seed)


def _random_seed(bits: Callable[[int], int]) -> str:
    return str(bits(_BITS))


SOURCE: Final = Source("solvitaire", 3, _draws, _random_seed, is_guessable=True)
