"""Cards as text for people, and left-to-right parts of right-to-left texts."""

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
"""Text that is read from left to right: code, and sequences of words of cards, digits
and Latin letters."""


def card_text(name: str) -> str:
    """Return a card as text for people: ``TD`` becomes ``10♦``."""
    rank, suit = name[0], name[1]
    return f"{_TEN.get(rank, rank)}{_SUITS[suit]}"


def row_text(names: Iterable[str]) -> str:
    """Return cards as text for people, separated by spaces."""
    return " ".join(map(card_text, names))


def isolate(text: str) -> str:
    """Isolate the left-to-right parts of a right-to-left text (U+2066 to U+2069).

    Without isolation a row of cards, a range of numbers or a path would be shown in the
    opposite order (Unicode Standard Annex 9).
    """
    return _LEFT_TO_RIGHT.sub(f"{_ISOLATE}\\g<0>{_END}", text)
