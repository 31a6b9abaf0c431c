"""A server that hangs does not have everybody wait for it in turn."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as SlowError

from service.store.circuit_breaker import Silent, SparingLink
from service.store.connection import HeldConnection, Request, connector, pack
from tests.servers import BINARIES, Service, StoreServer

_PING = Request(b"", pack(b"PING"), 1, repeatable=True)
_CLIENTS = 24


def test_after_a_time_out_nothing_is_sent_for_a_moment(short_folder: Path) -> None:
    binary = BINARIES["valkey"]
    assert binary is not None
    now = 100.0
    with StoreServer(binary, short_folder) as server:
        held = HeldConnection(connector(server.url), 0.2)
        link = SparingLink(held, 5.0, lambda: now)
        assert link.run(_PING) == [b"PONG"]
        server.pause()
        with pytest.raises(SlowError):
            link.run(_PING)
        server.resume()
        now = 104.9
        with pytest.raises(SlowError, match="a moment ago"):
            link.run(_PING)
        assert held.run(_PING) == [b"PONG"]
        now = 105.0
        assert link.run(_PING) == [b"PONG"]
        now = 104.9
        assert link.run(_PING) == [b"PONG"]


def test_an_error_that_comes_at_once_stops_nothing(short_folder: Path) -> None:
    binary = BINARIES["valkey"]
    assert binary is not None
    with StoreServer(binary, short_folder) as server:
        link = SparingLink(HeldConnection(connector(server.url), 1.0), 60.0)
        with pytest.raises(ResponseError):
            link.run(_PING._replace(packed=pack(b"NO-SUCH-COMMAND")))
        assert link.run(_PING) == [b"PONG"]


def test_the_more_servers_are_silent_the_longer_each_is_left_alone() -> None:
    now = 100.0
    silent = Silent(2.0, lambda: now)
    assert not silent.spares("one")
    silent.add("one")
    now = 100.9
    assert silent.spares("one")
    assert not silent.spares("two")
    now = 101.0
    assert not silent.spares("one")
    silent.add("two")
    now = 103.9
    assert silent.spares("one")
    now = 104.0
    assert not silent.spares("one")
    assert silent.spares("two")
    silent.discard("one")
    assert not silent.spares("two")
    silent.add("three")
    silent.keep({"two"})
    assert not silent.spares("three")


def test_many_clients_of_a_store_that_hangs_are_all_answered_in_time(
    served: Callable[..., Service],
) -> None:
    """One worker; if each waited for the store, the last would wait five seconds."""
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
