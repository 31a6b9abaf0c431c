"""The watch id of a game allows reading it, but no change and no hidden data."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from tests.security.routes import ask, routes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from flask import Flask

    from tests.http.client import Api, Reply

STOCK = {"layout": "stock"}
DECK = ["4S", "7H", "QC", "4D", "KD", "AS"]
METHODS = ("POST", "PUT", "PATCH", "DELETE")


@pytest.fixture
def api(make_api: Callable[..., Api]) -> Api:
    return make_api()


def get_as_spectator(api: Api, game: Mapping[str, Any]) -> Iterator[Reply]:
    """The responses about a game and its record to a spectator."""
    for path in ("", "/record"):
        yield api.get(f"/v1/watch/{game['watch_id']}{path}")


def test_a_spectator_sees_all_that_the_player_sees_except_the_id(api: Api) -> None:
    game = api.start(seed="42", player="Ada")
    own = api.move(game, 2, 1)
    seen, record = get_as_spectator(api, game)
    unlike = {"id", "reference"}
    assert {k: v for k, v in seen.json.items() if k not in unlike} == {
        k: v for k, v in own.items() if k not in unlike
    }
    assert "id" not in seen.json
    assert record.json == api.get(f"/v1/games/{game['id']}/record").json


def test_no_response_to_a_spectator_contains_the_game_id(
    make_app: Callable[..., Flask],
) -> None:
    app = make_app()
    client = app.test_client()
    game = client.post("/v1/games", json={}).get_json()
    asked = 0
    for method, rule in routes_of(app):
        if "watch_id" in rule.arguments:
            answer = ask(client, method, rule, {}, watch_id=game["watch_id"])
            unasked = rule.rule.endswith("/review")
            assert answer.status_code == (404 if unasked else 200)
            assert game["id"] not in f"{answer.headers}{answer.get_data(as_text=True)}"
            asked += 1
    assert asked == 6  # GET and HEAD, of the game, its record and its review


def test_a_watch_id_allows_no_change(make_app: Callable[..., Flask]) -> None:
    app = make_app()
    client = app.test_client()
    game = client.post("/v1/games", json={"seed": "42"}).get_json()
    watch = f"/v1/watch/{game['watch_id']}"
    actions = ("", "/record", "/moves", "/deal", "/undo", "/redo", "/finish", "/hint")
    for method in METHODS:
        for action in actions:
            answer = client.open(watch + action, method=method, json={})
            assert answer.status_code in {404, 405}, (method, action)
    for method, rule in routes_of(app):
        if "game_id" in rule.arguments:
            answer = ask(client, method, rule, {}, game_id=game["watch_id"])
            assert answer.status_code == 404, (method, rule.rule)
    after = client.get(f"/v1/games/{game['id']}").get_json()
    assert after["version"] == 1
    assert after["row"] == game["row"]


def test_a_spectator_gets_304_until_the_game_changes(api: Api) -> None:
    game = api.start(seed="42")
    for reply in get_as_spectator(api, game):
        assert reply.headers["ETag"] == '"1.1"'
    path = f"/v1/watch/{game['watch_id']}"
    for known in ('"1.1"', 'W/"1.1"', '"7.7", "1.1"', "*"):
        reply = api.get(path, {"If-None-Match": known})
        assert (reply.status, reply.raw) == (304, b"")
    api.move(game, 2, 1)
    assert api.get(path, {"If-None-Match": '"1.1"'}).json["version"] == 2


@pytest.mark.parametrize(
    "body",
    [
        {"seed": "42"},
        {"seed": "11982", "source": "pysol"},
        {"seed": "7", "source": "solvitaire"},
        {},
        {"deck": DECK},
    ],
)
def test_while_cards_are_hidden_a_spectator_sees_no_seed_and_no_deck(
    api: Api, body: dict[str, Any]
) -> None:
    game = api.start(options=STOCK, **body)
    seen, record = get_as_spectator(api, game)
    chosen = body.get("seed")
    assert seen.json["seed"] is None
    assert record.json.get("seed") is None
    assert record.json.get("deck") is None
    assert seen.json["stock"] > 0
    assert len(seen.json["row"]) == 1
    if body:
        # A commitment would let spectators check a guess of the player's seed.
        assert seen.json["commitment"] is None
        digest = hashlib.sha256(str(chosen).encode()).hexdigest()
        assert digest.encode() not in seen.raw + record.raw
    else:
        assert seen.json["commitment"] == game["commitment"]


@pytest.mark.parametrize("body", [{"seed": "42"}, {}, {"deck": DECK}])
def test_after_the_game_a_spectator_can_check_the_deal(
    api: Api, body: dict[str, Any]
) -> None:
    game = api.start(options=STOCK, **body)
    over = api.play(game, "finish").json
    seen, record = get_as_spectator(api, game)
    assert seen.json["seed"] == over["seed"]
    assert seen.json["commitment"] == over["commitment"]
    if "deck" in body:
        assert record.json["deck"] == DECK
    else:
        assert record.json["seed"] == over["seed"] is not None
        digest = hashlib.sha256(over["seed"].encode()).hexdigest()
        assert seen.json["commitment"] == digest


def test_in_the_open_layout_nothing_is_hidden(api: Api) -> None:
    seen, record = get_as_spectator(api, api.start(seed="42"))
    assert seen.json["seed"] == record.json["seed"] == "42"


def test_a_watch_id_does_not_reveal_the_game_id(api: Api) -> None:
    games = [api.start() for _ in range(20)]
    assert len({game["watch_id"] for game in games}) == len(games)
    for game in games:
        assert game["id"] not in game["watch_id"]
        assert game["watch_id"] not in game["id"]
