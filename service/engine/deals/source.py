"""The definition of a source of deals as one immutable value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.engine.cards import DECK

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Draws:
    """The random draws of a seed; each call makes the next draw.

    Attributes:
        below: Draws a number from 0 to its argument less one.
        deck: The deck before it is shuffled.
        from_end: Whether the shuffled deck is dealt from its end.
    """

    below: Callable[[int], int]
    deck: bytes = DECK
    from_end: bool = False

    def row(self) -> bytes:
        """Shuffle the deck; return all 52 cards in the order of dealing."""
        deck, below = bytearray(self.deck), self.below
        for last in range(len(deck) - 1, 0, -1):
            j = below(last + 1)
            deck[last], deck[j] = deck[j], deck[last]
        return bytes(reversed(deck) if self.from_end else deck)

    def card(self) -> int:
        """Draw one of the 52 cards; a card may be drawn again."""
        return self.below(len(DECK))


@dataclass(frozen=True, slots=True)
class Source:
    """A source of deals.

    Attributes:
        key: The name of the source in the API.
        code: The number of the source in stored games, from 1; never reused.
        draws: Starts the draws of a seed; raises ``SeedError`` if the text is not one.
        random_seed: Makes a random seed; its argument returns a number of random bits.
        is_guessable: Whether a seed can be found from its digest by trying all seeds.
    """

    key: str
    code: int
    draws: Callable[[str], Draws]
    random_seed: Callable[[Callable[[int], int]], str]
    is_guessable: bool = False
