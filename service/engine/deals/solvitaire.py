"""The source ``solvitaire``: the numbers of Solvitaire's ``--random``."""

from __future__ import annotations

from typing import Final

from service.engine.cards import RANKS, SUITS
from service.engine.deals.mersenne import from_word
from service.engine.deals.source import Source
from service.engine.errors import SeedError

_KEY: Final = "solvitaire"

_BITS: Final = 32
_LONGEST: Final = len(str(1 << _BITS))
_DECK: Final = bytes(
    SUITS.index(suit) * len(RANKS) + rank
    for rank in range(len(RANKS))
    for suit in "CHSD"
)


class Draws:
    """The draws of one number.

    Raises:
        SeedError: The seed is not a 32-bit number in decimal digits.
    """

    def __init__(self, seed: str) -> None:
        self._generator = from_word(_read(seed))

    def row(self) -> bytes:
        """Shuffle the deck; the row is dealt from its end."""
        deck = bytearray(_DECK)
        for last in range(len(deck) - 1, 0, -1):
            j = self._below(last + 1)
            deck[last], deck[j] = deck[j], deck[last]
        return bytes(reversed(deck))

    def card(self) -> int:
        """Draw one card of 52."""
        return self._below(len(_DECK))

    def _below(self, bound: int) -> int:
        """Draw a number below ``bound`` by buckets of equal size."""
        bucket = (1 << _BITS) // bound
        while True:
            draw = self._generator.getrandbits(_BITS) // bucket
            if draw < bound:
                return draw


def _read(seed: str) -> int:
    decimal = seed.isascii() and seed.isdigit() and len(seed) <= _LONGEST
    if not decimal or int(seed) >= 1 << _BITS:
        raise SeedError("integer-range", least=0, most=(1 << _BITS) - 1)
    return int(seed)


SOURCE: Final = Source(_KEY, 3, Draws, lambda bits: str(bits(_BITS)), is_guessable=True)
