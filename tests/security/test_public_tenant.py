"""The tenant whose games anybody may create although keys are configured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service.config import SettingsError
from tests.security.conftest import bearer_fields

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flask import Flask

MARK = b"data-starts-games"
OPEN = (
    "/v1/deals/daily",
    "/v1/deals/daily/2026-01-31",
    "/v1/deals/daily/2026-01-31/statistics",
    "/v1/leaderboards/daily/2026-01-31",
    "/v1/leaderboards/monthly/2026-01",
    "/v1/leaderboards/all-time",
    "/v1/events",
)


def test_anybody_plays_games_of_the_public_tenant(
    new_key: Callable[..., str], keys_file: Path, make_app: Callable[..., Flask]
) -> None:
    key = bearer_fields(new_key("games"))
    app = make_app(api_keys_file=keys_file, public_tenant="games")
    client = app.test_client()
    fields = {"Idempotency-Key": "0123456789abcdef"}
    game = client.post("/v1/games", json={"seed": "42"}, headers=fields).get_json()
    assert game["id"].startswith("games.")
    path = f"/v1/games/{game['id']}"
    assert client.get(path, headers=key).get_json() == game
    assert client.delete(path).status_code == 401
    assert [client.get(each).status_code for each in OPEN] == [200] * len(OPEN)
    assert MARK in client.get("/").data


def test_operations_that_the_page_does_not_use_need_a_key(
    new_key: Callable[..., str], keys_file: Path, make_app: Callable[..., Flask]
) -> None:
    new_key("games")
    app = make_app(api_keys_file=keys_file, public_tenant="games")
    client = app.test_client()
    for path in ("/v1/events", "/v1/deals", "/v1/analysis", "/v1/legal-moves"):
        assert client.post(path, json={}).status_code == 401, path
    assert client.get("/v1/players/Ada/games").status_code == 401
    assert client.delete("/v1/players/Ada").status_code == 401


def test_without_a_public_tenant_nobody_creates_games(
    new_key: Callable[..., str], keys_file: Path, make_app: Callable[..., Flask]
) -> None:
    new_key("games")
    client = make_app(api_keys_file=keys_file).test_client()
    assert client.post("/v1/games", json={}).status_code == 401
    assert [client.get(each).status_code for each in OPEN] == [401] * len(OPEN)
    assert MARK not in client.get("/").data


def test_without_keys_the_page_starts_games(make_app: Callable[..., Flask]) -> None:
    assert MARK in make_app().test_client().get("/").data


def test_games_of_the_public_tenant_count_against_the_id_rate_limit(
    new_key: Callable[..., str], keys_file: Path, make_app: Callable[..., Flask]
) -> None:
    key = bearer_fields(new_key("games"))
    app = make_app(
        api_keys_file=keys_file,
        public_tenant="games",
        id_rate_limit="2/day",
        store_timeout=5.0,
    )
    client = app.test_client()
    answers = [client.post("/v1/games", json={}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    assert client.post("/v1/games", json={}, headers=key).status_code == 201


@pytest.mark.parametrize("everywhere", [True, False])
def test_a_public_tenant_needs_keys_that_are_not_required_everywhere(
    new_key: Callable[..., str],
    keys_file: Path,
    make_app: Callable[..., Flask],
    *,
    everywhere: bool,
) -> None:
    new_key("games")
    settings = (
        {"api_keys_file": keys_file, "keys_everywhere": True} if everywhere else {}
    )
    with pytest.raises(SettingsError, match="ACCORDION_PUBLIC_TENANT"):
        make_app(public_tenant="games", **settings)
