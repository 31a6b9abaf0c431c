"""Players over HTTP who never take no for an answer, and count what they were told."""

import json
import time
from collections.abc import Mapping
from itertools import count
from threading import Event, Thread
from typing import Any

from service.games.ids import watch_id_of
from service.store.keyspace import game_name
from service.store.protocol import GameKey
from tests.servers import Answer, Service

_PAUSE_SECONDS = 0.05
_AGAIN = {409: "idempotency-in-flight", 503: "store-unavailable"}
_STALE = 412
_JSON = {"Content-Type": "application/json"}


class Player(Thread):
    """Plays one game, sending each move until it is acknowledged.

    With the same Idempotency-Key each time a move is made once, and told again. Without
    keys If-Match has it made once; where an answer said that the store is away, 412 can
    mean that it had been made, and a look at the game tells.

    Attributes:
        game: the game as it was last acknowledged.
        acknowledged: how many moves and undos were.
        refused: how many answers said that the store is away.
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
        self.wrong: str | None = None
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
            self.wrong = repr(error)

    def finish(self) -> None:
        """Stop once the move under way is acknowledged."""
        self._done.set()
        self.join()
        assert self.wrong is None, self.wrong

    def _start(self) -> Any:  # noqa: ANN401
        fields = _JSON | {"Idempotency-Key": f"the-start-of-game-{self._seed}"}
        answer = self._send("POST", "/v1/games", {"seed": self._seed}, fields)
        return json.loads(answer.body)

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
        """Write until it is done, and once; the game as it is then."""
        fields = _JSON | {"If-Match": f'"{self.game["version"]}"'}
        if self._keyed:
            fields["Idempotency-Key"] = f"{self._seed}-{next(self._keys)}"
        before = self.refused
        answer = self._send("POST", path, body, fields)
        if answer.status == _STALE:
            assert not self._keyed, answer
            assert self.refused > before, answer
            answer = self._send("GET", self.path, None, {})
        return json.loads(answer.body)

    def _send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        fields: Mapping[str, str],
    ) -> Answer:
        """Send until it is answered by more than that it has to be sent again."""
        data = None if body is None else json.dumps(body).encode()
        while True:
            answer = self._service.request(method, path, data, fields)
            if answer.status in {200, 201, _STALE}:
                return answer
            self._must_be_passing(answer)
            self.refused += 1
            time.sleep(_PAUSE_SECONDS)

    def _must_be_passing(self, answer: Answer) -> None:
        kind = json.loads(answer.body)["type"]
        assert kind == f"/problems/{_AGAIN.get(answer.status)}", answer
