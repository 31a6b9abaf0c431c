"""Requests do not wait in turn for a server that hangs."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from redis.exceptions import ConnectionError as CutError
from redis.exceptions import RedisError, ResponseError
from redis.exceptions import TimeoutError as SlowError

from service.store.circuit_breaker import (
    CircuitBreaker,
    CircuitOpenError,
)
from service.store.connection import HeldConnection, Send, StoreRequest, pack
from service.store.wire import Reply, connector
from tests.servers import BINARIES, Service, StoreServer

_PING = StoreRequest(b"", pack(b"PING"), 1, repeatable=True)
_CLIENTS = 24


class SlowLink:
    """A link that fails after some seconds, by its own clock `now`."""

    def __init__(self, seconds: float, error: RedisError) -> None:
        self._seconds = seconds
        self._error = error
        self.now = 100.0
        self.sent = 0

    def run(self, _request: StoreRequest) -> list[Reply]:
        self.sent += 1
        self.now += self._seconds
        raise self._error


def guarded(send: Send, breaker: CircuitBreaker) -> Send:
    return lambda request: breaker.run(None, send, request)


def test_after_a_time_out_nothing_is_sent_for_half_of_that_time(
    short_folder: Path,
) -> None:
    binary = BINARIES["valkey"]
    assert binary is not None
    now = 100.0
    with StoreServer(binary, short_folder) as server:
        held = HeldConnection(connector(server.url), 0.2)
        send = guarded(held.run, CircuitBreaker(10.0, lambda: now))
        assert send(_PING) == [b"PONG"]
        server.pause()
        with pytest.raises(SlowError):
            send(_PING)
        server.resume()
        now = 104.9
        with pytest.raises(CircuitOpenError, match="a moment ago"):
            send(_PING)
        assert held.run(_PING) == [b"PONG"]
        now = 105.0
        assert send(_PING) == [b"PONG"]
        now = 104.9
        assert send(_PING) == [b"PONG"]


@pytest.mark.parametrize(
    ("seconds", "error", "opens"),
    [
        (0.1, SlowError("no reply"), True),
        (1.0, CutError("the name server failed"), True),
        (0.9, CutError("connection refused"), False),
        (0.0, ResponseError("no such command"), False),
    ],
)
def test_the_circuit_opens_after_a_time_out_or_a_slow_error(
    seconds: float, error: RedisError, *, opens: bool
) -> None:
    slow = SlowLink(seconds, error)
    send = guarded(slow.run, CircuitBreaker(1.0, lambda: slow.now))
    for _ in range(2):
        with pytest.raises(RedisError):
            send(_PING)
    assert slow.sent == (1 if opens else 2)


def test_the_more_circuits_are_open_the_longer_each_stays_open() -> None:
    now = 100.0
    breaker = CircuitBreaker(2.0, lambda: now)
    assert not breaker.is_open("one")
    breaker.open("one")
    now = 100.9
    assert breaker.is_open("one")
    assert not breaker.is_open("two")
    now = 101.0
    assert not breaker.is_open("one")
    breaker.open("two")
    now = 103.9
    assert breaker.is_open("one")
    now = 104.0
    assert not breaker.is_open("one")
    assert breaker.is_open("two")
    assert breaker.run("one", lambda: "answered") == "answered"
    assert not breaker.is_open("two")
    breaker.open("three")
    breaker.keep({"two"})
    assert not breaker.is_open("three")


def test_many_clients_of_a_store_that_hangs_are_all_answered_in_time(
    served: Callable[..., Service],
) -> None:
    """If each request to the one worker waited, the last would wait five seconds."""
    service = served(workers=1, log_level="error")
    made = service.request(
        "POST", "/v1/games", b"{}", {"Content-Type": "application/json"}
    )
    paths = [f"/v1/games/{json.loads(made.body)['id']}", "/livez"] * (_CLIENTS // 2)
    service.store.suspend()
    with ThreadPoolExecutor(_CLIENTS) as clients:
        statuses = list(
            clients.map(
                lambda path: service.request("GET", path, timeout=2).status, paths
            )
        )
    service.store.resume()
    assert statuses == [503, 200] * (_CLIENTS // 2)
