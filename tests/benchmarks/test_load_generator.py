from collections.abc import Callable
from functools import partial

import pytest

from benchmarks.load_generator import (
    Load,
    Result,
    has_wrk,
    percentile,
    run_threads,
    run_wrk,
)
from benchmarks.servers import Server
from loadtests.http_client import Address, build_request
from tests.servers import CannedServer, free_port

Run = Callable[..., Result]

GENERATORS = [
    pytest.param(partial(run_threads, seconds=0.3), id="threads"),
    pytest.param(
        partial(run_wrk, seconds=1),
        id="wrk",
        marks=pytest.mark.skipif(not has_wrk(), reason="wrk is not installed"),
    ),
]
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
GET, GET_NOTHING = build_request("GET", "/values/x"), build_request("GET", "/nowhere")
with_each_generator = pytest.mark.parametrize("run", GENERATORS)
with_ok = pytest.mark.parametrize("canned_server", [OK], indirect=True, ids=["ok"])


@with_each_generator
def test_responses_are_counted(baseline: Server, run: Run) -> None:
    before = baseline.cpu_seconds()
    result = run(baseline.address, Load([GET]))
    assert result.requests > 0
    assert (result.unexpected, result.unanswered, result.exhausted) == (0, 0, False)
    assert 0 < result.p50_ms <= result.p99_ms
    assert result.rate == pytest.approx(result.requests / result.seconds)
    assert baseline.cpu_seconds() > before


@with_each_generator
@pytest.mark.parametrize("status", [200, 404])
def test_unexpected_statuses_are_counted(
    baseline: Server, run: Run, status: int
) -> None:
    load = Load([GET, GET_NOTHING], status=status)
    result = run(baseline.address, load, connections=1)
    half = result.requests // 2
    assert half - 1 <= result.unexpected <= half + 1


@with_each_generator
@with_ok
def test_requests_are_sent_in_their_order(
    canned_server: CannedServer, run: Run
) -> None:
    paths = [f"/{i}" for i in range(7)]
    load = Load([build_request("GET", path) for path in paths])
    run(Address("127.0.0.1", canned_server.port), load, connections=1)
    sent = canned_server.paths
    assert len(sent) > len(paths)
    assert sent == (paths * (len(sent) // len(paths) + 1))[: len(sent)]


@with_each_generator
@with_ok
def test_a_load_that_is_not_repeated_runs_out(
    canned_server: CannedServer, run: Run
) -> None:
    paths = [f"/{i}" for i in range(7)]
    requests = [build_request("GET", path) for path in paths]
    load = Load(requests, repeat=False)
    address = Address("127.0.0.1", canned_server.port)
    assert run(address, load, connections=1).exhausted
    assert canned_server.paths[:7] == paths


def test_requests_without_a_response_are_counted() -> None:
    load = Load([GET], repeat=False)
    result = run_threads(Address("127.0.0.1", free_port()), load, 1)
    assert (result.requests, result.unanswered) == (0, 1)


def test_percentiles_use_the_nearest_rank() -> None:
    assert [percentile([1, 2, 3, 4], p) for p in (0.25, 0.5, 0.51, 0.99)] == [
        1,
        2,
        3,
        4,
    ]
    assert percentile([], 0.99) == 0
