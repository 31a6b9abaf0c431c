"""Deals by seed, at random, and of the day."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from service.clock import DAY_SECONDS, seconds_to_midnight
from service.engine.variants import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.http.client import Api


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
def test_invalid_queries_are_refused(api: Api, query: str, pointers: set[str]) -> None:
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
def test_invalid_bodies_are_refused(api: Api, body: object, pointers: set[str]) -> None:
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


def test_a_future_day_has_no_deal(api: Api) -> None:
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
def test_invalid_dates_are_refused(api: Api, day: str) -> None:
    assert set(api.get(f"/v1/deals/daily/{day}").faults) == {"/date"}


def test_a_date_long_ago_has_a_deal(api: Api) -> None:
    assert api.get("/v1/deals/daily/0001-01-01").status == 200


def test_a_daily_deal_does_not_change_with_the_secret(
    make_api: Callable[..., Api],
) -> None:
    day = "/v1/deals/daily/2026-01-31"
    first = make_api(daily_secret="one").get(day).json
    assert make_api(daily_secret="two").get(day).json == first
    assert make_api().get(day).json == first


def _at(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Set the clock of applications that are created after this."""
    time = int(datetime.fromisoformat(text).timestamp() * 1000)
    monkeypatch.setattr("service.http.app.now", lambda: time)


@pytest.mark.parametrize(
    ("time", "today", "is_hidden"),
    [
        ("2028-02-28T23:59:59.999+00:00", "2028-02-28", True),
        ("2028-02-29T00:00:00+00:00", "2028-02-29", True),
        ("2028-02-29T00:59:59.999+00:00", "2028-02-29", True),
        ("2028-02-29T01:00:00+00:00", "2028-02-29", False),
        ("2028-02-29T13:59:59+14:00", "2028-02-28", True),
        ("2028-02-28T12:00:00-12:00", "2028-02-29", True),
    ],
)
def test_a_daily_deal_closes_an_hour_after_its_day_in_utc(
    make_api: Callable[..., Api],
    monkeypatch: pytest.MonkeyPatch,
    time: str,
    today: str,
    *,
    is_hidden: bool,
) -> None:
    _at(monkeypatch, time)
    api = make_api(daily_secret="salt")
    variant = "variant=royal-marriage"
    assert api.get(f"/v1/deals/daily?{variant}").json["date"] == today
    reply = api.get(f"/v1/deals/daily/2028-02-28?{variant}")
    assert reply.json["closes_at"] == "2028-02-29T01:00:00.000Z"
    assert (reply.json["cards"] is None) is is_hidden
    assert (reply.json["seed"] is None) is is_hidden
    if not is_hidden:
        seed = reply.json["seed"]
        digest = hashlib.sha256(seed.encode()).hexdigest()
        assert digest == reply.json["commitment"]
        lasts = f"public, max-age={DAY_SECONDS}"
        assert reply.headers["Cache-Control"] == lasts


def test_a_daily_game_shows_its_seed_when_its_day_closes(
    make_api: Callable[..., Api], monkeypatch: pytest.MonkeyPatch
) -> None:
    _at(monkeypatch, "2026-12-01T23:59:59.999+00:00")
    body = {"variant": "royal-marriage", "daily": True}
    game = make_api().start(**body)
    path = f"/v1/games/{game['id']}"
    _at(monkeypatch, "2026-12-02T00:59:59.999+00:00")
    finished = make_api().post(f"{path}/finish")
    assert (finished.json["seed"], finished.headers["ETag"]) == (None, '"2.2"')
    early = make_api().get(path, {"If-None-Match": '"2.2"'})
    assert early.status == 304
    _at(monkeypatch, "2026-12-02T01:00:00+00:00")
    shown = make_api().get(path, {"If-None-Match": '"2.2"'})
    assert (shown.status, shown.headers["ETag"]) == (200, '"2.2.open"')
    seed = shown.json["seed"]
    assert hashlib.sha256(seed.encode()).hexdigest() == game["commitment"]
    assert shown.json == finished.json | {"seed": seed}


@pytest.mark.parametrize("seed", ["2026-12-01/royal-marriage", "2026-12-01"])
def test_guessed_seeds_do_not_give_a_hidden_daily_deal(
    make_api: Callable[..., Api], monkeypatch: pytest.MonkeyPatch, seed: str
) -> None:
    _at(monkeypatch, "2026-12-01T12:00:00+00:00")
    api = make_api()
    variant = "royal-marriage"
    daily = api.get(f"/v1/deals/daily?variant={variant}").json
    guess = api.post("/v1/deals", {"seed": seed, "variant": variant}).json
    digest = hashlib.sha256(guess["seed"].encode()).hexdigest()
    assert digest != daily["commitment"]


@pytest.mark.parametrize(
    ("options", "pointer"),
    [
        ({"compulsory": True}, "/options/compulsory"),
        ({"layout": "stock", "compulsory": True}, "/options/compulsory"),
        ({"layout": "stock"}, "/options/layout"),
    ],
)
def test_a_daily_game_must_have_the_options_of_its_variant(
    api: Api, options: dict[str, object], pointer: str
) -> None:
    reply = api.post("/v1/games", {"daily": True, "options": options})
    assert set(reply.faults) == {pointer}


def test_compulsory_moves_imply_the_stock_layout(api: Api) -> None:
    game = api.start(seed="1", options={"compulsory": True})
    assert game["options"]["layout"] == "stock"
    body = {"options": {"compulsory": True, "layout": "open"}}
    assert set(api.post("/v1/games", body).faults) == {"/options/compulsory"}


@pytest.mark.parametrize(
    ("seed", "status"),
    [
        (2**53 - 1, 200),
        (-(2**53) + 1, 200),
        (2**53, 422),
        (-(2**53), 422),
        (str(2**53), 200),
        (10**400, 422),
    ],
)
def test_integers_that_javascript_rounds_are_refused_as_seeds(
    api: Api, seed: object, status: int
) -> None:
    assert api.post("/v1/deals", {"seed": seed}).status == status
