"""Recorded deals and games, and the worked example of the rules, over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from tests.engine.oracle import load

if TYPE_CHECKING:
    from tests.http.client import Api


def _deal(api: Api, **body: str) -> Any:  # noqa: ANN401
    """Get a deal from both routes, which must agree."""
    reply = api.get(f"/v1/deals?{urlencode(body)}")
    posted = api.post("/v1/deals", body)
    assert reply.status == posted.status == 200, reply.raw
    assert reply.json == posted.json
    return reply.json


@pytest.mark.parametrize(
    "game", load("pysol_play"), ids=lambda game: f"{game['variant']}-{game['seed']}"
)
def test_games_of_pysol(api: Api, game: dict[str, Any]) -> None:
    state = api.start(
        variant=game["variant"],
        source=game["source"],
        seed=game["seed"],
        options={"layout": "open"},
    )
    assert state["goal_card"] == game.get("goal")
    for step in game["steps"]:
        assert state["row"] == step["row"]
        assert _pairs(state["legal_moves"]) == sorted(step["legal"])
        assert (state["status"] == "won") is step["won"]
        if "move" in step:
            state = api.move(state, *step["move"])
            assert state["row"] == step["after"]
    if state["status"] == "won":
        assert state["rating"] == "full"
    else:
        assert state["status"] == "lost"
    record = api.get(f"/v1/games/{state['id']}/record").json
    replay = api.post("/v1/replays", record).json
    assert replay["valid"] is True
    assert replay["row"] == state["row"]
    assert replay["status"] == state["status"]


def _pairs(moves: list[dict[str, int]]) -> list[list[int]]:
    return [[move["from"], move["to"]] for move in moves]


@pytest.mark.parametrize("vector", load("deal_vectors"), ids=lambda v: repr(v["seed"]))
def test_deals_of_the_services_own_source(api: Api, vector: dict[str, Any]) -> None:
    seed = vector["seed"]
    assert _deal(api, seed=seed)["cards"] == vector["row"]
    revenge = _deal(api, seed=seed, variant="accordions-revenge")
    assert revenge["goal_card"] == vector["accordions_revenge_goal"]
    assert api.start(seed=seed)["row"] == vector["row"]


def test_deals_of_pysol(api: Api) -> None:
    for entry in load("pysol_deals"):
        body = {"source": "pysol", "seed": entry["seed"]}
        if "error" in entry:
            assert set(api.post("/v1/deals", body).faults) == {"/seed"}
            assert set(api.get(f"/v1/deals?{urlencode(body)}").faults) == {"/seed"}
            assert set(api.post("/v1/games", body).faults) == {"/seed"}
            continue
        assert _deal(api, **body)["cards"] == entry["row"]
        marriage = _deal(api, **body, variant="royal-marriage")
        assert marriage["cards"] == entry["royal_marriage"]
        revenge = _deal(api, **body, variant="accordions-revenge")
        assert revenge["goal_card"] == entry["accordions_revenge_goal"]


def test_deals_of_solvitaire(api: Api) -> None:
    for entry in load("solvitaire_deals"):
        body = {name: entry[name] for name in ("source", "seed", "variant")}
        assert _deal(api, **body)["cards"] == entry["cards"]


def test_worked_example(api: Api) -> None:
    deck = ["4S", "7H", "QC", "4D", "KD"]
    start = api.start(deck=deck)
    assert _pairs(start["legal_moves"]) == [[3, 0], [4, 3]]
    once = api.move(start, 3, 0)
    assert once["row"] == ["4D", "7H", "QC", "KD"]
    assert once["heights"] == [2, 1, 1, 1]
    twice = api.move(once, 3, 0)
    assert twice["row"] == ["KD", "7H", "QC"]

    other = api.move(api.start(deck=deck), 4, 3)
    assert other["row"] == ["4S", "7H", "QC", "KD"]
    assert other["legal_moves"] == []
    assert other["status"] == "lost"

    moves = api.post("/v1/legal-moves", {"variant": "accordion", "row": deck}).json
    assert _pairs(moves["legal_moves"]) == [[3, 0], [4, 3]]
