"""A guard that runs in one step with the next request, and may refuse it."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

import pytest

from service.store.factory import open_link
from service.store.limit_counter import Limit, LimitCounter, LimitResult
from service.store.runner import Guard, Runner, read_script
from tests.conftest import open_store_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.store.connection import StoreRequest
    from tests.servers import StoreServer

_CHOOSE = read_script("choose")


class RefusedError(Exception):
    """The refusal that the guards of these tests raise."""


class Limits:
    """A limit of two requests a day, and the number of round trips of a runner."""

    def __init__(self, url: str) -> None:
        self.trips = 0
        self._run = open_link(url, 5).run
        self.runner = Runner(self.run, timeout=5)
        counting, limits = Runner(self.run, timeout=5), [Limit("2/day", 2, 86400)]
        self.counter = LimitCounter(counting, limits, "fixed-window")

    def run(self, request: StoreRequest) -> list[object]:
        self.trips += 1
        return self._run(request)

    def guard(self) -> Guard:
        def refuse(counts: list[LimitResult]) -> Exception:
            assert not counts[-1].admitted
            return RefusedError()

        return self.counter.guard("client", refuse)


@pytest.fixture
def limits(valkey_server: StoreServer) -> Limits:
    with valkey_server.client() as client:
        client.flushall()
        client.script_flush()
    return Limits(valkey_server.url)


def _choose(runner: Runner) -> object:
    return runner.write_script(_CHOOSE, [b"c:x"], [b"first"])


def _get(runner: Runner) -> object:
    return runner.get(b"c:x")


def _get_all(runner: Runner) -> object:
    return runner.get_all(b"c:x", b"c:y")


def _set(runner: Runner) -> object:
    return runner.write(b"SET", b"c:x", b"first")


@pytest.mark.parametrize(
    ("ask", "answer", "trips"),
    [
        (_choose, b"first", 1),
        (_get, None, 1),
        (_get_all, [None, None], 1),
        (_set, b"OK", 2),
    ],
)
def test_an_admitted_request_has_the_same_result_as_without_a_guard(
    limits: Limits, ask: Callable[[Runner], object], answer: object, trips: int
) -> None:
    guards = [limits.guard() for _ in range(2)]
    for guard in guards:
        limits.trips = 0
        with limits.runner.guarded(guard):
            found = ask(limits.runner)
        assert found == answer
    assert limits.trips == trips
    assert [limits.counter.read(guard.found)[0].left for guard in guards] == [1, 0]


@pytest.mark.parametrize("ask", [_choose, _get, _get_all, _set])
def test_a_refused_request_is_not_executed(
    limits: Limits, ask: Callable[[Runner], object]
) -> None:
    for _ in range(2):
        limits.counter.count("client")
    guard = limits.guard()
    with limits.runner.guarded(guard), pytest.raises(RefusedError):
        ask(limits.runner)
    assert not limits.counter.read(guard.found)[0].admitted
    assert limits.runner.get(b"c:x") is None


def test_a_guard_is_run_once_and_in_its_own_thread(limits: Limits) -> None:
    guard = limits.guard()
    with limits.runner.guarded(guard):
        thread = Thread(target=_get, args=(limits.runner,))
        thread.start()
        thread.join()
        assert guard.found is None
        for _ in range(3):
            _get(limits.runner)
    assert limits.counter.read(guard.found)[0].left == 1
    with limits.runner.guarded(limits.guard()):
        pass
    _get(limits.runner)
    assert limits.counter.count("client")[0].left == 0


def test_a_guarded_script_waits_for_replicas(
    limits: Limits, valkey_server: StoreServer
) -> None:
    runner = open_store_at(valkey_server.url, wait_replicas=1).runner
    with (
        runner.guarded(limits.guard()),
        pytest.raises(Exception, match="0 of 1 replicas"),
    ):
        runner.write_script(_CHOOSE, [b"c:z"], [b"first"])
