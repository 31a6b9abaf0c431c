"""How often each variant can be won and how long it takes, in words.

The counts are those of docs/winnability.md, which says how they were measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from babel.numbers import format_decimal, format_percent

from service.engine.ruleset import Layout
from service.texts.catalogue import catalogue_of, english_texts, translate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.engine.ruleset import Ruleset


class Odds(NamedTuple):
    """What was measured of a variant, in the open layout.

    Attributes:
        deals: The deals that were tried.
        won: Those for which a winning line was found.
        unknown: Those that were neither won nor proved lost.
        minutes: The least and the most minutes that a game usually takes.
    """

    deals: int
    won: int
    unknown: int = 0
    minutes: tuple[int, int] = (5, 10)

    @property
    def share(self) -> float:
        """The share of deals that were won, 0 to 1."""
        return self.won / self.deals


ODDS: Final[Mapping[str, Odds]] = {
    "accordion": Odds(1_000_000, 1_000_000),
    "accordion-bidirectional": Odds(100_000, 100_000),
    "accordions-revenge": Odds(10_000, 9_995, unknown=5),
    "23-skidoo": Odds(100_000, 100_000),
    "late-binding": Odds(100_000, 47_006, minutes=(2, 5)),
    "bayan": Odds(100_000, 100_000),
    "push-pin": Odds(100_000, 29_096),
    "royal-marriage": Odds(100_000, 98_722),
    "nizhni-novgorod": Odds(100_000, 41_993),
    "decade": Odds(100_000, 86_167),
    "seven-up": Odds(100_000, 99_885),
}
"""What was measured, by variant."""

COMPULSORY_SHARE: Final = 0.005
"""The share of games of compulsory Accordion that are won by following the hints."""


def odds_text(ruleset: Ruleset, language: str) -> str:
    """Write the odds of a variant."""
    odds = ODDS[ruleset.key]
    least, most = odds.minutes
    return translate(
        _key(ruleset, odds),
        language,
        deals=format_decimal(odds.deals, locale=catalogue_of(language).locale),
        share=_percent(odds.share, language),
        compulsory=_percent(COMPULSORY_SHARE, language),
        least=least,
        most=most,
    )


def _key(ruleset: Ruleset, odds: Odds) -> str:
    own = f"variant.{ruleset.key}.odds"
    if own in english_texts():
        return own
    if odds.unknown:
        return "odds.unsettled"
    if odds.won == odds.deals:
        return "odds.all"
    return "odds.settled-stock" if ruleset.layout is Layout.STOCK else "odds.settled"


def _percent(share: float, language: str) -> str:
    """Write a share as a percentage with one decimal; nearly all is never 100%."""
    digits = 3 if round(share, 3) < 1 else 4
    return format_percent(
        round(share, digits),
        locale=catalogue_of(language).locale,
        decimal_quantization=False,
    )
