"""`accordion players erase`, on a real store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from service.cli import main
from service.config import Settings
from service.http.app import create_app
from tests.http.client import Api

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

    from service.store.redis import RedisStore
    from tests.servers import StoreServer

_BOARD = "/v1/leaderboards/all-time?variant=late-binding"


@pytest.fixture
def api(store: RedisStore) -> Api:
    return Api(create_app(Settings(), store))


def erase(*words: str, **environ: str) -> Result:
    env = {f"ACCORDION_{name.upper()}": value for name, value in environ.items()}
    return CliRunner().invoke(main, ["players", "erase", *words], env=env)


def test_a_player_is_erased(api: Api, valkey_server: StoreServer) -> None:
    games = []
    for name in ("Ada", "Bob"):
        game = api.start(variant="late-binding", daily=True, player=name)
        while game["status"] == "playing":
            game = api.move(game, *game["legal_moves"][-1].values())
        games.append(game)
    assert api.get(_BOARD).json["entries_total"] == 2
    result = erase("ADA", redis_url=valkey_server.url)
    assert (result.exit_code, result.output) == (0, "")
    entries = api.get(_BOARD).json["entries"]
    assert [entry["player"] for entry in entries] == ["Bob"]
    assert api.get("/v1/players/ada").slug == "player-not-found"
    shown = [api.get(f"/v1/games/{game['id']}").json for game in games]
    assert [game["player"] for game in shown] == [None, "Bob"]
    assert erase("Ada", "--tenant", "other", redis_url=valkey_server.url).exit_code == 0
    assert api.get("/v1/players/Bob").status == 200


def test_an_invalid_name_is_refused(valkey_server: StoreServer) -> None:
    result = erase("a/b", redis_url=valkey_server.url)
    assert result.exit_code == 2
    assert "not a name of a player" in result.output


def test_an_unreachable_store_is_reported(tmp_path: Path) -> None:
    result = erase("Ada", data_dir=str(tmp_path))
    assert result.exit_code == 2
    assert result.output.startswith("accordion: ")
