"""Deals in requests and responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from service.engine.cards import name_cards
from service.engine.deals import DEFAULT_SOURCE
from service.engine.ruleset import Layout, Ruleset
from service.engine.variants import find_variant
from service.games.session import closing_time, commit
from service.http.schemas import fields
from service.http.schemas.input import Input, Value
from service.http.schemas.response import (
    Card,
    Day,
    Digest,
    GoalCard,
    Response,
    SourceKey,
    Time,
    VariantKey,
    card_name,
)
from service.timestamps import stamp

if TYPE_CHECKING:
    from service.engine.deals import Dealt
    from service.games import daily

DEFAULT_VARIANT: Final = find_variant("accordion")

SEED_DESCRIPTION: Final = (
    "The seed; an integer stands for its decimal digits. The source `pysol` takes "
    "PySolFC's game numbers, `solvitaire` numbers below 2^32, `accordion/1` any text."
)
VARIANT_VALUE: Final = Value(
    fields.VARIANT,
    f"The variant, by its key or an alias; `{DEFAULT_VARIANT.key}` unless given.",
    name="variant",
)
SOURCE_VALUE: Final = Value(
    fields.SOURCE, f"What turns the seed into cards; `{DEFAULT_SOURCE}` unless given."
)
SEED_VALUE: Final = Value(fields.SEED, f"{SEED_DESCRIPTION} Without one, it is random.")


class SeedParams(NamedTuple):
    """A request for the deal of a seed; if the seed is None, for a random deal."""

    ruleset: Ruleset = DEFAULT_VARIANT
    source: str = DEFAULT_SOURCE
    seed: str | None = None


class DealInput(Input):
    """The deal to return; `{}` means a random deal of Accordion."""

    seed = SEED_VALUE
    source = SOURCE_VALUE
    ruleset = VARIANT_VALUE
    _make = SeedParams


class DealQuery(Input):
    """The query of a deal."""

    seed = Value(fields.SEED_TEXT, SEED_DESCRIPTION, required=True)
    source = SOURCE_VALUE
    ruleset = VARIANT_VALUE
    _make = SeedParams


class VariantQuery(Input):
    """A query that names a variant."""

    ruleset = VARIANT_VALUE

    @staticmethod
    def _make(ruleset: Ruleset = DEFAULT_VARIANT) -> Ruleset:
        return ruleset


class LanguageQuery(Input):
    """A query that names a language, which ``Request.language`` reads."""

    lang = Value(
        fields.LANGUAGE,
        "The language of the texts; without it, `Accept-Language` chooses.",
    )


class Deal(Response):
    """The deal of a seed."""

    source: SourceKey
    seed: Annotated[str, "The seed."]
    variant: VariantKey
    cards: Annotated[list[Card], "The cards, in the order in which they are dealt."]
    goal_card: GoalCard


class DailyDeal(Response):
    """The deal of a day.

    If the variant's default layout is stock, the deal is hidden until it closes: `seed`
    and `cards` are null, and `commitment` is the SHA-256 of the seed in UTF-8.
    """

    date: Annotated[Day, "The UTC day."]
    source: SourceKey
    seed: Annotated[str | None, "The seed; null while it is hidden."]
    variant: VariantKey
    cards: Annotated[
        list[Card] | None,
        "The cards, in the order in which they are dealt; null while hidden.",
    ]
    goal_card: GoalCard
    commitment: Annotated[Digest | None, "In the stock layout."]
    closes_at: Annotated[
        Time,
        "When it closes, 01:00 UTC of the next day: games that end before then can be "
        "ranked.",
    ]


def deal_response(ruleset: Ruleset, source: str, seed: str, dealt: Dealt) -> Deal:
    """Make the response with a deal."""
    return Deal(
        source=source,
        seed=seed,
        variant=ruleset.key,
        cards=name_cards(dealt.cards),
        goal_card=card_name(dealt.goal),
    )


def daily_response(ruleset: Ruleset, deal: daily.DailyDeal, now: int) -> DailyDeal:
    """Make the response with the deal of a day, without its cards if it is hidden.

    ``now`` is in milliseconds since 1970, UTC.
    """
    has_stock = ruleset.layout is Layout.STOCK
    closes_at = closing_time(deal.day)
    is_hidden = has_stock and now < closes_at
    return DailyDeal(
        date=deal.day.isoformat(),
        source=deal.source,
        seed=None if is_hidden else deal.seed,
        variant=ruleset.key,
        cards=None if is_hidden else name_cards(deal.dealt.cards),
        goal_card=card_name(deal.dealt.goal),
        commitment=commit(deal.seed) if has_stock else None,
        closes_at=stamp(closes_at),
    )
