"""The handlers of the end of a game can be called more than once for an end."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

import service.games
from service.games.game_end import EndHandler, GameEnds
from tests.security.conftest import bearer_fields

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from service.games.game_end import GameEnd
    from tests.http.client import Api
    from tests.servers import StoreServer


def handlers() -> set[type]:
    """Every class in `service.games` that handles ends."""
    modules = [
        import_module(f"service.games.{module.name}")
        for module in pkgutil.iter_modules(service.games.__path__)
    ]
    return {
        kind
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type)
        and kind is not EndHandler
        and hasattr(kind, "concerns")
        and hasattr(kind, "handle")
    }


@pytest.fixture
def stored(
    valkey_server: StoreServer, monkeypatch: pytest.MonkeyPatch
) -> list[dict[bytes, bytes]]:
    """Calls every handler twice; holds the content of the store after each call."""
    found: list[dict[bytes, bytes]] = []
    settle = GameEnds.settle

    def settle_twice(ends: GameEnds, end: GameEnd) -> None:
        assert {type(handler) for handler in ends.handlers} == handlers()
        assert all(handler.concerns(end) for handler in ends.handlers)
        for _ in range(2):
            settle(ends, end)
            with valkey_server.client() as client:
                found.append({name: client.dump(name) for name in client.scan_iter()})

    monkeypatch.setattr(GameEnds, "settle", settle_twice)
    return found


@pytest.mark.parametrize("stops", [True, False])
def test_a_handler_called_twice_for_an_end_changes_nothing_more(
    make_api: Callable[..., Api],
    new_key: Callable[..., str],
    keys_file: Path,
    stored: list[dict[bytes, bytes]],
    *,
    stops: bool,
) -> None:
    key = bearer_fields(new_key("portal"))
    api = make_api(api_keys_file=keys_file, webhooks=("portal.example.org",))
    webhook = {"url": "https://portal.example.org/hook", "events": ["game.over"]}
    assert api.post("/v1/webhooks", webhook, key).status == 201
    body = {"variant": "late-binding", "daily": True, "player": "Ada"}
    game = api.post("/v1/games", body, key).json
    path = f"/v1/games/{game['id']}"
    if stops:
        game = api.post(f"{path}/finish").json
    while game["status"] == "playing":
        game = api.post(f"{path}/moves", game["legal_moves"][-1]).json
    once, twice = stored
    assert once == twice
