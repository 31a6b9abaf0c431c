"""Hints, solutions and analyses over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from service.engine.ruleset import Layout
from service.engine.variants import VARIANTS
from service.games.advice import SolverBusyError
from service.games.search_slots import SearchSlots
from service.http.docs import examples
from service.http.schemas.response import to_json
from service.texts import LANGUAGES, hint_reason
from tests.hard_rows import HARD_ROWS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.http.client import Api, Reply

_WINNABLE = ["4S", "4D", "4H", "4C"]
_LOST = ["4S", "7H", "QC", "4D", "KD"]
_MAX_ACTIONS = 110


def _ask(api: Api, game: dict[str, Any], what: str = "hint", **body: object) -> Reply:
    return api.post(f"/v1/games/{game['id']}/{what}", body)


def _advice(api: Api, game: dict[str, Any], what: str = "hint", **body: object) -> Any:  # noqa: ANN401
    reply = _ask(api, game, what, **body)
    assert reply.status == 200, reply.raw
    return reply.json


def _act(api: Api, game: dict[str, Any], action: dict[str, Any]) -> Any:  # noqa: ANN401
    if action["type"] == "deal":
        return api.play(game, "deal").json
    return api.move(game, action["from"], action["to"])


def _follow(api: Api, game: dict[str, Any]) -> Any:  # noqa: ANN401
    """Follow hints to the end."""
    for _ in range(_MAX_ACTIONS):
        if game["status"] != "playing":
            return game
        game = _act(api, game, _advice(api, game)["action"])
    return game


def test_hints_win_a_deal(api: Api) -> None:
    game = _follow(api, api.start(seed="1"))
    assert game["status"] == "won"
    assert game["hints_used"] == 51
    assert game["moves"] == 51


@pytest.mark.parametrize("layout", [str(layout) for layout in Layout])
@pytest.mark.parametrize("key", list(VARIANTS))
def test_hints_are_legal_in_every_game(api: Api, key: str, layout: str) -> None:
    game = api.start(variant=key, seed="5", options={"layout": layout})
    game = _follow(api, game)
    assert game["status"] in {"won", "lost"}


def test_hints_are_legal_where_moves_are_compulsory(api: Api) -> None:
    options = {"layout": "stock", "compulsory": True}
    game = api.start(seed="5", options=options)
    for _ in range(_MAX_ACTIONS):
        if game["status"] != "playing":
            break
        game = _act(api, game, _advice(api, game, budget_ms=20)["action"])
    assert game["status"] in {"won", "lost"}


def test_a_hint_is_counted_and_keeps_the_version(api: Api) -> None:
    game = api.start(deck=_WINNABLE)
    reply = _ask(api, game)
    assert reply.headers["ETag"] == '"1.2"'
    assert (reply.json["version"], reply.json["hints_used"]) == (1, 1)
    assert reply.json["verdict"] == "winnable"
    now = api.get(f"/v1/games/{game['id']}").json
    assert (now["hints_used"], now["version"], now["moves"]) == (1, 1, 0)
    assert now["last_action"] is None


def test_a_hint_in_a_lost_position_has_a_proved_verdict(api: Api) -> None:
    hint = _advice(api, api.start(deck=_LOST), budget_ms=2000)
    assert hint["verdict"] == "unwinnable"
    assert hint["reason"]["code"] == "no-win"
    assert hint["action"]["type"] == "move"


def test_nothing_can_be_done_in_a_lost_game(api: Api) -> None:
    hint = _advice(api, api.start(deck=["4S", "KD"]))
    assert hint["action"] is None
    assert hint["verdict"] == "unwinnable"
    assert hint["reason"]["code"] == "nothing"


def test_deal_first_where_moves_are_optional(api: Api) -> None:
    hint = _advice(api, api.start(seed="1", options={"layout": "stock"}))
    assert hint["action"] == {"type": "deal"}
    assert hint["verdict"] == "unknown"
    assert hint["reason"]["code"] == "deal-first"


def test_a_hint_does_not_use_cards_whose_deal_was_undone(api: Api) -> None:
    game = api.start(deck=_WINNABLE, options={"layout": "stock"})
    before = _advice(api, game)
    api.play(game, "deal", count="all")
    assert _advice(api, game)["verdict"] == "winnable"
    api.play(game, "undo", count="all")
    same = {name: before[name] for name in ("version", "hints_used")}
    assert _advice(api, game) | same == before


def test_a_game_that_is_over_gets_no_advice(api: Api) -> None:
    game = api.start(deck=_WINNABLE)
    api.play(game, "finish")
    for what in ("hint", "solution"):
        assert _ask(api, game, what).slug == "game-over"
    assert api.get(f"/v1/games/{game['id']}").json["hints_used"] == 0


def test_a_solution_is_a_line_to_the_win(api: Api) -> None:
    game = api.start(seed="2026")
    solution = _advice(api, game, "solution")
    assert solution["verdict"] == "winnable"
    steps = [
        {"from": action["from"], "to": action["to"]} for action in solution["actions"]
    ]
    won = api.play(game, "moves", moves=steps).json
    assert (won["status"], won["hints_used"]) == ("won", 1)


def test_a_lost_position_has_a_verdict_and_no_solution(api: Api) -> None:
    solution = _advice(api, api.start(deck=_LOST), "solution")
    assert (solution["verdict"], solution["actions"]) == ("unwinnable", [])


def test_a_solution_is_refused_until_the_last_card_is_dealt(api: Api) -> None:
    game = api.start(seed="1", options={"layout": "stock"})
    refused = _ask(api, game, "solution")
    assert (refused.status, refused.slug) == (409, "cards-hidden")
    assert refused.json["stock"] == 51
    api.play(game, "deal", count="all")
    assert _advice(api, game, "solution")["verdict"] == "winnable"


def test_followed_hints_need_no_new_search(
    make_api: Callable[..., Api], monkeypatch: pytest.MonkeyPatch
) -> None:
    api = make_api()
    game = api.start(seed="3")
    game = _act(api, game, _advice(api, game)["action"])

    def search(*_args: object, **_kwargs: object) -> None:
        raise SolverBusyError

    monkeypatch.setattr("service.games.advice.hint", search)
    game = _follow(api, game)
    assert game["status"] == "won"
    left = api.start(seed="3")
    assert _ask(api, left).slug == "solver-busy"


@pytest.fixture
def busy(make_api: Callable[..., Api], monkeypatch: pytest.MonkeyPatch) -> Api:
    """An API whose slots for long searches are all taken."""
    monkeypatch.setattr("service.games.advice.SearchSlots", lambda _: SearchSlots(0))
    return make_api()


def test_a_busy_solver_gives_a_hint_without_a_verdict(busy: Api) -> None:
    game = busy.start(deck=HARD_ROWS[0])
    hint = _advice(busy, game)
    assert (hint["verdict"], hint["reason"]["code"]) == ("unknown", "best-guess")
    assert hint["hints_used"] == 1
    _act(busy, game, hint["action"])


@pytest.mark.parametrize("row", HARD_ROWS)
def test_a_busy_solver_refuses_long_searches(
    busy: Api, row: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    game = busy.start(deck=row)
    for reply in (
        _ask(busy, game, "solution"),
        busy.post("/v1/analysis", {"row": row}),
    ):
        assert (reply.status, reply.slug) == (503, "solver-busy")
        assert reply.headers["Retry-After"] == "1"
    assert busy.get(f"/v1/games/{game['id']}").json["hints_used"] == 0
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


@pytest.mark.parametrize("path", ["hint", "solution"])
def test_a_busy_solver_still_makes_a_short_search(busy: Api, path: str) -> None:
    assert _advice(busy, busy.start(seed="1"), path)["verdict"] == "winnable"


def test_a_busy_solver_still_analyses_a_short_row(busy: Api) -> None:
    row = busy.start(seed="1")["row"][:9]
    analysis = busy.post("/v1/analysis", {"row": row}).json
    verdicts = {judged["verdict"] for judged in analysis["moves"]}
    assert "unknown" not in {analysis["verdict"], *verdicts}


def test_a_hint_supports_conditions_and_retries(api: Api) -> None:
    game = api.start(deck=_WINNABLE)
    path = f"/v1/games/{game['id']}/hint"
    assert api.post(path, {}, {"If-Match": '"9"'}).slug == "version-mismatch"
    key = {"Idempotency-Key": "one"}
    first, again = (api.post(path, {}, key) for _ in range(2))
    assert first.raw == again.raw
    assert again.headers["Idempotent-Replayed"] == "true"
    assert api.get(f"/v1/games/{game['id']}").json["hints_used"] == 1


@pytest.mark.parametrize("budget", [0, 2001, -1, "5", 1.5, True])
def test_invalid_budgets_are_refused(api: Api, budget: object) -> None:
    game = api.start(deck=_WINNABLE)
    assert set(_ask(api, game, budget_ms=budget).faults) == {"/budget_ms"}


def test_a_spent_budget_gives_the_verdict_unknown(api: Api) -> None:
    """A deal whose search takes longer than a millisecond."""
    game = api.start(variant="accordions-revenge", seed="42")
    hint = _advice(api, game, budget_ms=1)
    assert hint["verdict"] in {"unknown", "winnable"}
    assert hint["action"] is not None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("way", ["Accept-Language", "lang"])
def test_the_reason_of_a_hint_is_in_the_language_of_the_client(
    api: Api, language: str, way: str
) -> None:
    path = f"/v1/games/{api.start(deck=['4S', 'KD'])['id']}/hint"
    if way == "lang":
        reply = api.post(f"{path}?lang={language}", {}, {"Accept-Language": "en"})
    else:
        reply = api.post(path, {}, {"Accept-Language": f"{language}-XX, en;q=0.5"})
    assert reply.json["reason"] == {
        "code": "nothing",
        "text": hint_reason("nothing", {}, language),
    }
    assert reply.headers["Content-Language"] == language
    assert reply.headers["Vary"] == "Accept-Language"


def test_a_hint_in_an_unknown_language_is_refused(api: Api) -> None:
    game = api.start(deck=_WINNABLE)
    reply = api.post(f"/v1/games/{game['id']}/hint?lang=xx", {})
    assert set(reply.faults) == {"/lang"}
    assert api.get(f"/v1/games/{game['id']}").json["hints_used"] == 0


def test_an_analysis_judges_every_move(api: Api) -> None:
    body = {"variant": "accordion", "row": examples.SMALL_ROW}
    assert api.post("/v1/analysis", body).json == to_json(examples.ANALYSIS)


def test_the_worked_example_is_lost_either_way(api: Api) -> None:
    analysis = api.post("/v1/analysis", {"row": _LOST}).json
    assert analysis["verdict"] == "unwinnable"
    assert analysis["moves"] == [
        {"from": 3, "to": 0, "verdict": "unwinnable"},
        {"from": 4, "to": 3, "verdict": "unwinnable"},
    ]


def test_the_goal_card_changes_the_verdict(api: Api) -> None:
    body = {"variant": "accordions-revenge", "row": ["4S", "4D", "4H"]}
    verdicts = {
        goal: api.post("/v1/analysis", body | {"goal_card": goal}).json["verdict"]
        for goal in ("4S", "4D", "4H")
    }
    assert verdicts == {"4S": "unwinnable", "4D": "unwinnable", "4H": "winnable"}


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/row"),
        ({"row": []}, "/row"),
        ({"row": ["4S", "4S"]}, "/row/1"),
        ({"row": ["4S"], "goal_card": "4S"}, "/goal_card"),
        ({"row": ["4S"], "variant": "accordions-revenge"}, "/goal_card"),
        ({"row": ["4S"], "budget_ms": 2001}, "/budget_ms"),
        ({"row": ["4S"], "colour": "red"}, "/colour"),
    ],
)
def test_invalid_analyses_are_refused(
    api: Api, body: dict[str, object], pointer: str
) -> None:
    assert pointer in api.post("/v1/analysis", body).faults


@pytest.mark.parametrize(
    ("row", "moves"),
    [
        (["QH"], []),
        (["4S", "KH"], []),
        (["QH", "2C", "7H", "KD"], [{"from": 2, "to": 0, "verdict": "unwinnable"}]),
    ],
)
def test_a_half_dealt_row_of_royal_marriage_is_analysed(
    api: Api, row: list[str], moves: list[dict[str, object]]
) -> None:
    body = {"variant": "royal-marriage", "row": row}
    legal = api.post("/v1/legal-moves", body).json["legal_moves"]
    assert api.post("/v1/analysis", body).json == {
        "verdict": "unwinnable",
        "line": [],
        "moves": moves,
    }
    assert [{"from": m["from"], "to": m["to"]} for m in moves] == legal


def test_a_won_row_is_winnable_at_once(api: Api) -> None:
    body = {"variant": "royal-marriage", "row": ["QH", "KH"]}
    analysis = api.post("/v1/analysis", body).json
    assert analysis == {"verdict": "winnable", "line": [], "moves": []}
