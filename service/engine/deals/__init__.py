"""Deals: from a seed to a row of cards, the same on every machine.

docs/deals.md has the algorithms of the sources.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from service.engine.deals import accordion, pysol, solvitaire
from service.engine.errors import UnknownSourceError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.engine.deals.source import Draws, Source
    from service.engine.ruleset import Ruleset

DEFAULT_SOURCE: Final = accordion.SOURCE.key


SOURCES: Final[Mapping[str, Source]] = MappingProxyType(
    {
        source.key: source
        for source in (accordion.SOURCE, pysol.SOURCE, solvitaire.SOURCE)
    }
)
"""All sources of deals by key."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal.

    Attributes:
        cards: The cards in the order of dealing.
        goal: The goal card if the variant names one, else None.
    """

    cards: bytes
    goal: int | None


def deal(ruleset: Ruleset, seed: str, source: str = DEFAULT_SOURCE) -> Dealt:
    """Deal the cards of a seed for a variant.

    Raises:
        UnknownSourceError: There is no such source.
        SeedError: The text is not a seed of the source.
    """
    if source not in SOURCES:
        raise UnknownSourceError(source)
    draws = SOURCES[source].draws(seed)
    row = draws.row()
    goal = _draw_goal(draws, row) if ruleset.names_goal else None
    return Dealt(_pin(row, ruleset.pins)[: ruleset.deck_size], goal)


def _draw_goal(draws: Draws, row: bytes) -> int:
    """Draw a goal card that is not one of the first two cards of the row."""
    while True:
        card = draws.card()
        if card not in row[:2]:
            return card


def _pin(row: bytes, pins: tuple[int, int] | None) -> bytes:
    """Move the pinned cards to the ends of the row."""
    if pins is None:
        return row
    first, last = pins
    return bytes([first, *(c for c in row if c not in pins), last])
