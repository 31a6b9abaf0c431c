"""Reviews during moves, and after the process that computes them was killed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from tests.hard_rows import HARD_ROWS
from tests.servers import wait_until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.conftest import Serve
    from tests.servers import Service

_JSON: Final = {"Content-Type": "application/json"}
_EASY_ROW: Final = ["5S", "4S", "7H", "6S", "4H"]
_MOVES: Final = 20


def _post(service: Service, path: str, **body: object) -> Any:  # noqa: ANN401
    answer = service.request("POST", path, json.dumps(body).encode(), _JSON)
    assert answer.status in {200, 201}, answer
    return json.loads(answer.body)


def _end(service: Service, deck: Sequence[str]) -> str:
    """Finish a game before its first move; return the path of its review."""
    game = f"/v1/games/{_post(service, '/v1/games', deck=deck)['id']}"
    _post(service, f"{game}/finish")
    return f"{game}/review"


def test_reviews_do_not_delay_moves_and_can_restart_after_a_kill(served: Serve) -> None:
    service = served(workers=1)
    hard, easy = _end(service, HARD_ROWS[0]), _end(service, _EASY_ROW)
    for path in (hard, easy):
        assert service.request("POST", path).status == 202
    game = _post(service, "/v1/games", seed="42")
    for _ in range(_MOVES):
        move = game["legal_moves"][0]
        game = _post(service, f"/v1/games/{game['id']}/moves", **move)
    assert [service.request("GET", path).status for path in (hard, easy)] == [202] * 2
    (worker,) = service.workers
    worker.kill()
    wait_until(lambda: service.request("GET", easy).status == 200)
    assert service.request("POST", hard).status == 202
    assert service.stop() == 0
