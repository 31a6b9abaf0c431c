"""Rules without a game: replays, and the legal moves of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from service.engine.variants import VARIANTS

if TYPE_CHECKING:
    from tests.http.client import Api

_DECK = ["4S", "7H", "QC", "4D", "KD"]
_RECORD: dict[str, Any] = {
    "format": "accordion-record/1",
    "variant": "accordion",
    "deck": _DECK,
    "actions": ["3-0", "3-0"],
}


def test_a_valid_record(api: Api) -> None:
    assert api.post("/v1/replays", _RECORD).json == {
        "valid": True,
        "status": "lost",
        "score": 20,
        "rating": "strong",
        "row": ["KD", "7H", "QC"],
    }


@pytest.mark.parametrize(
    ("actions", "index", "reason"),
    [
        (["3-0", "2-1"], 1, "no-match"),
        (["3-1"], 0, "distance"),
        (["0-1"], 0, "direction"),
        (["9-8"], 0, "no-such-pile"),
        (["deal"], 0, "stock-empty"),
        (["3-0", "finish", "3-0"], None, "finish"),
    ],
)
def test_a_record_that_breaks_the_rules(
    api: Api, actions: list[str], index: int | None, reason: str
) -> None:
    reply = api.post("/v1/replays", _RECORD | {"actions": actions})
    if index is None:
        assert set(reply.faults) == {"/actions/1"}
        assert reason in reply.faults["/actions/1"]
    else:
        assert reply.json == {"valid": False, "index": index, "reason": reason}


def test_a_record_with_actions_after_the_end(api: Api) -> None:
    record = _RECORD | {"deck": ["4S", "4D"], "actions": ["1-0", "1-0"]}
    reply = api.post("/v1/replays", record)
    assert reply.json == {"valid": False, "index": 1, "reason": "game-over"}


def test_a_record_that_deals_before_a_compulsory_move(api: Api) -> None:
    options = {"layout": "stock", "compulsory": True}
    record = _RECORD | {
        "deck": ["4S", "4D", "KD"],
        "options": options,
        "actions": ["deal", "deal"],
    }
    reply = api.post("/v1/replays", record)
    assert reply.json == {"valid": False, "index": 1, "reason": "move-compulsory"}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("layout", ["open", "stock"])
def test_the_record_of_a_game_replays(api: Api, variant: str, layout: str) -> None:
    game = api.start(variant=variant, seed="r", options={"layout": layout})
    for _ in range(5):
        if game["can_deal"]:
            game = api.play(game, "deal", count=3).json
        if game["legal_moves"]:
            move = game["legal_moves"][-1]
            game = api.move(game, move["from"], move["to"])
    game = api.play(game, "finish").json
    record = api.get(f"/v1/games/{game['id']}/record").json
    assert record["actions"][-1] == "finish"
    assert api.post("/v1/replays", record).json == {
        "valid": True,
        "status": "ended",
        "score": game["score"],
        "rating": game["rating"],
        "row": game["row"],
    }


def test_the_record_of_a_deck_with_a_goal_replays(api: Api) -> None:
    deck = [*_DECK, "4H"]
    game = api.start(variant="accordions-revenge", deck=deck, goal_card="4H")
    record = api.get(f"/v1/games/{game['id']}/record").json
    assert (record["deck"], record["goal_card"]) == (deck, "4H")
    assert "seed" not in record
    assert api.post("/v1/replays", record).json["valid"] is True


def test_optional_members_of_a_record(api: Api) -> None:
    record = {name: _RECORD[name] for name in ("format", "variant")}
    reply = api.post("/v1/replays", record | {"seed": 42, "actions": []})
    assert reply.json["row"] == api.get("/v1/deals?seed=42").json["cards"]


@pytest.mark.parametrize(
    ("change", "pointers"),
    [
        ({"format": "accordion-record/2"}, {"/format"}),
        ({"format": None}, {"/format"}),
        ({"variant": "chess"}, {"/variant"}),
        ({"seed": "1"}, {"/deck"}),
        ({"source": "pysol"}, {"/source"}),
        ({"deck": ["4S", "4S"]}, {"/deck/1"}),
        ({"goal_card": "4S"}, {"/goal_card"}),
        ({"actions": "3-0"}, {"/actions"}),
        ({"actions": ["3-0"] * 201}, {"/actions"}),
        ({"actions": [3, "3-0", None]}, {"/actions/0", "/actions/2"}),
        ({"actions": ["3-0", "3:0"]}, {"/actions/1"}),
        ({"actions": ["\u0663-\u0660"]}, {"/actions/0"}),
        ({"actions": ["-1-0"]}, {"/actions/0"}),
        ({"actions": ["100-99"]}, {"/actions/0"}),
        ({"moves": []}, {"/moves"}),
    ],
)
def test_invalid_records_are_refused(
    api: Api, change: dict[str, object], pointers: set[str]
) -> None:
    assert set(api.post("/v1/replays", _RECORD | change).faults) == pointers


def test_records_without_a_deal_are_refused(api: Api) -> None:
    record = {name: _RECORD[name] for name in _RECORD if name != "deck"}
    assert api.post("/v1/replays", record).faults == {
        "": "The request body must contain `seed` or `deck`."
    }
    assert set(api.post("/v1/replays", {}).faults) == {
        "",
        "/format",
        "/variant",
        "/actions",
    }


@pytest.mark.parametrize("deal", [{}, {"deck": ["4S", "7H", "QC"]}])
def test_a_record_is_replayed_once_its_deal_is_shown(
    api: Api, deal: dict[str, Any]
) -> None:
    game = api.start(options={"layout": "stock"}, **deal)
    path = f"/v1/games/{game['id']}"
    hidden = api.get(f"{path}/record").json
    assert hidden.get("commitment") == game["commitment"]
    assert api.post("/v1/replays", hidden).slug == "seed-hidden"
    api.post(f"{path}/deal", {"count": "all"})
    api.post(f"{path}/finish", {})
    shown = api.get(f"{path}/record").json
    assert "commitment" not in shown
    assert api.post("/v1/replays", shown).json["valid"] is True


def test_a_record_whose_seed_and_deck_are_null_is_hidden(api: Api) -> None:
    record = _RECORD | {"seed": None, "deck": None}
    assert api.post("/v1/replays", record).slug == "seed-hidden"


def test_a_null_seed_beside_a_deck_means_the_same_as_left_out(api: Api) -> None:
    assert api.post("/v1/replays", _RECORD | {"seed": None}).json["valid"] is True


def test_the_moves_of_a_row(api: Api) -> None:
    row = {"variant": "decade", "row": ["4♠", "6h", "KD", "10c"]}
    reply = api.post("/v1/legal-moves", row).json
    assert reply["variant"] == "decade"
    assert reply["row"] == ["4S", "6H", "KD", "TC"]
    assert reply["legal_moves"] == [
        {"from": 1, "to": 0},
        {"from": 2, "to": 0},
        {"from": 3, "to": 0},
        {"from": 3, "to": 2},
    ]


def test_the_moves_of_a_row_in_accordion(api: Api) -> None:
    reply = api.post("/v1/legal-moves", {"row": ["4S", "4D"]}).json
    assert reply["variant"] == "accordion"
    assert reply["legal_moves"] == [{"from": 1, "to": 0}]


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({}, {"/row"}),
        ({"row": []}, {"/row"}),
        ({"row": None}, {"/row"}),
        ({"row": "4S 4D"}, {"/row"}),
        ({"row": ["4S"] * 53}, {"/row"}),
        ({"row": ["4S", ["4D"]]}, {"/row/1"}),
        ({"row": ["4S", "11D", "AA"], "variant": 7}, {"/row/1", "/row/2", "/variant"}),
        ({"row": ["4S"], "goal_card": "4S"}, {"/goal_card"}),
    ],
)
def test_invalid_rows_are_refused(api: Api, body: object, pointers: set[str]) -> None:
    assert set(api.post("/v1/legal-moves", body).faults) == pointers
