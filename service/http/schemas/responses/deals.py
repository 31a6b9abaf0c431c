"""Deals in responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from service.engine.cards import name_cards
from service.engine.ruleset import Layout
from service.games.session import closing_time, commit
from service.http.schemas.responses.base import (
    GOAL_CARD,
    Card,
    Day,
    Digest,
    Response,
    SourceKey,
    Time,
    VariantKey,
    card_name,
)
from service.timestamps import stamp

if TYPE_CHECKING:
    from service.engine.deals import Dealt
    from service.engine.ruleset import Ruleset
    from service.games import daily


class Deal(Response):
    """The deal of a seed."""

    source: SourceKey
    seed: Annotated[str, "The seed."]
    variant: VariantKey
    cards: Annotated[list[Card], "The cards, in the order in which they are dealt."]
    goal_card: Annotated[Card | None, GOAL_CARD]


class DailyDeal(Response):
    """The deal of a day.

    In a variant with the stock layout it is hidden until it closes: `seed` and
    `cards` are null, and `commitment` is the SHA-256 of the seed's UTF-8.
    """

    date: Annotated[Day, "The UTC day."]
    source: SourceKey
    seed: Annotated[str | None, "The seed; null while it is hidden."]
    variant: VariantKey
    cards: Annotated[
        list[Card] | None,
        "The cards, in the order in which they are dealt; null while hidden.",
    ]
    goal_card: Annotated[Card | None, GOAL_CARD]
    commitment: Annotated[Digest | None, "In the stock layout."]
    closes_at: Annotated[
        Time,
        "When it closes, 01:00 UTC of the next day: games that end before then "
        "can be ranked.",
    ]


def deal_response(ruleset: Ruleset, source: str, seed: str, dealt: Dealt) -> Deal:
    """Show a deal."""
    return Deal(
        source=source,
        seed=seed,
        variant=ruleset.key,
        cards=name_cards(dealt.cards),
        goal_card=card_name(dealt.goal),
    )


def daily_response(ruleset: Ruleset, deal: daily.DailyDeal, now: int) -> DailyDeal:
    """Show the deal of a day, and no card of one that is hidden until it closes."""
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
