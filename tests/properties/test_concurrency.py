"""Concurrent writes, on real worker processes and a real store."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from tempfile import TemporaryDirectory
from threading import Barrier
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.properties.conftest import LONG_STORE_TIMEOUT
from tests.servers import Service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.servers import Response

_WRITERS = 50
_MOVE = {"from": 3, "to": 0}
_DECK = ["4S", "7H", "QC", "4D", "KD"]


class _Client(NamedTuple):
    """A client that sends JSON."""

    service: Service

    def post(self, path: str, value: object, **fields: str) -> Response:
        headers = {name.replace("_", "-"): field for name, field in fields.items()}
        return self.service.request(
            "POST",
            path,
            json.dumps(value).encode(),
            {"Content-Type": "application/json"} | headers,
            timeout=60,
        )

    def start(self, **body: object) -> Any:  # noqa: ANN401
        return json.loads(self.post("/v1/games", body).body)

    def get(self, path: str) -> Any:  # noqa: ANN401
        answer = self.service.request("GET", path, timeout=60)
        assert answer.status == 200
        return json.loads(answer.body)


@pytest.fixture(scope="module")
def client() -> Iterator[_Client]:
    """A client of a service with four worker processes."""
    with TemporaryDirectory(prefix="acc") as folder:
        settings = {"data_dir": folder, "workers": 4, "log_level": "warning"}
        with Service(settings | LONG_STORE_TIMEOUT) as service:
            yield _Client(service)


def _at_once(writers: Sequence[Callable[[], Response]]) -> list[Response]:
    """Send all writes at the same moment."""
    barrier = Barrier(len(writers))

    def run(write: Callable[[], Response]) -> Response:
        barrier.wait()
        return write()

    with ThreadPoolExecutor(len(writers)) as pool:
        return list(pool.map(run, writers))


def _statuses(answers: Sequence[Response]) -> Counter[int]:
    return Counter(answer.status for answer in answers)


def _check_record(client: _Client, game: Any, applied: int) -> Any:  # noqa: ANN401
    """Check the number of applied writes, and the record."""
    path = f"/v1/games/{game['id']}"
    now = client.get(path)
    assert now["version"] - 1 == applied
    record = client.get(f"{path}/record")
    replayed = json.loads(client.post("/v1/replays", record).body)
    assert replayed["valid"]
    assert replayed["row"] == now["row"]
    assert replayed["status"] == now["status"]
    return now


def test_writers_of_one_game(client: _Client) -> None:
    """Each reads the game and moves, deals, undoes or redoes, several times."""
    game = client.start(variant="accordion", seed="1", options={"layout": "stock"})
    path = f"/v1/games/{game['id']}"

    def play(number: int) -> list[Response]:
        answers = []
        for turn in range(4):
            match (number + turn) % 5:
                case 0 | 1:
                    answers.append(client.post(f"{path}/deal", {}))
                case 2:
                    moves = client.get(path)["legal_moves"] or [_MOVE]
                    answers.append(client.post(f"{path}/moves", moves[-1]))
                case 3:
                    answers.append(client.post(f"{path}/undo", {}))
                case _:
                    answers.append(client.post(f"{path}/redo", {}))
        return answers

    with ThreadPoolExecutor(_WRITERS) as pool:
        answers = [one for found in pool.map(play, range(_WRITERS)) for one in found]
    statuses = _statuses(answers)
    assert statuses.keys() <= {200, 409, 503}
    assert statuses[200] >= _WRITERS
    _check_record(client, game, statuses[200])
    versions = [json.loads(a.body)["version"] for a in answers if a.status == 200]
    assert sorted(versions) == list(range(2, statuses[200] + 2))


def test_writers_with_if_match(client: _Client) -> None:
    game = client.start(variant="accordion", seed="1", options={"layout": "stock"})
    path = f"/v1/games/{game['id']}/deal"
    for version in range(1, 4):
        field = f'"{version}"'
        deal = partial(client.post, path, {}, If_Match=field)
        answers = _at_once([deal] * _WRITERS)
        assert _statuses(answers) == {200: 1, 412: _WRITERS - 1}
        refused = [json.loads(a.body) for a in answers if a.status == 412]
        assert {problem["version"] for problem in refused} == {version + 1}
    assert _check_record(client, game, 3)["stock"] == 48


def test_the_same_move_twice(client: _Client) -> None:
    for _ in range(10):
        game = client.start(deck=_DECK)
        path = f"/v1/games/{game['id']}/moves"
        move = partial(client.post, path, _MOVE, If_Match='"1"')
        assert _statuses(_at_once([move, move])) == {200: 1, 412: 1}
        assert _check_record(client, game, 1)["row"] == ["4D", "7H", "QC", "KD"]


def test_one_end_of_a_game(client: _Client) -> None:
    """Finishing and playing at once: exactly one finish is applied."""
    game = client.start(variant="accordion", seed="1", options={"layout": "stock"})
    path = f"/v1/games/{game['id']}"
    writers = [
        partial(client.post, f"{path}/{action}", {})
        for action in ("finish", "deal") * (_WRITERS // 2)
    ]
    answers = _at_once(writers)
    statuses = _statuses(answers)
    assert statuses.keys() == {200, 409}
    assert _statuses(answers[0::2])[200] == 1
    now = _check_record(client, game, statuses[200])
    assert now["status"] == "ended"
    assert now["stock"] == 51 - _statuses(answers[1::2])[200]


def test_concurrent_deletions_of_a_game(client: _Client) -> None:
    game = client.start(deck=_DECK)
    path = f"/v1/games/{game['id']}"
    delete = partial(client.service.request, "DELETE", path, timeout=60)
    write = partial(client.post, f"{path}/moves", _MOVE)
    answers = _at_once([delete, write] * 10)
    assert _statuses(answers[0::2]) == {204: 1, 404: 9}
    assert _statuses(answers[1::2])[200] <= 2
    assert client.service.request("GET", path).status == 404


def _is_replay(answer: Response) -> bool:
    return answer.headers.get("Idempotent-Replayed") == "true"


def test_one_key_on_a_write(client: _Client) -> None:
    """Every other request is refused, or gets the response of the first."""
    for number in range(5):
        game = client.start(variant="accordion", seed="1", options={"layout": "stock"})
        path, key = f"/v1/games/{game['id']}/deal", f"key-{number}"
        write = partial(client.post, path, {}, Idempotency_Key=key)
        answers = _at_once([write] * 8)
        done = [answer for answer in answers if answer.status == 200]
        waiting = [json.loads(a.body)["type"] for a in answers if a.status != 200]
        assert set(waiting) <= {"/problems/idempotency-in-flight"}
        assert len({answer.body for answer in done}) == 1
        assert sum(not _is_replay(answer) for answer in done) == 1
        again = write()
        assert (again.body, _is_replay(again)) == (done[0].body, True)
        _check_record(client, game, 1)


def test_one_key_on_a_start(client: _Client) -> None:
    write = partial(
        client.post, "/v1/games", {}, Idempotency_Key="one-of-several-starts"
    )
    answers = _at_once([write] * _WRITERS)
    made = [json.loads(answer.body) for answer in answers if answer.status == 201]
    waiting = [json.loads(a.body)["type"] for a in answers if a.status != 201]
    assert set(waiting) <= {"/problems/idempotency-in-flight"}
    assert len({game["id"] for game in made}) == 1
    assert json.loads(write().body) == made[0]


def test_one_key_on_two_bodies(client: _Client) -> None:
    game = client.start(variant="accordion", seed="1", options={"layout": "stock"})
    path = f"/v1/games/{game['id']}/deal"
    writers = [
        partial(client.post, path, {"count": count}, Idempotency_Key="one")
        for count in (1, 2) * 8
    ]
    answers = _at_once(writers)
    done = [answer for answer in answers if answer.status == 200]
    assert len({answer.body for answer in done}) == 1
    assert sum(not _is_replay(answer) for answer in done) == 1
    refused = {json.loads(a.body)["type"] for a in answers if a.status != 200}
    assert "/problems/idempotency-key-reused" in refused
    assert refused <= {
        "/problems/idempotency-key-reused",
        "/problems/idempotency-in-flight",
    }
    _check_record(client, game, 1)
