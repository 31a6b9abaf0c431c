"""Creating, getting and deleting games."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from service.engine.variants import VARIANTS

if TYPE_CHECKING:
    from tests.http.client import Api

_DECK = ["4S", "7H", "QC", "4D", "KD"]


def test_a_game_with_all_defaults(api: Api) -> None:
    reply = api.post("/v1/games")
    game = reply.json
    assert reply.status == 201
    assert reply.headers["Location"] == f"/v1/games/{game['id']}"
    assert reply.headers["ETag"] == '"1.1"'
    assert game["version"] == 1
    assert game["variant"] == "accordion"
    assert game["options"] == {
        "layout": "open",
        "compulsory": False,
        "undo": "unlimited",
        "hints": "allowed",
    }
    assert game["source"] == "accordion/1"
    assert game["status"] == "playing"
    assert len(set(game["row"])) == 52
    assert game["heights"] == [1] * 52
    assert game["stock"] == 0
    assert game["commitment"] is None
    dealt = api.get(f"/v1/deals?seed={game['seed']}").json
    assert game["row"] == dealt["cards"]
    assert api.get(reply.headers["Location"]).json == game


def test_ids_and_seeds_are_random(api: Api) -> None:
    games = [api.start() for _ in range(20)]
    assert len({game["id"] for game in games}) == 20
    assert len({game["seed"] for game in games}) == 20
    assert all(len(game["id"]) >= 20 for game in games)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("layout", ["open", "stock"])
def test_every_variant_in_both_layouts(api: Api, variant: str, layout: str) -> None:
    game = api.start(variant=variant, seed="7", options={"layout": layout})
    dealt = api.get(f"/v1/deals?seed=7&variant={variant}").json
    assert game["variant"] == variant
    assert game["goal_card"] == dealt["goal_card"]
    if layout == "open":
        assert game["row"] == dealt["cards"]
        assert game["stock"] == 0
    else:
        assert game["row"] == dealt["cards"][:1]
        assert game["stock"] == len(dealt["cards"]) - 1


def test_an_alias_gives_the_key_of_the_variant(api: Api) -> None:
    game = api.start(variant="betrothal", seed=5)
    assert game["variant"] == "royal-marriage"
    assert game["options"]["layout"] == "stock"


@pytest.mark.parametrize(
    ("seed", "shown"),
    [
        (42, "42"),
        ("42", "42"),
        (0, "0"),
        (-5, "-5"),
        ("ünï ☺", "ünï ☺"),
        ("x" * 64,) * 2,
    ],
)
def test_seeds(api: Api, seed: object, shown: str) -> None:
    game = api.start(seed=seed)
    assert game["seed"] == shown
    assert game["row"] == api.post("/v1/deals", {"seed": seed}).json["cards"]


@pytest.mark.parametrize("source", ["pysol", "solvitaire"])
def test_random_games_of_other_sources(api: Api, source: str) -> None:
    game = api.start(source=source)
    dealt = api.get(f"/v1/deals?source={source}&seed={game['seed']}").json
    assert game["row"] == dealt["cards"]


def test_a_seed_that_is_too_easy_to_guess_is_not_hidden(api: Api) -> None:
    body = {"source": "solvitaire", "options": {"layout": "stock"}}
    assert "/seed" in api.post("/v1/games", body).faults
    assert api.start(seed=1, **body)["seed"] == "1"


def test_a_deck_for_practice(api: Api) -> None:
    game = api.start(deck=["4♠", "7h", "qc", "4♦️", "KD"], player="Ada")
    assert game["row"] == _DECK
    assert game["source"] is None
    assert game["seed"] is None
    assert game["player"] == "Ada"


def test_a_deck_with_a_goal_card(api: Api) -> None:
    body = {"variant": "accordions-revenge", "deck": _DECK}
    assert (
        api.start(goal_card="10d", **(body | {"deck": [*_DECK, "TD"]}))["goal_card"]
        == "TD"
    )
    assert "/goal_card" in api.post("/v1/games", body).faults
    assert "/goal_card" in api.post("/v1/games", body | {"goal_card": "7H"}).faults
    assert (
        "/goal_card" in api.post("/v1/games", {"deck": _DECK, "goal_card": "4D"}).faults
    )


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({"variant": "chess"}, {"/variant"}),
        ({"variant": 1, "seed": 1.0, "source": 2}, {"/variant", "/seed", "/source"}),
        ({"seed": True}, {"/seed"}),
        ({"seed": 10**64}, {"/seed"}),
        ({"seed": ""}, {"/seed"}),
        ({"seed": "x" * 65}, {"/seed"}),
        ({"seed": "a\u0000b"}, {"/seed"}),
        ({"seed": "a\u0085b"}, {"/seed"}),
        ({"seed": "1", "deck": _DECK}, {"/deck"}),
        ({"seed": "1", "daily": True}, {"/daily"}),
        ({"deck": _DECK, "daily": True}, {"/daily"}),
        ({"deck": _DECK, "source": "pysol"}, {"/source"}),
        ({"daily": True, "source": "pysol"}, {"/source"}),
        ({"goal_card": "4S"}, {"/goal_card"}),
        ({"deck": []}, {"/deck"}),
        ({"deck": "4S"}, {"/deck"}),
        ({"deck": ["4S", "XX", 3, "4s"]}, {"/deck/1", "/deck/2"}),
        ({"deck": ["4S", "7H", "4♠"]}, {"/deck/2"}),
        ({"variant": "royal-marriage", "deck": _DECK}, {"/deck"}),
        ({"daily": 0}, {"/daily"}),
        ({"daily": "2026-13-01"}, {"/daily"}),
        ({"daily": "20260101"}, {"/daily"}),
        ({"options": []}, {"/options"}),
        (
            {"options": {"layout": "pile", "compulsory": 1}},
            {"/options/layout", "/options/compulsory"},
        ),
        ({"options": {"hints": True}}, {"/options/hints"}),
        ({"player": ""}, {"/player"}),
        ({"player": "x" * 33}, {"/player"}),
        ({"player": "a\tb"}, {"/player"}),
        ({"player": "a\u200bb"}, {"/player"}),
        ({"player": 7}, {"/player"}),
        ({"a/b~c": 1}, {"/a~1b~0c"}),
        ([], {""}),
        ("x", {""}),
        (None, {""}),
        ({"source": "pysol", "seed": "0"}, {"/seed"}),
    ],
)
def test_invalid_new_games_are_refused(
    api: Api, body: object, pointers: set[str]
) -> None:
    assert set(api.post("/v1/games", body).faults) == pointers


@pytest.mark.parametrize(
    "nothing",
    [
        {"player": None},
        {"seed": None},
        {"daily": False},
        {"daily": None, "deck": None, "goal_card": None, "source": None},
        {"variant": None, "options": None},
        {"options": {"layout": None, "compulsory": None, "undo": None}},
    ],
    ids=str,
)
def test_null_means_the_same_as_left_out(api: Api, nothing: dict[str, object]) -> None:
    game = api.start(**nothing)
    assert (game["variant"], game["options"]["layout"]) == ("accordion", "open")
    assert (game["player"], game["daily"], game["source"]) == (
        None,
        None,
        "accordion/1",
    )
    own = api.start(deck=_DECK, seed=None, daily=False)
    assert own["row"] == _DECK


def test_null_for_an_unknown_field_is_refused(api: Api) -> None:
    assert api.post("/v1/games", {"colour": None}).faults == {
        "/colour": "Unknown field: `/colour`."
    }


def test_the_members_of_a_response_can_create_a_game(api: Api) -> None:
    """The members about the deal and the options create an equal game."""
    game = api.start(seed="7", options={"layout": "stock", "undo": "none"})
    names = ("variant", "seed", "source", "options", "player", "daily")
    again = api.start(**{name: game[name] for name in names})
    assert (again["seed"], again["options"]) == ("7", game["options"])


def test_compulsory_moves_imply_the_stock_layout(api: Api) -> None:
    game = api.start(options={"compulsory": True})
    assert game["options"]["layout"] == "stock"
    assert (len(game["row"]), game["stock"]) == (1, 51)
    assert api.start(options={"compulsory": False})["options"]["layout"] == "open"


@pytest.mark.parametrize("path", ["/v1/games", "/v1/replays"])
def test_compulsory_moves_in_the_open_layout_are_refused(api: Api, path: str) -> None:
    body: dict[str, object] = {"options": {"layout": "open", "compulsory": True}}
    if path == "/v1/replays":
        body |= {"format": "accordion-record/1", "variant": "accordion"}
        body |= {"seed": "1", "actions": []}
    assert api.post(path, body).faults == {
        "/options/compulsory": "`/options/compulsory` requires the layout `stock`."
    }


@pytest.mark.parametrize("variant", ["accordion", "royal-marriage"])
def test_a_daily_game_has_no_compulsory_moves(api: Api, variant: str) -> None:
    body = {"variant": variant, "daily": True, "options": {"compulsory": True}}
    assert api.post("/v1/games", body).faults == {
        "/options/compulsory": "`/options/compulsory` must not be `true` in a daily "
        "game."
    }


@pytest.mark.parametrize("seed", [2**53 - 1, -(2**53 - 1)])
def test_the_largest_integers_that_are_seeds(api: Api, seed: int) -> None:
    assert api.start(seed=seed)["seed"] == str(seed)
    assert api.post("/v1/deals", {"seed": seed}).json["seed"] == str(seed)


@pytest.mark.parametrize("seed", [2**53, -(2**53), 10**30])
@pytest.mark.parametrize("path", ["/v1/games", "/v1/deals"])
def test_larger_integers_must_be_sent_as_strings(
    api: Api, path: str, seed: int
) -> None:
    assert api.post(path, {"seed": seed}).faults == {
        "/seed": "`/seed` is an integer beyond `±(2^53 \N{MINUS SIGN} 1)`, which "
        "JavaScript rounds. Send it as a string."
    }
    assert api.post(path, {"seed": str(seed)}).json["seed"] == str(seed)


def test_a_daily_game(api: Api) -> None:
    today = datetime.now(UTC).date()
    game = api.start(daily=True)
    dealt = api.get("/v1/deals/daily").json
    assert game["daily"] in {today.isoformat(), dealt["date"]}
    assert game["row"] == dealt["cards"]
    assert api.start(daily=game["daily"])["row"] == game["row"]
    yesterday = (today - timedelta(days=1)).isoformat()
    assert api.start(daily=yesterday)["row"] != game["row"]


def test_no_daily_game_before_its_day(api: Api) -> None:
    reply = api.post("/v1/games", {"daily": "9999-12-31"})
    assert (reply.status, reply.slug) == (404, "not-yet")


def test_a_daily_game_has_the_layout_of_its_variant(api: Api) -> None:
    body = {"daily": True, "options": {"layout": "stock"}}
    assert set(api.post("/v1/games", body).faults) == {"/options/layout"}


def test_times(api: Api) -> None:
    game = api.start(deck=_DECK)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", game["started_at"])
    started = datetime.fromisoformat(game["started_at"])
    assert abs(datetime.now(UTC) - started) < timedelta(minutes=5)
    assert game["ended_at"] is None
    assert game["elapsed_seconds"] == 0
    ended = api.play(game, "finish").json
    assert datetime.fromisoformat(ended["ended_at"]) >= started


def test_getting_the_legal_moves(api: Api) -> None:
    game = api.start(deck=_DECK)
    reply = api.get(f"/v1/games/{game['id']}/legal-moves")
    assert reply.headers["ETag"] == '"1.1"'
    assert reply.json == {
        "version": 1,
        "legal_moves": [{"from": 3, "to": 0}, {"from": 4, "to": 3}],
        "can_deal": False,
    }


def test_deleting(api: Api) -> None:
    game = api.start()
    path = f"/v1/games/{game['id']}"
    assert api.delete(path).status == 204
    for reply in (api.get(path), api.delete(path), api.post(f"{path}/undo")):
        assert (reply.status, reply.slug) == (404, "game-not-found")


@pytest.mark.parametrize("game_id", ["nope", "a" * 3000, "%00", "..", "é", "a b", "*"])
def test_unknown_ids(api: Api, game_id: str) -> None:
    for path in ("", "/legal-moves", "/record"):
        assert api.get(f"/v1/games/{game_id}{path}").slug == "game-not-found"
    for path in ("deal", "undo", "redo", "finish"):
        assert api.post(f"/v1/games/{game_id}/{path}").slug == "game-not-found"
    move = {"from": 1, "to": 0}
    assert api.post(f"/v1/games/{game_id}/moves", move).slug == "game-not-found"
    assert api.get(f"/v1/watch/{game_id}").slug == "game-not-found"


def test_a_spectator_sees_the_game_and_cannot_play(api: Api) -> None:
    game = api.start(seed="1")
    watched = api.get(f"/v1/watch/{game['watch_id']}")
    assert watched.json == {
        k: v for k, v in game.items() if k not in {"id", "reference"}
    }
    assert game["id"].encode() not in watched.raw
    record = api.get(f"/v1/watch/{game['watch_id']}/record").json
    assert record == api.get(f"/v1/games/{game['id']}/record").json
    for path in ("", "/legal-moves", "/record"):
        reply = api.get(f"/v1/games/{game['watch_id']}{path}")
        assert reply.slug == "game-not-found"
    assert api.play({"id": game["watch_id"]}, "finish").slug == "game-not-found"
    assert api.delete(f"/v1/games/{game['watch_id']}").slug == "game-not-found"


def test_the_commitment_is_the_digest_of_the_seed(api: Api) -> None:
    game = api.start(variant="royal-marriage")
    assert game["seed"] is None
    ended: dict[str, Any] = api.play(game, "finish").json
    assert hashlib.sha256(ended["seed"].encode()).hexdigest() == game["commitment"]
    body = f"seed={ended['seed']}&variant=royal-marriage"
    assert api.get(f"/v1/deals?{body}").json["cards"][0] == "QH"
