"""Players of a service, and clients that keep its solver busy at the same time."""

from __future__ import annotations

import json
from collections import Counter
from itertools import cycle, islice
from threading import Event, Thread
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any, Final

from tests.hard_rows import HARD_ROWS
from tests.process.wire import RawResponse, ask, post

if TYPE_CHECKING:
    from tests.servers import Service

PLAYERS: Final = 4
ANALYSTS: Final = 8
SEARCH_SECONDS: Final = 2
_PAUSE_SECONDS: Final = 0.02
_CLOSE: Final = "Connection: close"
_NEW_GAME: Final = post("/v1/games", b"{}", _CLOSE)


class Traffic:
    """Clients of a service, each in a thread.

    Attributes:
        seconds: How long they run.
        moves: The seconds that each move took.
        analyses: The number of analyses, by status and `Retry-After`.
    """

    def __init__(
        self, service: Service, seconds: float, *, players: int, analysts: int
    ) -> None:
        self.seconds = seconds
        self.moves: list[float] = []
        self.analyses: Counter[tuple[int, str | None]] = Counter()
        self._service = service
        self._stop = Event()
        rows = islice(cycle(HARD_ROWS), analysts)
        threads = [Thread(target=self._play) for _ in range(players)]
        threads += [Thread(target=self._analyse, args=(row,)) for row in rows]
        for thread in threads:
            thread.start()
        sleep(seconds)
        self._stop.set()
        for thread in threads:
            thread.join()

    @property
    def rate(self) -> float:
        """Moves per second."""
        return len(self.moves) / self.seconds

    @property
    def p99(self) -> float:
        """The 99th percentile of the seconds per move."""
        return sorted(self.moves)[len(self.moves) * 99 // 100]

    def _play(self) -> None:
        game = self._ask(_NEW_GAME)
        while not self._stop.is_set():
            started = perf_counter()
            game = self._move(game)
            self.moves.append(perf_counter() - started)
            if not game["legal_moves"]:
                game = self._ask(_NEW_GAME)
            sleep(_PAUSE_SECONDS)

    def _move(self, game: dict[str, Any]) -> dict[str, Any]:
        move = json.dumps(game["legal_moves"][0]).encode()
        return self._ask(post(f"/v1/games/{game['id']}/moves", move, _CLOSE))

    def _ask(self, data: bytes) -> dict[str, Any]:
        response = ask(self._service, data)
        assert response.status in {200, 201}, response
        result: dict[str, Any] = json.loads(response.body)
        return result

    def _analyse(self, row: list[str]) -> None:
        body = {"row": row, "budget_ms": 1000 * SEARCH_SECONDS}
        data = post("/v1/analysis", json.dumps(body).encode(), _CLOSE)
        while not self._stop.is_set():
            self._count(ask(self._service, data))

    def _count(self, response: RawResponse) -> None:
        fields = {name.lower(): value for name, value in response.fields.items()}
        self.analyses[response.status, fields.get("retry-after")] += 1
