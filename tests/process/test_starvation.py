"""Players beside clients that keep the solver busy."""

from __future__ import annotations

import json
from collections import Counter
from itertools import cycle, islice
from threading import Event, Thread
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Final

import pytest

from tests.hard_rows import HARD_ROWS
from tests.process.playing import move, new_game, post
from tests.servers import free_port

if TYPE_CHECKING:
    from tests.conftest import Serve
    from tests.servers import Service

_PLAYERS: Final = 4
_ANALYSTS: Final = 8
_PAUSE_SECONDS: Final = 0.02
_SEARCH_SECONDS: Final = 2
_WAIT_SECONDS: Final = 120


class Traffic:
    """Clients of a service for some seconds, each in a thread.

    Attributes:
        rate: The moves per second.
        moves: The seconds that each move took.
        analyses: The analyses, by status and `Retry-After`.
    """

    def __init__(self, service: Service, seconds: float, analysts: int) -> None:
        self.moves: list[float] = []
        self.analyses: Counter[tuple[int, str | None]] = Counter()
        self._service = service
        self._stop = Event()
        rows = islice(cycle(HARD_ROWS), analysts)
        threads = [Thread(target=self._play) for _ in range(_PLAYERS)]
        threads += [Thread(target=self._analyse, args=(row,)) for row in rows]
        for thread in threads:
            thread.start()
        sleep(seconds)
        self._stop.set()
        for thread in threads:
            thread.join()
        self.rate = len(self.moves) / seconds

    @property
    def p99(self) -> float:
        return sorted(self.moves)[len(self.moves) * 99 // 100]

    def _play(self) -> None:
        game = new_game(self._service)
        while not self._stop.is_set():
            started = perf_counter()
            answer = move(self._service, game)
            self.moves.append(perf_counter() - started)
            assert answer.status == 200, answer
            game = json.loads(answer.body)
            if not game["legal_moves"]:
                game = new_game(self._service)
            sleep(_PAUSE_SECONDS)

    def _analyse(self, row: list[str]) -> None:
        body = {"row": row, "budget_ms": 1000 * _SEARCH_SECONDS}
        while not self._stop.is_set():
            answer = post(self._service, "/v1/analysis", body, _WAIT_SECONDS)
            fields = {name.lower(): value for name, value in answer.headers.items()}
            self.analyses[answer.status, fields.get("retry-after")] += 1


@pytest.mark.parametrize("server", ["gunicorn", "granian"])
def test_no_player_waits_for_a_long_search(served: Serve, server: str) -> None:
    default_workers = ""
    service = served(server=server, workers=default_workers, port=free_port())
    alone = Traffic(service, 2, analysts=0)
    beside = Traffic(service, 5, analysts=_ANALYSTS)
    assert set(beside.analyses) == {(200, None), (503, "1")}
    assert beside.p99 < _SEARCH_SECONDS / 2
    assert beside.rate > alone.rate / 4
