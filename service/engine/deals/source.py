"""What makes a source of deals: one small frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Draws(Protocol):
    """The random draws of one seed, in their order."""

    def row(self) -> bytes:
        """Shuffle the whole deck, once, and lay it out."""

    def card(self) -> int:
        """Draw one card of 52, whichever were drawn before."""


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
