"""Deals of a seed, random deals, and the deals of each day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.clock import DAY_SECONDS, seconds_to_midnight
from service.engine.deals import deal
from service.engine.ruleset import Layout, Ruleset
from service.games.create import random_seed
from service.games.session import closing_time
from service.http.docs import examples
from service.http.operation import Access, Body
from service.http.query import read_value
from service.http.reply import FOREVER, NOT_STORED, Reply, json_reply
from service.http.routing import CaseRoutes, Chapter, Declare, json_answer
from service.http.schemas.deals import (
    DealInput,
    DealQuery,
    SeedParams,
    VariantQuery,
    daily_response,
    deal_response,
)
from service.http.schemas.fields import read_day
from service.timestamps import SECOND_MS

if TYPE_CHECKING:
    from datetime import date

    from service.http.request import Request

_DEALS: Final = Chapter("Deals")
_DEAL: Final = json_answer("The deal.", examples.DEAL, ("Cache-Control",))
_DAILY: Final = (
    "The deal that all players get on that UTC day; it can be won. It closes at 01:00 "
    "UTC of the next day, so that a game started before midnight can be finished. If "
    "the variant's default layout is stock, its cards are hidden until it closes."
)


def _daily(target: str, *problems: str) -> Declare:
    """Declare an operation that shows the deal of a day."""
    return _DEALS.operation(
        target,
        json_answer(
            "The deal, or what is shown of it.",
            {
                "open layout": examples.DAILY_DEAL,
                "stock layout, before it closes": examples.HIDDEN_DEAL,
            },
            ("Cache-Control",),
        ),
        problems=(*problems, "store-unavailable"),
        query=VariantQuery(),
        access=Access.PUBLIC,
        description=_DAILY,
    )


class DealRoutes(CaseRoutes):
    """The routes of deals."""

    @_DEALS.operation("GET /v1/deals", _DEAL, query=DealQuery(), access=Access.ANYBODY)
    def get_deal(self, request: Request) -> Reply:
        """Get the deal of a seed.

        The same seed always gives the same cards, in every release.
        """
        return _reply(request.load_query(), FOREVER)

    @_DEALS.operation(
        "POST /v1/deals",
        _DEAL,
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
    def make_deal(self, request: Request) -> Reply:
        """Get the deal of a seed, or a random deal.

        Like `GET /v1/deals`, but the `seed` is optional: without one, the deal is
        random. Nothing is stored.
        """
        return _reply(request.load_body(), NOT_STORED)

    @_daily("GET /v1/deals/daily")
    def get_daily_deal(self, request: Request) -> Reply:
        """Get today's deal."""
        now = self.clock()
        reply = self._show(request.load_query(), None, now)
        lasts = seconds_to_midnight(now)
        reply.fields["Cache-Control"] = f"public, max-age={lasts}"
        return reply

    @_daily("GET /v1/deals/daily/{date}", "not-yet")
    def get_daily_deal_of(self, request: Request) -> Reply:
        """Get the deal of a day."""
        ruleset = request.load_query()
        day = read_value(request, "date", read_day)
        return self._show(ruleset, day, self.clock())

    def _show(self, ruleset: Ruleset, day: date | None, now: int) -> Reply:
        daily = self.cases.daily.deal(ruleset, day, now)
        left = closing_time(daily.day) - now
        lasts = left // SECOND_MS if left > 0 else DAY_SECONDS
        return json_reply(
            daily_response(ruleset, daily, now), caching=f"public, max-age={lasts}"
        )


def _reply(params: SeedParams, caching: str) -> Reply:
    ruleset, source, seed = params
    if seed is None:
        seed = random_seed(source, Layout.OPEN)
    dealt = deal(ruleset, seed, source)
    return json_reply(deal_response(ruleset, source, seed, dealt), caching=caching)
