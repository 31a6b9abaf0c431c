"""Logs, request ids and metrics, with several workers."""

from __future__ import annotations

import json
import re
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.process.busy import BusyService
from tests.process.wire import LIVENESS
from tests.servers import wait_until

if TYPE_CHECKING:
    import psutil

    from tests.conftest import Serve
    from tests.servers import Service

_GAMES = 12
_SLOT_SIZE = 1 << 18
_SECRETS = ("seed-of-my-own", "an-api-key")


def _post(service: Service, path: str, value: object, **headers: str) -> Any:  # noqa: ANN401
    fields = {"Content-Type": "application/json", **headers}
    response = service.request("POST", path, json.dumps(value).encode(), fields)
    return json.loads(response.body)


def _metrics(service: Service) -> dict[str, float]:
    response = service.request("GET", "/metrics")
    assert response.status == 200
    fields = {name.lower(): value for name, value in response.headers.items()}
    assert fields["content-type"].startswith("text/plain")
    lines = response.body.decode().splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}


def _lines(service: Service) -> list[dict[str, Any]]:
    lines = service.output().splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def _requests(service: Service) -> list[dict[str, Any]]:
    return [line for line in _lines(service) if line["message"] == "request"]


def test_metrics_are_right_with_several_workers(served: Serve) -> None:
    service = served(workers=3)
    for _ in range(_GAMES):
        game = _post(service, "/v1/games", {"deck": ["4S", "4D"]})
        _post(service, f"/v1/games/{game['id']}/moves", {"from": 1, "to": 0})
        _post(service, f"/v1/games/{game['id']}/moves", {"from": 1, "to": 0})
    lost = _post(service, "/v1/games", {"variant": "bayan", "deck": ["4S", "KD"]})
    assert lost["status"] == "lost"
    metrics = _metrics(service)
    assert metrics['accordion_games_started_total{variant="accordion"}'] == _GAMES
    won = 'accordion_games_ended_total{status="won",variant="accordion"}'
    assert metrics[won] == _GAMES
    assert metrics['accordion_games_ended_total{status="lost",variant="bayan"}'] == 1
    moves = 'accordion_requests_total{operation="makeMove",status="%s"}'
    assert metrics[moves % 200] == _GAMES
    assert metrics[moves % 409] == _GAMES
    timed = 'accordion_request_duration_seconds_%s{%soperation="makeMove"}'
    assert metrics[timed % ("count", "")] == 2 * _GAMES
    assert metrics[timed % ("bucket", 'le="+Inf",')] == 2 * _GAMES
    assert 0 < metrics[timed % ("sum", "")] < 60
    assert metrics["accordion_store_duration_seconds_count"] >= 3 * _GAMES


def test_counts_remain_after_workers_die_and_their_slots_are_reused(
    served: Serve,
) -> None:
    service = served(workers=1)
    for number in range(1, 5):
        _post(service, "/v1/games", {})
        metrics = _metrics(service)
        assert metrics['accordion_games_started_total{variant="accordion"}'] == number
        wait_until(lambda: bool(service.workers))
        (worker,) = service.workers
        worker.kill()
        worker.wait()
    wait_until(lambda: bool(service.workers))
    assert _memory(service.workers[0]) == 2 * _SLOT_SIZE  # the master's and a worker's


def _memory(worker: psutil.Process) -> int:
    """Return the size in bytes of the memory that holds the counts."""
    found = [
        handle.stat().st_size
        for handle in Path(f"/proc/{worker.pid}/fd").iterdir()
        if "accordion-numbers" in str(handle.readlink())
    ]
    return max(found)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports arrivals")
def test_time_in_the_queue_is_measured(served: Serve) -> None:
    """The first request, for a new game, waits for the store; the rest are queued."""
    service = served(workers=1, store_timeout=10)
    scrape = LIVENESS.replace(b"livez", b"metrics")
    busy = BusyService(service, [scrape, *[LIVENESS] * 5])
    time.sleep(1.5)
    busy.resume_store()
    _, scraped, *rest = busy.responses()
    assert "accordion_backlog_connections 5.0" in scraped.body.decode().splitlines()
    assert [response.status for response in rest] == [200] * 5
    metrics = _metrics(service)
    timed = 'accordion_request_duration_seconds_%s{%soperation="getLiveness"}'
    assert metrics[timed % ("sum", "")] > 5 * 1.4
    assert metrics[timed % ("bucket", 'le="1.0",')] == 0
    lines = [line for line in _requests(service) if line["route"] == "/livez"]
    assert all(line["milliseconds"] > 1400 for line in lines)
    assert metrics["accordion_backlog_connections"] == 0


def test_errors_of_the_store_are_counted(served: Serve) -> None:
    service = served(workers=1)
    service.store.suspend()
    assert service.request("GET", "/readyz").status == 503
    service.store.resume()
    metrics = _metrics(service)
    errors = [name for name in metrics if name.startswith("accordion_store_errors_t")]
    assert sum(metrics[name] for name in errors) >= 1


