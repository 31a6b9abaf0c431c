"""What happens when a game ends: each handler, told of an end more than once."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

import service.games
from service.games.game_end import EndHandler, GameEnds

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.games.game_end import GameEnd
    from tests.http.client import Api
    from tests.servers import StoreServer


def handlers() -> set[type]:
    """Every class of the use cases that handles ends."""
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


@pytest.mark.parametrize("stops", [True, False])
def test_a_handler_that_is_told_of_an_end_again_changes_nothing(
    make_api: Callable[..., Api],
    valkey_server: StoreServer,
    monkeypatch: pytest.MonkeyPatch,
    *,
    stops: bool,
) -> None:
    stored: list[dict[bytes, bytes]] = []
    settle = GameEnds.settle

    def settle_twice(ends: GameEnds, end: GameEnd) -> None:
        assert {type(handler) for handler in ends.handlers} == handlers()
        assert all(handler.concerns(end) for handler in ends.handlers)
        for _ in range(2):
            settle(ends, end)
            with valkey_server.client() as client:
                stored.append({name: client.dump(name) for name in client.scan_iter()})

    monkeypatch.setattr(GameEnds, "settle", settle_twice)
    api = make_api()
    game = api.start(variant="late-binding", daily=True, player="Ada")
    if stops:
        game = api.play(game, "finish").json
    while game["status"] == "playing":
        game = api.move(game, *game["legal_moves"][-1].values())
    once, twice = stored
    assert once == twice
