"""A service with a settable clock, for tests of boards."""

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


class BoardService:
    """A service whose clock is set by hand, and helpers to play and read boards."""

    def __init__(self, store: RedisStore, patch: pytest.MonkeyPatch) -> None:
        self.store = store
        self.now = 0
        patch.setattr("service.http.app.now", lambda: self.now)
        self.set_time(f"{DAY}T12:00:00+00:00")
        self.api = self.new_process()

    def new_process(self) -> Api:
        """The API of another process."""
        return Api(create_app(Settings(daily_secret="salt"), self.store))

    def sweep(self) -> None:
        """Do the duties that processes have left, as each worker does regularly."""
        runner = self.store.runner
        make_use_cases(Settings(), self.store, runner, lambda: self.now).ends.sweep()

    def set_time(self, text: str) -> None:
        self.now = int(datetime.fromisoformat(text).timestamp() * 1000)

    def start(self, player: str | None, **body: object) -> Any:  # noqa: ANN401
        daily = {"variant": VARIANT, "daily": True, "player": player}
        if player is None:
            daily.pop("player")
        return self.api.start(**daily | body)

    def solve(self, game: dict[str, Any]) -> list[dict[str, int]]:
        """Solve the deal of the day in a game without a player."""
        other = self.start(None)
        path = f"/v1/games/{other['id']}/solution"
        actions = self.api.post(path, {}).json["actions"]
        assert actions, game
        return [{"from": one["from"], "to": one["to"]} for one in actions]

    def lose(self, game: dict[str, Any]) -> dict[str, Any]:
        """Make the last legal move until none is left; the game must be lost."""
        while game["status"] == "playing":
            game = self.api.move(game, *game["legal_moves"][-1].values())
        assert game["status"] == "lost"
        return game

    def win(self, player: str | None, seconds: int = 10, **body: object) -> Any:  # noqa: ANN401
        game = self.start(player, **body)
        line = self.solve(game)
        self.now += seconds * 1000
        won = self.api.play(game, "moves", moves=line)
        assert won.json["status"] == "won", won.raw
        return won.json

    def board(self, path: str = BOARD, query: str = "") -> Any:  # noqa: ANN401
        reply = self.api.get(f"{path}?variant={VARIANT}{query}")
        assert reply.status == 200, reply.raw
        return reply.json

    def entries(self, path: str = BOARD) -> list[tuple[int, str, int]]:
        return [
            (entry["rank"], entry["player"], entry["score"])
            for entry in self.board(path)["entries"]
        ]
