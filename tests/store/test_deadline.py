"""One time-out covers everything that a request does, including connecting."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from threading import Thread

import pytest
from redis.exceptions import TimeoutError as SlowError

from service.store.connection import HeldConnection, StoreRequest, pack
from service.store.wire import connector

_GET = StoreRequest(b"", pack(b"GET", b"x"), 1, repeatable=True)
_SET = StoreRequest(b"", pack(b"SET", b"x", b"y"), 1, repeatable=False)
_BOTH = StoreRequest(
    b"", pack(b"SET", b"x", b"y") + pack(b"WAIT", 1, 0), 2, repeatable=True
)


class SlowServer:
    """Answers each request with one reply, after the next of its delays."""

    def __init__(self, *delays: float) -> None:
        self._delays = delays
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        client, _ = self._listener.accept()
        with client, self._listener, suppress(OSError):
            for delay in self._delays:
                client.recv(65536)
                self._reply(client, delay)

    def _reply(self, client: socket.socket, delay: float) -> None:
        time.sleep(delay)
        client.sendall(b"+OK\r\n")


class SlowPipeliningServer(SlowServer):
    """Sends all its replies to the first request, one after the other."""

    def _serve(self) -> None:
        client, _ = self._listener.accept()
        with client, self._listener, suppress(OSError):
            client.recv(65536)
            for delay in self._delays:
                self._reply(client, delay)


def _held(server: SlowServer, timeout: float) -> HeldConnection:
    url = f"redis://:secret@127.0.0.1:{server.port}/1"
    return HeldConnection(connector(url), timeout)


@pytest.mark.parametrize("request_", [_GET, _SET])
@pytest.mark.parametrize("delays", [(0.4, 0.4, 0.4), (0.6, 0.6, 0.0)])
def test_the_steps_of_connecting_share_the_time_out(
    request_: StoreRequest, delays: tuple[float, ...]
) -> None:
    """The password, the database and the request would each be in time alone."""
    with pytest.raises(SlowError):
        _held(SlowServer(*delays), 0.9).run(request_)


def test_the_replies_to_one_request_share_the_time_out() -> None:
    server = SlowPipeliningServer(0.4, 0.4)
    url = f"redis://127.0.0.1:{server.port}"
    with pytest.raises(SlowError):
        HeldConnection(connector(url), 0.6).run(_BOTH)


def test_once_connected_each_request_has_the_whole_time_out() -> None:
    """With only the time that connecting left, the second request would fail."""
    server = SlowServer(2.0, 0.0, 0.0, 1.5)
    held = _held(server, 3.0)
    assert held.run(_GET) == [b"OK"]
    assert held.run(_GET) == [b"OK"]


def test_a_request_with_a_deadline_has_only_the_time_left() -> None:
    held = _held(SlowServer(0.0, 0.0, 0.0, 1.0), 10.0)
    assert held.run(_GET) == [b"OK"]
    with pytest.raises(SlowError):
        held.run(_GET, time.monotonic() + 0.3)
