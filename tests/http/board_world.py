"""A service whose clock is set by hand, and its boards."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from service.config import Settings
from service.games.use_cases import make_use_cases
from service.http.app import create_app
from tests.http.client import Api

if TYPE_CHECKING:
    import pytest

    from service.store.redis import RedisStore

VARIANT = "late-binding"
DAY = "2026-12-01"
BOARD = f"/v1/leaderboards/daily/{DAY}"


class World:
    """A service whose clock is set by hand."""

    def __init__(self, store: RedisStore, patch: pytest.MonkeyPatch) -> None:
        self.store = store
        self.now = 0
        patch.setattr("service.http.app.now", lambda: self.now)
        self.at(f"{DAY}T12:00:00+00:00")
        self.api = self.another()

    def another(self) -> Api:
        """Another process."""
        return Api(create_app(Settings(daily_secret="salt"), self.store))

    def sweep(self) -> None:
        """Do what processes have left undone, as each worker does now and then."""
        runner = self.store.runner
        make_use_cases(Settings(), self.store, runner, lambda: self.now).ends.sweep()

    def at(self, text: str) -> None:
        self.now = int(datetime.fromisoformat(text).timestamp() * 1000)

    def start(self, player: str | None, **wish: object) -> Any:  # noqa: ANN401
        daily = {"variant": VARIANT, "daily": True, "player": player}
        if player is None:
            daily.pop("player")
        return self.api.start(**daily | wish)

    def solve(self, game: dict[str, Any]) -> list[dict[str, int]]:
        """A line that wins, found in a game of nobody."""
        other = self.start(None)
        path = f"/v1/games/{other['id']}/solution"
        actions = self.api.post(path, {}).json["actions"]
        assert actions, game
        return [{"from": one["from"], "to": one["to"]} for one in actions]

    def lose(self, game: dict[str, Any]) -> dict[str, Any]:
        """Play the last legal move until none is left, and not into a win."""
        while game["status"] == "playing":
            game = self.api.move(game, *game["legal_moves"][-1].values())
        assert game["status"] == "lost"
        return game

    def win(self, player: str | None, seconds: int = 10, **wish: object) -> Any:  # noqa: ANN401
        game = self.start(player, **wish)
        line = self.solve(game)
        self.now += seconds * 1000
        won = self.api.play(game, "moves", moves=line)
        assert won.json["status"] == "won", won.raw
        return won.json

    def board(self, path: str = BOARD, query: str = "") -> Any:  # noqa: ANN401
        reply = self.api.get(f"{path}?variant={VARIANT}{query}")
        assert reply.status == 200, reply.raw
        return reply.json

    def shown(self, path: str = BOARD) -> list[tuple[int, str, int]]:
        return [
            (entry["rank"], entry["player"], entry["score"])
            for entry in self.board(path)["entries"]
        ]
