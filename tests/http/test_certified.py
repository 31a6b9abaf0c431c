"""Certified deals over HTTP: winnable, of a grade, and hidden like other deals."""

from __future__ import annotations

from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pytest

from service.engine.variants import VARIANTS
from service.games.certified_deals import CertifiedDeal, certify
from service.solver import GRADING, Grade
from service.store.coordination import WaitingDeals

if TYPE_CHECKING:
    from service.store.redis import RedisStore
    from tests.http.client import Api

ACCORDION = VARIANTS["accordion"]
MAX_RATIO = 3


def verdict(api: Api, game: dict[str, Any]) -> str:
    row = {"variant": game["variant"], "row": game["row"], "budget_ms": 2000}
    return str(api.post("/v1/analysis", row).json["verdict"])


@pytest.mark.parametrize("grade", Grade)
def test_a_deal_of_a_grade(api: Api, grade: Grade) -> None:
    game = api.start(difficulty=grade)
    assert certify(ACCORDION, game["seed"]) == CertifiedDeal(game["seed"], grade)
    assert game["source"] == "accordion/1"
    assert (game["ranked"], game["unranked_reason"]) == (False, "deal")
    assert api.start(difficulty=grade)["seed"] != game["seed"]


def test_a_waiting_deal_is_taken_first(api: Api, store: RedisStore) -> None:
    WaitingDeals(store.runner, GRADING).put("accordion", Grade.HARD, "that waits")
    assert api.start(difficulty="hard")["seed"] == "that waits"
    assert api.start(difficulty="hard", winnable=True)["seed"] != "that waits"


@pytest.mark.parametrize("variant", ["late-binding", "push-pin", "accordions-revenge"])
def test_a_winnable_deal(api: Api, variant: str) -> None:
    games = [api.start(variant=variant, winnable=True) for _ in range(3)]
    assert len({game["seed"] for game in games}) == 3
    for game in games:
        assert certify(VARIANTS[variant], game["seed"]) is not None


def test_the_seed_of_a_certified_deal_is_hidden_in_the_stock_layout(api: Api) -> None:
    game = api.start(difficulty="easy", options={"layout": "stock"})
    assert game["seed"] is None
    assert len(game["commitment"]) == 64
    ended = api.play(game, "finish").json
    found = certify(ACCORDION, ended["seed"])
    assert found is not None
    assert found.grade is Grade.EASY


def test_null_and_false_have_no_effect(api: Api) -> None:
    for body in ({"winnable": False}, {"winnable": None}, {"difficulty": None}):
        assert api.start(seed="42", **body)["seed"] == "42"


@pytest.mark.parametrize("certified", [{"winnable": True}, {"difficulty": "hard"}])
@pytest.mark.parametrize(
    "other",
    [
        {"seed": "42"},
        {"source": "pysol"},
        {"deck": ["4S", "7H"]},
        {"daily": True},
        {"event": "spring", "player": "Ada"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_a_certified_deal_cannot_be_combined_with_another_kind_of_deal(
    api: Api, certified: dict[str, Any], other: dict[str, Any]
) -> None:
    reply = api.post("/v1/games", {**certified, **other})
    (name,) = certified
    assert reply.status == 422
    assert f"/{name}" in reply.faults


@pytest.mark.parametrize("certified", [{"winnable": True}, {"difficulty": "hard"}])
def test_compulsory_moves_are_not_certified(
    api: Api, certified: dict[str, Any]
) -> None:
    reply = api.post("/v1/games", {**certified, "options": {"compulsory": True}})
    (name,) = certified
    assert reply.status == 422
    assert reply.faults == {
        f"/{name}": f"`/{name}` cannot be combined with compulsory moves."
    }


def test_variants_without_grades(api: Api) -> None:
    reply = api.post(
        "/v1/games", {"variant": "accordion-bidirectional", "difficulty": "hard"}
    )
    assert reply.status == 422
    assert reply.faults == {
        "/difficulty": "`/difficulty` requires a variant whose deals have grades; "
        "`accordion-bidirectional` has none."
    }
    unknown = api.post("/v1/games", {"difficulty": "harder"})
    assert unknown.faults["/difficulty"].endswith("`easy`, `medium` or `hard`.")


def test_a_waiting_deal_takes_little_longer_than_a_random_one(
    api: Api, store: RedisStore
) -> None:
    games, waiting = 60, WaitingDeals(store.runner, GRADING)
    for seed in range(games):
        waiting.put("accordion", Grade.HARD, str(seed))

    def seconds(**body: object) -> float:
        started = perf_counter()
        api.start(**body)
        return perf_counter() - started

    seconds()
    pairs = [(seconds(), seconds(difficulty="hard")) for _ in range(games)]
    usual, hard = (median(one) for one in zip(*pairs, strict=True))
    assert hard < MAX_RATIO * usual
