"""Deals by seed, at random, and of the day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from service.clock import DAY_SECONDS, seconds_to_midnight
from service.config import Settings
from service.engine.variants import VARIANTS
from service.http.app import create_app
from tests.http.client import Api

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.store.redis import RedisStore


def test_a_deal_is_immutable(api: Api) -> None:
    reply = api.get("/v1/deals?seed=42&source=accordion/1&variant=betrothal")
    deal = reply.json
    assert reply.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert (deal["source"], deal["seed"]) == ("accordion/1", "42")
    assert deal["variant"] == "royal-marriage"
    assert (deal["cards"][0], deal["cards"][-1]) == ("QH", "KH")
    assert deal["goal_card"] is None
    assert api.get("/v1/deals?seed=42&variant=royal-marriage").json == deal


def test_a_seed_in_a_query_is_text(api: Api) -> None:
    number, text = api.post("/v1/deals", {"seed": 7}), api.get("/v1/deals?seed=7")
    assert number.json == text.json
    assert text.json["seed"] == "7"
    spaced = api.get("/v1/deals?seed=%E2%99%A0+x%26y").json
    assert spaced["seed"] == "♠ x&y"


def test_random_deals(api: Api) -> None:
    deals = [api.post("/v1/deals").json for _ in range(10)]
    assert len({deal["seed"] for deal in deals}) == 10
    for deal in deals:
        assert api.post("/v1/deals", {"seed": deal["seed"]}).json == deal
    reply = api.post("/v1/deals", {"variant": "late-binding", "source": "solvitaire"})
    assert reply.headers["Cache-Control"] == "no-store"
    assert len(reply.json["cards"]) == 18


@pytest.mark.parametrize(
    ("query", "pointers"),
    [
        ("", {"/seed"}),
        ("?seed=", {"/seed"}),
        ("?seed=%00", {"/seed"}),
        ("?seed=" + "x" * 65, {"/seed"}),
        ("?seed=1&source=dice&variant=chess&n=3", {"/source", "/variant", "/n"}),
        ("?seed=1&seed=2", {"/seed"}),
        ("?seed=abc&source=pysol", {"/seed"}),
        ("?seed=4294967296&source=solvitaire", {"/seed"}),
    ],
)
def test_queries_that_do_not_fit(api: Api, query: str, pointers: set[str]) -> None:
    assert set(api.get(f"/v1/deals{query}").faults) == pointers


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({"seed": 1.0}, {"/seed"}),
        ({"seed": False}, {"/seed"}),
        ({"seed": ["1"]}, {"/seed"}),
        ({"source": 1, "variant": 2}, {"/source", "/variant"}),
        ({"deck": ["4S"]}, {"/deck"}),
        ({"source": "pysol", "seed": 0}, {"/seed"}),
        ({"source": "solvitaire", "seed": -1}, {"/seed"}),
    ],
)
def test_bodies_that_do_not_fit(api: Api, body: object, pointers: set[str]) -> None:
    assert set(api.post("/v1/deals", body).faults) == pointers


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_deal_of_the_day(api: Api, variant: str) -> None:
    daily = api.get(f"/v1/deals/daily?variant={variant}").json
    again = api.get(f"/v1/deals/daily/{daily['date']}?variant={variant}").json
    assert again == daily
    assert daily["variant"] == variant
    hidden = VARIANTS[variant].layout == "stock"
    assert (daily["cards"] is None) is hidden
    assert (daily["seed"] is None) is hidden
    assert (daily["commitment"] is not None) is hidden
    if not hidden:
        seed = daily["seed"]
        dealt = api.post("/v1/deals", {"seed": seed, "variant": variant}).json
        assert dealt["cards"] == daily["cards"]


def test_the_deal_of_the_day_is_cached_until_midnight(api: Api) -> None:
    reply = api.get("/v1/deals/daily")
    kept = int(reply.headers["Cache-Control"].removeprefix("public, max-age="))
    assert 0 < kept <= DAY_SECONDS
    past = api.get("/v1/deals/daily/2026-01-31")
    assert past.headers["Cache-Control"] == f"public, max-age={DAY_SECONDS}"


def test_the_seconds_to_midnight() -> None:
    assert seconds_to_midnight(0) == DAY_SECONDS
    assert seconds_to_midnight(1) == DAY_SECONDS
    assert seconds_to_midnight(DAY_SECONDS * 1000 - 1) == 1


def test_a_day_to_come(api: Api) -> None:
    tomorrow = (datetime.now(UTC) + timedelta(days=2)).date().isoformat()
    for path in (tomorrow, "9999-12-31"):
        reply = api.get(f"/v1/deals/daily/{path}")
        assert (reply.status, reply.slug) == (404, "not-yet")


@pytest.mark.parametrize(
    "day",
    [
        "tomorrow",
        "2026-02-29",
        "2026-1-1",
        "20260101",
        "2026-W01-1",
        "0000-01-01",
        "202\u0666-01-01",
    ],
)
def test_what_is_no_day(api: Api, day: str) -> None:
    assert set(api.get(f"/v1/deals/daily/{day}").faults) == {"/date"}


def test_days_long_ago(api: Api) -> None:
    assert api.get("/v1/deals/daily/0001-01-01").status == 200


def test_a_secret_changes_the_deals_of_the_days(
    api: Api, make_api: Callable[..., Api], store: RedisStore
) -> None:
    secret = make_api(daily_secret="one")
    other = Api(create_app(Settings(daily_secret="two"), store))
    day = "/v1/deals/daily/2026-01-31"
    deals = [tuple(each.get(day).json["cards"]) for each in (api, secret, other)]
    assert len(set(deals)) == 3
    assert secret.get(day).json == make_api(daily_secret="one").get(day).json
