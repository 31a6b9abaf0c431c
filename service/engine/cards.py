"""Cards: small integers in rows of bytes.

A card is an integer from 0 to 51, ``13 * suit + rank``, with the suits in the
order clubs, diamonds, hearts, spades and the ranks from ace to king. A row of
cards is ``bytes``, a card a byte, the leftmost first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.engine.errors import CardError

if TYPE_CHECKING:
    from collections.abc import Iterable

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
DECK: Final = bytes(range(52))
"""All cards, ace to king of clubs, diamonds, hearts, spades."""

NAMES: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The canonical name of every card, by its number."""

MATCH: Final = tuple(
    bytes(a % 13 == b % 13 or a // 13 == b // 13 for b in DECK) for a in DECK
)
"""``MATCH[a][b]`` is 1 when the cards share rank or suit, else 0."""

_SELECTORS: Final = "\N{VARIATION SELECTOR-15}\N{VARIATION SELECTOR-16}"
_SUIT_SYMBOLS: Final = str.maketrans("♣♧♦♢♥♡♠♤", "CCDDHHSS", _SELECTORS)
"""Symbols as letters; the selectors of how a symbol is shown are left out."""
_NUMBERS: Final = {name: card for card, name in enumerate(NAMES)} | {
    f"10{suit}": SUITS.index(suit) * 13 + 9 for suit in SUITS
}
_LONGEST: Final = 4
"""Characters in the longest spelling: ``10`` and a symbol with its selector."""


def parse_card(text: str) -> int:
    """Read a card leniently: ``TD``, ``td``, ``10D``, ``T♦`` are one card.

    Args:
        text: A rank, then a suit as a letter or as a symbol.

    Returns:
        The number of the card, 0 to 51.

    Raises:
        CardError: The text is no card.
    """
    spelling = text.translate(_SUIT_SYMBOLS).upper() if len(text) <= _LONGEST else text
    try:
        return _NUMBERS[spelling]
    except KeyError:
        raise CardError(text) from None


def parse_cards(texts: Iterable[str]) -> bytes:
    """Read a row of cards, leftmost first.

    Raises:
        CardError: One of the texts is no card.
    """
    return bytes(map(parse_card, texts))


def name_cards(cards: bytes) -> list[str]:
    """Write a row of cards in canonical names, leftmost first."""
    return [NAMES[card] for card in cards]
