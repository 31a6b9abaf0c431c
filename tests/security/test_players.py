"""With keys: each tenant has its own boards and players, and can list their games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.security.conftest import bearer_fields

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.http.client import Api

DAILY_GAME = {"variant": "late-binding", "daily": True, "player": "Ada"}
BOARD = "/v1/leaderboards/all-time?variant=late-binding"


@pytest.fixture
def portal(new_key: Callable[..., str]) -> dict[str, str]:
    return bearer_fields(new_key("portal"))


@pytest.fixture
def api(make_api: Callable[..., Api], keys_file: Path, portal: dict[str, str]) -> Api:
    assert portal
    return make_api(api_keys_file=keys_file, store_timeout=5.0)


def _lose(api: Api, portal: dict[str, str], **body: object) -> Any:  # noqa: ANN401
    """Play a daily game until no move is left, with moves sent without the key."""
    game = api.post("/v1/games", DAILY_GAME | body, portal).json
    path = f"/v1/games/{game['id']}"
    while game["status"] == "playing":
        game = api.post(f"{path}/moves", game["legal_moves"][-1]).json
    return game


def test_boards_and_players_belong_to_a_tenant(
    api: Api, portal: dict[str, str], new_key: Callable[..., str]
) -> None:
    other = bearer_fields(new_key("other"))
    game = _lose(api, portal)
    assert api.get(BOARD, portal).json["entries_total"] == 1
    assert api.get("/v1/players/ada", portal).json["games"] == 1
    assert api.get(BOARD, other).json["entries_total"] == 0
    assert api.get("/v1/players/ada", other).slug == "player-not-found"
    assert api.get("/v1/players/ada/games", other).json == {"games": []}
    assert api.get(BOARD).status == 401
    around = api.get(f"/v1/games/{game['id']}/leaderboard").json
    assert [entry["player"] for entry in around["entries"]] == ["Ada"]
    assert game["id"].encode() not in api.get(BOARD, portal).raw


def test_a_portal_lists_the_games_of_a_player(api: Api, portal: dict[str, str]) -> None:
    started = [
        api.post("/v1/games", {"player": name, "reference": f"r{number}"}, portal).json
        for number, name in enumerate(("Ada", "ADA", "ada", "Ada"))
    ]
    api.post(f"/v1/games/{started[1]['id']}/finish")
    api.delete(f"/v1/games/{started[2]['id']}", portal)
    listed = api.get("/v1/players/Ada/games", portal).json["games"]
    assert {game["id"] for game in listed} == {
        started[number]["id"] for number in (0, 1, 3)
    }
    ended = api.get("/v1/players/Ada/games?status=ended", portal).json["games"]
    assert [game["reference"] for game in ended] == ["r1"]
    one = api.get("/v1/players/Ada/games?reference=r3", portal).json["games"]
    assert [game["id"] for game in one] == [started[3]["id"]]
    seen, path = [], "/v1/players/Ada/games?limit=1"
    while path:
        reply = api.get(path, portal)
        seen += [game["id"] for game in reply.json["games"]]
        link = reply.headers.get("Link")
        path = link.partition(">")[0].removeprefix("<") if link else ""
    assert sorted(seen) == sorted(game["id"] for game in listed)
    assert api.get("/v1/players/Ada/games").status == 401
    for query in ("status=over", "cursor=%21", "limit=x"):
        assert api.get(f"/v1/players/Ada/games?{query}", portal).status == 422


def test_an_erased_player_is_removed_everywhere(
    api: Api, portal: dict[str, str]
) -> None:
    game, other = _lose(api, portal), _lose(api, portal, player="Bob")
    day = game["daily"]
    assert api.delete("/v1/players/ADA", portal).status == 204
    for path in (
        BOARD,
        f"/v1/leaderboards/daily/{day}?variant=late-binding",
        f"/v1/leaderboards/monthly/{day[:7]}?variant=late-binding",
    ):
        entries = api.get(path, portal).json["entries"]
        assert [entry["player"] for entry in entries] == ["Bob"], path
    statistics = f"/v1/deals/daily/{day}/statistics?variant=late-binding"
    assert api.get(statistics, portal).json["players"] == 1
    assert api.get("/v1/players/Ada", portal).slug == "player-not-found"
    assert api.get("/v1/players/Ada/games", portal).json == {"games": []}
    kept = api.get(f"/v1/games/{game['id']}").json
    assert kept["player"] is None
    assert kept["version"] == game["version"]
    assert api.get(f"/v1/games/{other['id']}").json["player"] == "Bob"
    assert api.delete(f"/v1/games/{game['id']}", portal).status == 204
    assert api.get("/v1/players/Ada", portal).slug == "player-not-found"
    assert api.delete("/v1/players/Ada").status == 401


@pytest.mark.parametrize("name", ["%20", "%E2%A0%80", "..%2f", "x" * 33])
def test_invalid_names_are_refused(api: Api, portal: dict[str, str], name: str) -> None:
    assert api.get(f"/v1/players/{name}", portal).status in {404, 422}
