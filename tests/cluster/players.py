"""Players over HTTP who never take no for an answer, and count what they were told."""

import json
import time
from collections.abc import Mapping
from itertools import count
from threading import Event, Thread
from typing import Any

from service.games import watch_id_of
from service.store.names import game_name
from service.store.protocol import GameKey
from tests.servers import Answer, Service

_PAUSE_SECONDS = 0.05
_AGAIN = {409: "idempotency-in-flight", 503: "store-unavailable"}


class Player(Thread):
    """Plays one game, sending each move until it is acknowledged.

    Attributes:
        game: the game as it was last acknowledged.
        acknowledged: how many moves and undos were.
        refused: how many answers said that the store is away.
    """

    def __init__(self, service: Service, seed: int) -> None:
        super().__init__(daemon=True)
        self._service = service
        self._seed = seed
        self._done = Event()
        self._keys = count()
        self.acknowledged = 0
        self.refused = 0
        self.wrong: str | None = None
        self.game = self._post("/v1/games", {"seed": seed})

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
            self.wrong = repr(error)

    def finish(self) -> None:
        """Stop once the move under way is acknowledged."""
        self._done.set()
        self.join()
        assert self.wrong is None, self.wrong

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
        """Send until it is done; the same key each time, so that it is done once."""
        fields = {
            "Content-Type": "application/json",
            "Idempotency-Key": f"{self._seed}-{next(self._keys)}",
        }
        if hasattr(self, "game"):
            fields["If-Match"] = f'"{self.game["version"]}"'
        while True:
            answer = self._service.request(
                "POST", path, json.dumps(body).encode(), fields
            )
            if answer.status in {200, 201}:
                return json.loads(answer.body)
            self._must_be_passing(answer)
            self.refused += 1
            time.sleep(_PAUSE_SECONDS)

    def _must_be_passing(self, answer: Answer) -> None:
        kind = json.loads(answer.body)["type"]
        assert kind == f"/problems/{_AGAIN.get(answer.status)}", answer
