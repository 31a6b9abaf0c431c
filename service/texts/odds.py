"""Texts about how often each variant can be won, and how long a game takes.

The counts are those of docs/winnability.md, which describes how they were measured.
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
    """The figures of a variant, in the open layout.

    Attributes:
        deals: The number of deals tried.
        won: The number of deals for which a winning line was found.
        unknown: The number of deals neither won nor proved unwinnable.
        minutes: The usual duration of a game in minutes, from and to.
    """

    deals: int
    won: int
    unknown: int = 0
    minutes: tuple[int, int] = (5, 10)

    @property
    def share(self) -> float:
        """The share of deals won, 0 to 1."""
        return self.won / self.deals


ODDS: Final[Mapping[str, Odds]] = {
    "accordion": Odds(1_000_000, 1_000_000),
    "accordion-bidirectional": Odds(100_000, 100_000),
    "accordions-revenge": Odds(100_000, 99_993, unknown=7),
    "23-skidoo": Odds(100_000, 100_000),
    "late-binding": Odds(1_000_000, 469_978, minutes=(2, 5)),
    "bayan": Odds(100_000, 100_000),
    "push-pin": Odds(100_000, 29_096),
    "royal-marriage": Odds(100_000, 98_722),
    "nizhni-novgorod": Odds(100_000, 41_993),
    "decade": Odds(100_000, 86_167),
    "seven-up": Odds(100_000, 99_885),
}
"""The figures of each variant, by key."""

COMPULSORY_SHARE: Final = 0.005
"""The share of games of compulsory Accordion won by following the hints, 0 to 1."""


def odds_text(ruleset: Ruleset, language: str) -> str:
    """Return the text on the odds of a variant."""
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
    """Format a share as a percentage: one decimal, or two if one would give 100%."""
    digits = 3 if round(share, 3) < 1 else 4
    return format_percent(
        round(share, digits),
        locale=catalogue_of(language).locale,
        decimal_quantization=False,
    )
