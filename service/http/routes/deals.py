"""Deals: of a seed, random, and of the day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.clock import DAY_SECONDS, seconds_to_midnight
from service.engine.deals import deal
from service.engine.ruleset import Layout
from service.games.create import random_seed
from service.games.session import closing_time
from service.http.docs import examples
from service.http.operation import Access, Answer, Body, Operation, Route
from service.http.reply import FOREVER, NOT_STORED, json_reply
from service.http.schemas.deals import (
    DealInput,
    DealQuery,
    VariantQuery,
    daily_response,
    deal_response,
)
from service.http.schemas.fields import read_day, ref
from service.http.schemas.input import load_value
from service.timestamps import MILLISECONDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from service.engine.ruleset import Ruleset
    from service.games.daily import Daily
    from service.http.reply import Reply
    from service.http.request import Request
    from service.http.schemas.deals import SeedWish

_TAG: Final = "Deals"
_DEAL: Final = Answer(
    200,
    "The deal.",
    schema=ref("Deal"),
    examples={"": examples.DEAL},
    headers=("Cache-Control",),
)
_DAILY_DEAL: Final = Answer(
    200,
    "The deal, or what is shown of it.",
    schema=ref("DailyDeal"),
    examples={
        "open layout": examples.DAILY_DEAL,
        "stock layout, before it closes": examples.HIDDEN_DEAL,
    },
    headers=("Cache-Control",),
)
_SHOW: Final = Operation(
    "getDeal",
    _TAG,
    "Get the deal of a seed",
    "The same seed always gives the same cards, in every release.",
    answers=(_DEAL,),
    query=DealQuery(),
    access=Access.ANYBODY,
)
_MAKE: Final = Operation(
    "makeDeal",
    _TAG,
    "Get the deal of a seed, or a random deal",
    "The same as `GET /v1/deals`, but the `seed` is optional: without one the deal is "
    "random. Nothing is stored.",
    answers=(_DEAL,),
    body=Body(
        DealInput(),
        {
            "random": {},
            "a seed": {"seed": "42"},
            "a PySolFC game": {"source": "pysol", "seed": "ms12345"},
        },
        required=False,
    ),
)
_DAILY_TEXT: Final = (
    "The deal that everybody has on that UTC day; it can be won. It closes at 01:00 "
    "UTC of the next day, so that a game started before midnight can be finished. If "
    "the variant's default layout is stock, its cards are hidden until it closes."
)
_TODAY: Final = Operation(
    "getDailyDeal",
    _TAG,
    "Get the deal of today",
    _DAILY_TEXT,
    answers=(_DAILY_DEAL,),
    problems=("store-unavailable",),
    query=VariantQuery(),
    access=Access.PUBLIC,
)
_OF_DAY: Final = Operation(
    "getDailyDealOf",
    _TAG,
    "Get the deal of a day",
    _DAILY_TEXT,
    answers=(_DAILY_DEAL,),
    problems=("not-yet", "store-unavailable"),
    query=VariantQuery(),
    access=Access.PUBLIC,
)


@dataclass(frozen=True, slots=True)
class DealRoutes:
    """The routes of deals.

    Attributes:
        daily: What chooses the deals of the days.
        clock: The time in milliseconds since 1970, UTC.
    """

    daily: Daily
    clock: Callable[[], int]

    def routes(self) -> tuple[Route, ...]:
        """List them."""
        return (
            Route("GET", "/v1/deals", _SHOW, self.show),
            Route("POST", "/v1/deals", _MAKE, self.make),
            Route("GET", "/v1/deals/daily", _TODAY, self.show_today),
            Route("GET", "/v1/deals/daily/{date}", _OF_DAY, self.show_day),
        )

    def show(self, request: Request) -> Reply:
        """Show the deal of a seed."""
        return _reply(request.load_query(), FOREVER)

    def make(self, request: Request) -> Reply:
        """Show the deal of a seed, or a random one."""
        return _reply(request.load_body(), NOT_STORED)

    def show_today(self, request: Request) -> Reply:
        """Show the deal of today."""
        now = self.clock()
        reply = self._show(request.load_query(), None, now)
        lasts = seconds_to_midnight(now)
        reply.fields["Cache-Control"] = f"public, max-age={lasts}"
        return reply

    def show_day(self, request: Request) -> Reply:
        """Show the deal of a day."""
        ruleset = request.load_query()
        day = load_value("date", read_day, request.values["date"])
        return self._show(ruleset, day, self.clock())

    def _show(self, ruleset: Ruleset, day: date | None, now: int) -> Reply:
        daily = self.daily.deal(ruleset, day, now)
        left = closing_time(daily.day) - now
        lasts = left // MILLISECONDS if left > 0 else DAY_SECONDS
        return json_reply(
            daily_response(ruleset, daily, now), caching=f"public, max-age={lasts}"
        )


def _reply(wish: SeedWish, caching: str) -> Reply:
    ruleset, source, seed = wish
    if seed is None:
        seed = random_seed(source, Layout.OPEN)
    dealt = deal(ruleset, seed, source)
    return json_reply(deal_response(ruleset, source, seed, dealt), caching=caching)
