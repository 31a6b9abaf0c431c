"""How cards are written for people, and kept in order in text from right to left."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_SUITS: Final = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
_TEN: Final = {"T": "10"}

_ISOLATE: Final = "\u2066"
_END: Final = "\u2069"
_WORD: Final = r"[0-9A-Za-z♣♦♥♠]+(?:[-./:,'\u2019][0-9A-Za-z♣♦♥♠]+)*%?"
_LEFT_TO_RIGHT: Final = re.compile(rf"`[^`]*`|{_WORD}(?: (?:\+ )?{_WORD})*")
"""What is read from left to right: code, and words of cards, digits and Latin
letters that follow each other."""


def card_text(name: str) -> str:
    """Write a card for people: ``TD`` becomes ``10♦``."""
    rank, suit = name[0], name[1]
    return f"{_TEN.get(rank, rank)}{_SUITS[suit]}"


def row_text(names: Iterable[str]) -> str:
    """Write cards for people, in their order, with a space between them."""
    return " ".join(map(card_text, names))


def isolate(text: str) -> str:
    """Isolate what is read from left to right in a text from right to left.

    Without it a row of cards, a range of numbers or a path would be shown in the
    opposite order (Unicode Standard Annex 9).
    """
    return _LEFT_TO_RIGHT.sub(f"{_ISOLATE}\\g<0>{_END}", text)
