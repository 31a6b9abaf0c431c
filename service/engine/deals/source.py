"""What makes a source of deals: one small frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.engine.cards import DECK

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Draws:
    """The random draws of one seed, in their order.

    Attributes:
        below: Draws a number below its argument.
        deck: The deck that is shuffled.
        from_end: Whether the shuffled deck is dealt from its end.
    """

    below: Callable[[int], int]
    deck: bytes = DECK
    from_end: bool = False

    def row(self) -> bytes:
        """Shuffle the whole deck, once, and lay it out."""
        deck, below = bytearray(self.deck), self.below
        for last in range(len(deck) - 1, 0, -1):
            j = below(last + 1)
            deck[last], deck[j] = deck[j], deck[last]
        return bytes(reversed(deck) if self.from_end else deck)

    def card(self) -> int:
        """Draw one card of 52, whichever were drawn before."""
        return self.below(len(DECK))


@dataclass(frozen=True, slots=True)
class Source:
    """What turns a seed into draws.

    Attributes:
        key: The name of the source in the API.
        code: Its number in stored games, from 1; no number is ever used again.
        draws: Starts the draws of a seed; raises SeedError for what is not a seed.
        random_seed: Makes a random seed; its argument returns so many random bits.
        is_guessable: Whether its seeds are so few that a digest gives them away.
    """

    key: str
    code: int
    draws: Callable[[str], Draws]
    random_seed: Callable[[Callable[[int], int]], str]
    is_guessable: bool = False
