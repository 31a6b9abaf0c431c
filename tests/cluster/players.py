"""Players over HTTP that repeat requests until they succeed, and count responses."""

import json
import time
from collections.abc import Mapping
from itertools import count
from threading import Event, Thread
from typing import Any

from service.games.ids import watch_id_of
from service.store.keyspace import game_name
from service.store.protocol import GameKey
from tests.servers import Response, Service

_PAUSE_SECONDS = 0.05
_RETRIED = {409: "idempotency-in-flight", 503: "store-unavailable"}
_STALE = 412
_JSON = {"Content-Type": "application/json"}


class Player(Thread):
    """Plays one game, sending each move until it is acknowledged.

    With an Idempotency-Key a repeated move is made once, and its response is repeated.
    Without one, If-Match ensures that it is made once: after a 503, a 412 can mean that
    the move had been made, so the player reads the game.

    Attributes:
        game: The last acknowledged state of the game.
        acknowledged: The number of acknowledged moves and undos.
        refused: The number of responses that asked to repeat the request.
        error: What went wrong, if something did.
    """

    def __init__(self, service: Service, seed: int, *, keyed: bool = True) -> None:
        super().__init__(daemon=True)
        self._keyed = keyed
        self._service = service
        self._seed = seed
        self._done = Event()
        self._keys = count()
        self.acknowledged = 0
        self.refused = 0
        self.error: str | None = None
        self.game = self._start()

    @property
    def path(self) -> str:
        return f"/v1/games/{self.game['id']}"

    @property
    def key(self) -> bytes:
        """The key of the game in the store."""
        return game_name(GameKey("", watch_id_of(self.game["id"])))

    def run(self) -> None:
        try:
            while not self._done.is_set():
                self._act()
        except AssertionError as error:
            self.error = repr(error)

    def finish(self) -> None:
        """Stop once the current move is acknowledged."""
        self._done.set()
        self.join()
        assert self.error is None, self.error

    def _start(self) -> Any:  # noqa: ANN401
        fields = _JSON | {"Idempotency-Key": f"the-start-of-game-{self._seed}"}
        response = self._send("POST", "/v1/games", {"seed": self._seed}, fields)
        return json.loads(response.body)

    def _act(self) -> None:
        before = self.game
        if before["legal_moves"]:
            after = self._post(f"{self.path}/moves", before["legal_moves"][0])
            assert after["moves"] == before["moves"] + 1
        else:
            after = self._post(f"{self.path}/undo", {"count": "all"})
            assert after["moves"] == 0
        assert after["version"] == before["version"] + 1
        self.game = after
        self.acknowledged += 1

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:  # noqa: ANN401
        """Make a write exactly once; return the game after it."""
        fields = _JSON | {"If-Match": f'"{self.game["version"]}"'}
        if self._keyed:
            fields["Idempotency-Key"] = f"{self._seed}-{next(self._keys)}"
        before = self.refused
        response = self._send("POST", path, body, fields)
        if response.status == _STALE:
            assert not self._keyed, response
            assert self.refused > before, response
            response = self._send("GET", self.path, None, {})
        return json.loads(response.body)

    def _send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        fields: Mapping[str, str],
    ) -> Response:
        """Repeat a request until the response is 200, 201 or 412."""
        data = None if body is None else json.dumps(body).encode()
        while True:
            response = self._service.request(method, path, data, fields)
            if response.status in {200, 201, _STALE}:
                return response
            self._check_is_temporary(response)
            self.refused += 1
            time.sleep(_PAUSE_SECONDS)

    def _check_is_temporary(self, response: Response) -> None:
        kind = json.loads(response.body)["type"]
        assert kind == f"/problems/{_RETRIED.get(response.status)}", response
