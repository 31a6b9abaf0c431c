from collections.abc import Callable

import pytest

from loadtests.generator import (
    Load,
    Outcome,
    has_wrk,
    percentile,
    run_processes,
    run_wrk,
    send_all,
)
from loadtests.servers import Server
from loadtests.wire import Address, request
from tests.loadtests.conftest import Scripted

Run = Callable[[Address, Load, float], Outcome]

GENERATORS = [
    pytest.param(run_processes, id="bundled"),
    pytest.param(
        run_wrk,
        id="wrk",
        marks=pytest.mark.skipif(not has_wrk(), reason="wrk is not installed"),
    ),
]
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
every_generator = pytest.mark.parametrize("run", GENERATORS)


@every_generator
def test_answers_are_counted(floor: Server, run: Run) -> None:
    good = Load([request("GET", "/values/x")], cycle=True)
    before = floor.cpu_seconds()
    outcome = run(floor.address, good, 1)
    assert outcome.requests > 0
    assert (outcome.refused, outcome.broken, outcome.exhausted) == (0, 0, 0)
    assert 0 < outcome.p50 <= outcome.p90 <= outcome.p99
    assert floor.cpu_seconds() > before
    assert len(floor.workers) == 2


@every_generator
def test_refusals_are_counted(floor: Server, run: Run) -> None:
    mixed = [request("GET", "/values/x"), request("GET", "/nowhere")]
    outcome = run(floor.address, Load(mixed, cycle=True, connections=1), 1)
    assert outcome.requests // 2 - 1 <= outcome.refused <= outcome.requests // 2 + 1


@every_generator
@pytest.mark.parametrize("scripted", [OK], indirect=True)
def test_requests_are_sent_in_their_order(scripted: Scripted, run: Run) -> None:
    paths = [f"/{i}" for i in range(7)]
    load = Load([request("GET", path) for path in paths], cycle=True, connections=1)
    run(scripted.address, load, 1)
    asked = scripted.asked
    assert len(asked) > len(paths)
    assert asked == (paths * (len(asked) // len(paths) + 1))[: len(asked)]


@every_generator
@pytest.mark.parametrize("scripted", [OK], indirect=True)
def test_requests_that_run_out_are_told(scripted: Scripted, run: Run) -> None:
    load = Load([request("GET", f"/{i}") for i in range(7)], cycle=False, connections=1)
    assert run(scripted.address, load, 1).exhausted
    assert scripted.asked[:7] == [f"/{i}" for i in range(7)]


def test_requests_without_an_answer_are_counted() -> None:
    nobody = Address("127.0.0.1", 1)
    load = Load([request("GET", "/")], cycle=False)
    outcome = run_processes(nobody, load, 1)
    assert (outcome.requests, outcome.broken) == (0, 1)


def test_answers_come_in_the_order_of_the_requests(floor: Server) -> None:
    names = [f"n{i}" for i in range(11)]
    answers = send_all(floor.address, [request("GET", f"/values/{n}") for n in names])
    assert [answer.json()["name"] for answer in answers] == names


def test_percentiles_are_of_the_nearest_rank() -> None:
    assert [percentile([1, 2, 3, 4], p) for p in (25, 50, 51, 99)] == [1, 2, 3, 4]
    assert percentile([], 99) == 0