def test_each_request_is_logged_in_one_line(served: Serve) -> None:
    service = served(workers=2)
    game = _post(service, "/v1/games", {}, **{"X-Request-ID": "mine-1"})
    service.request("GET", f"/v1/games/{game['id']}")
    service.request("GET", "/nowhere/at/all")
    lines = _requests(service)
    assert [line["operation"] for line in lines] == ["createGame", "getGame", "none"]
    assert [line["status"] for line in lines] == [201, 200, 404]
    assert [line["method"] for line in lines] == ["POST", "GET", "GET"]
    assert lines[0]["request_id"] == "mine-1"
    assert lines[1]["route"] == "/v1/games/{game_id}"
    assert all(line["milliseconds"] > 0 for line in lines)
    assert all(re.fullmatch(r"\d{4}-.*T.*\.\d{3}Z", line["time"]) for line in lines)


def test_requests_are_not_logged_at_a_higher_level(served: Serve) -> None:
    service = served(workers=1, log_level="warning")
    service.request("GET", "/livez")
    assert _requests(service) == []


def test_log_lines_contain_no_secret(served: Serve) -> None:
    service = served(workers=1, log_level="debug")
    body = {"seed": _SECRETS[0], "player": "Ada"}
    # A random request id could contain the name of a card.
    fields = {"Authorization": f"Bearer {_SECRETS[1]}", "X-Request-ID": "one-of-mine"}
    game = _post(service, "/v1/games", body, **fields)
    _post(service, f"/v1/games/{game['id']}/moves", {"from": 50, "to": 0}, **fields)
    service.request("GET", f"/v1/deals?seed={_SECRETS[0]}", headers=fields)
    output = service.output()
    for secret in (*_SECRETS, game["id"], game["watch_id"], *game["row"], "Ada"):
        assert secret not in output


def test_unsafe_request_ids_are_replaced(served: Serve) -> None:
    """An id is unsafe if it cannot be written to a log unchanged."""
    service = served(workers=1)
    response = service.request("GET", "/livez", headers={"X-Request-ID": "a.b:c-1"})
    assert response.headers["X-Request-ID"] == "a.b:c-1"
    for text in ("", "two words", "x" * 65, 'a"b', "caf\xe9"):
        response = service.request("GET", "/livez", headers={"X-Request-ID": text})
        assert re.fullmatch(r"[A-Za-z0-9_-]{16}", response.headers["X-Request-ID"])
        assert _requests(service)[-1]["request_id"] == response.headers["X-Request-ID"]


def test_a_malformed_request_is_logged_and_counted(served: Serve) -> None:
    service = served(workers=1)
    with socket.create_connection((service.host, service.port)) as client:
        client.sendall(b"GET / HTTP/1.1\r\nno field\r\n\r\n")
        response = b"".join(iter(lambda: client.recv(65536), b""))
    assert response.startswith(b"HTTP/1.1 400 ")
    (line,) = _requests(service)
    assert (line["operation"], line["status"]) == ("none", 400)
    assert f"X-Request-ID: {line['request_id']}\r\n".encode() in response
    counted = 'accordion_requests_total{operation="none",status="400"}'
    assert _metrics(service)[counted] == 1


@pytest.mark.parametrize("rate_limit", ["", "9999/day"])
@pytest.mark.parametrize("server", ["gunicorn", "granian"])
def test_a_move_takes_one_round_trip_to_the_store_in_any_worker(
    served: Serve, server: str, rate_limit: str
) -> None:
    service = served(workers=4, server=server, rate_limit=rate_limit)
    game = _post(service, "/v1/games", {"seed": "1"})
    before = 0.0
    for count in range(30):
        moves = f"/v1/games/{game['id']}/moves"
        game = _post(service, moves, game["legal_moves"][0])
        trips = _metrics(service)["accordion_store_duration_seconds_count"]
        assert count < 2 or trips == before + 1  # the first moves load scripts
        before = trips
    for count in range(3):
        assert service.request("GET", f"/v1/games/{game['id']}").status == 200
        trips = _metrics(service)["accordion_store_duration_seconds_count"]
        assert count == 0 or trips == before + 1
        before = trips


def test_hints_are_counted_by_verdict_and_their_searches_timed(served: Serve) -> None:
    """The second hint follows the line of the first, without a search."""
    service = served(workers=1)
    for deck, times in ((["4S", "4D", "4H"], 2), (["4S", "KD", "4C", "5H"], 1)):
        game = _post(service, "/v1/games", {"deck": deck})
        for _ in range(times):
            _post(service, f"/v1/games/{game['id']}/hint", {})
    metrics = _metrics(service)
    hints = 'accordion_hints_total{variant="accordion",verdict="%s"}'
    assert metrics[hints % "winnable"] == 2
    assert metrics[hints % "unwinnable"] == 1
    searches = 'accordion_search_duration_seconds_count{variant="accordion"}'
    assert metrics[searches] == 2
