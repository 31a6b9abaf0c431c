"""The players of a soak test. Each records in a log what the service acknowledged.

Some games have one player, who knows every action; others have several players at the
same time, who send each write with an idempotency key.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from loadtests.game_log import GameLog
from loadtests.http_client import Response, build_request
from loadtests.soak_client import (
    CONFLICT,
    CREATED,
    NO_CONTENT,
    NOT_FOUND,
    NOT_MODIFIED,
    OK,
    PRECONDITION_FAILED,
    problem_type,
)
from loadtests.soak_writes import HINT, Game, Write, choose_new_game, choose_write

if TYPE_CHECKING:
    import threading
    from random import Random

    from loadtests.soak_client import Observations, RetryingClient

_SHARED_SHARE = 0.35
_READ_SHARE = 0.15
_HINT_SHARE = 0.03
_DELETE_SHARE = 0.004
_IF_MATCH_SHARE = 0.5
_KEY_SHARE = 0.5
_MINIMAL_SHARE = 0.1
_REPEAT_SHARE = 0.2

_OUTDATED = {
    *("/problems/game-over", "/problems/illegal-move", "/problems/move-compulsory"),
    *("/problems/nothing-to-redo", "/problems/nothing-to-undo"),
    "/problems/stock-empty",
}
"""Problems of a write to a game that another player has changed meanwhile."""


class SoakGame:
    """A game of one player or of several at once."""

    def __init__(self, game: Game, *, shared: bool) -> None:
        self.path = f"/v1/games/{game['id']}"
        self.watch_path = f"/v1/watch/{game['watch_id']}"
        self.log = GameLog(self.path)
        self.shared = shared
        self.state: Game | None = game  # None if the last response did not show it
        self.etag = ""


class GamePool:
    """The logs of all games, and the games of several players."""

    def __init__(self, shared: int) -> None:
        self.logs: list[GameLog] = []
        self.shared: list[SoakGame | None] = [None] * shared


class SoakPlayer:
    """A player who records what was acknowledged."""

    def __init__(
        self,
        client: RetryingClient,
        pool: GamePool,
        observations: Observations,
        random: Random,
    ) -> None:
        self._client = client
        self._pool = pool
        self._observations = observations
        self._random = random

    def play(self, stop: threading.Event) -> None:
        """Play until `stop` is set; every request is answered by then."""
        own: SoakGame | None = None
        shared = self._pool.shared
        while not stop.is_set():
            if self._chance(_SHARED_SHARE):
                index = self._random.randrange(len(shared))
                game = shared[index] or self._create(shared=True)
                shared[index] = self._take_turn(game)
            else:
                own = self._take_turn(own or self._create(shared=False))

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _create(self, *, shared: bool) -> SoakGame:
        body = choose_new_game(self._random)
        response = self._client.send(
            build_request("POST", "/v1/games", body, self._new_key())
        )
        if response.status != CREATED:
            raise AssertionError(response)
        game = SoakGame(response.json(), shared=shared)
        if _version(response) != 1:
            self._observations.errors.append(f"{game.path} is new and has no version 1")
        game.etag = response.headers["etag"]
        self._pool.logs.append(game.log)
        return game

    def _new_key(self) -> dict[str, str]:
        return {"Idempotency-Key": f"{self._random.getrandbits(128):x}"}

    def _take_turn(self, game: SoakGame) -> SoakGame | None:
        """Read or write once; None if the game is over."""
        if game.state is None or self._chance(_READ_SHARE):
            self._read(game)
        if not game.shared and self._chance(_DELETE_SHARE):
            self._delete(game)
            return None
        state = game.state
        if state is None:
            return game
        write = choose_write(state, self._random)
        if write is None:
            return None
        if write.name != "finish" and self._chance(_HINT_SHARE):
            write = HINT
        self._write(game, write, state["version"])
        return game

    def _read(self, game: SoakGame) -> None:
        path, headers = game.path, {}
        if game.state is not None:
            headers["If-None-Match"] = game.etag
            suffix = self._random.choice(["", "/record", "/legal-moves"])
            path = game.path + suffix
            if suffix != "/legal-moves":
                path = self._random.choice([path, game.watch_path + suffix])
        latest = game.log.latest
        response = self._client.send(build_request("GET", path, headers=headers))
        if response.status not in {OK, NOT_MODIFIED}:
            self._report_loss(path, f"a read is answered {response}")
            return
        version = _version(response)
        if version < latest or (not game.shared and version != latest):
            self._report_loss(path, f"version {version} after {latest}")
        if response.status == OK and path == game.path:
            game.log.record_version(version)
            game.state, game.etag = response.json(), response.headers["etag"]

    def _write(self, game: SoakGame, write: Write, version: int) -> None:
        """Send a write, and record it if it is acknowledged."""
        latest = game.log.latest
        headers = {}
        if (write.needs_version and game.shared) or self._chance(_IF_MATCH_SHARE):
            headers["If-Match"] = f'"{version}"'
        if self._chance(_MINIMAL_SHARE):
            headers["Prefer"] = "return=minimal"
        if game.shared or self._chance(_KEY_SHARE):
            response = self._write_with_key(game, write, headers | self._new_key())
        else:
            response = self._write_without_key(game, write, version, headers)
        if response.status not in {OK, NO_CONTENT}:
            self._check_refusal(game, write, response)
            return
        made = _version(response)
        expected = latest + (write.effect is not None)
        if made < expected or (not game.shared and made != expected):
            self._report_loss(
                game.path, f"{write.name} made version {made} after {latest}"
            )
        if write.effect is not None:
            game.log.record_write(made, write.effect)
        shown = response.json() if response.body else {}
        game.state = shown if "legal_moves" in shown else None
        game.etag = response.headers["etag"]

    def _write_with_key(
        self, game: SoakGame, write: Write, headers: dict[str, str]
    ) -> Response:
        """Send a write until it is answered, and sometimes repeat it."""
        request = build_request(
            "POST", f"{game.path}/{write.name}", write.body, headers
        )
        response = self._client.send(request)
        if self._chance(_REPEAT_SHARE):
            repeated = self._client.send(request)
            self._observations.events.append("requests repeated")
            replayed = repeated.headers.get("idempotent-replayed") == "true"
            same = replayed and repeated.body == response.body
            # A 412 is not stored: the condition is checked again.
            if repeated.status != response.status or not (
                same or response.status == PRECONDITION_FAILED
            ):
                self._report_loss(game.path, f"{response} was repeated as {repeated}")
        return response

    def _write_without_key(
        self, game: SoakGame, write: Write, version: int, headers: dict[str, str]
    ) -> Response:
        """Send a write; if there is no response, find out whether it was done.

        Nobody else plays this game: the next version can only be this write's.
        """
        path, started = f"{game.path}/{write.name}", time.monotonic()
        request = build_request("POST", path, write.body, headers)
        response, retried = self._client.try_once(request), False
        while response is None:
            retried = True
            self._client.wait(started, request)
            if "If-Match" not in headers or self._chance(_IF_MATCH_SHARE):
                self._observations.events.append("results read back")
                current = self._client.send(build_request("GET", game.path))
                if current.status != OK or _version(current) != version:
                    return current
            headers = headers | {"If-Match": f'"{version}"'}
            request = build_request("POST", path, write.body, headers)
            response = self._client.try_once(request)
        done_before = retried and response.status == PRECONDITION_FAILED
        if done_before and response.json()["version"] == version + 1:
            return self._client.send(build_request("GET", game.path))
        return response

    def _check_refusal(self, game: SoakGame, write: Write, response: Response) -> None:
        outdated = response.status == PRECONDITION_FAILED or (
            response.status == CONFLICT and problem_type(response) in _OUTDATED
        )
        if not (game.shared and outdated):
            self._report_loss(
                game.path, f"{write.name} {write.body} is answered {response}"
            )
        game.state = None

    def _delete(self, game: SoakGame) -> None:
        request, started = build_request("DELETE", game.path), time.monotonic()
        expected = {NO_CONTENT}
        while (response := self._client.try_once(request)) is None:
            expected = {NO_CONTENT, NOT_FOUND}
            self._client.wait(started, request)
        if response.status not in expected:
            self._report_loss(game.path, f"the deletion is answered {response}")
        game.log.deleted = True

    def _report_loss(self, path: str, loss: str) -> None:
        self._observations.losses.append(f"{path}: {loss}")


def _version(response: Response) -> int:
    """The version that a response is about."""
    if "etag" in response.headers:
        return int(response.headers["etag"].strip('"').partition(".")[0])
    version: int = response.json()["version"]
    return version
