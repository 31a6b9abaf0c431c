"""Cards as integers, and rows of cards as bytes.

A card is an integer from 0 to 51, ``13 * suit + rank``. Suits are in the order clubs,
diamonds, hearts, spades; ranks go from ace (0) to king (12). A row of cards is
``bytes``, one byte per card, the leftmost first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.engine.errors import CardError

if TYPE_CHECKING:
    from collections.abc import Iterable

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
DECK: Final = bytes(range(52))
"""All 52 cards in ascending order."""

NAMES: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The canonical name of each card, by its number: ``NAMES[9]`` is ``TC``."""

MATCH: Final = tuple(
    bytes(a % 13 == b % 13 or a // 13 == b // 13 for b in DECK) for a in DECK
)
"""``MATCH[a][b]`` is 1 if cards a and b share rank or suit, else 0."""

_SELECTORS: Final = "\N{VARIATION SELECTOR-15}\N{VARIATION SELECTOR-16}"
_SUIT_SYMBOLS: Final = str.maketrans("♣♧♦♢♥♡♠♤", "CCDDHHSS", _SELECTORS)
"""Maps suit symbols to letters, and deletes variation selectors."""
_NUMBERS: Final = {name: card for card, name in enumerate(NAMES)} | {
    f"10{suit}": SUITS.index(suit) * 13 + 9 for suit in SUITS
}
_MAX_LENGTH: Final = 4
"""Characters in the longest spelling: ``10``, a suit symbol, a variation selector."""


def parse_card(text: str) -> int:
    """Parse a card leniently: ``TD``, ``td``, ``10D`` and ``T♦`` are the same card.

    Args:
        text: A rank, then a suit as a letter or as a symbol.

    Returns:
        The number of the card, 0 to 51.

    Raises:
        CardError: The text is not a card.
    """
    spelling = (
        text.translate(_SUIT_SYMBOLS).upper() if len(text) <= _MAX_LENGTH else text
    )
    try:
        return _NUMBERS[spelling]
    except KeyError:
        raise CardError(text) from None


def parse_cards(texts: Iterable[str]) -> bytes:
    """Parse a row of cards, leftmost first.

    Raises:
        CardError: One of the texts is not a card.
    """
    return bytes(map(parse_card, texts))


def name_cards(cards: bytes) -> list[str]:
    """Return the canonical names of a row of cards, leftmost first."""
    return [NAMES[card] for card in cards]
