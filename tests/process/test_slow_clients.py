"""Slow clients do not delay others, and are given up, counted and logged."""

from __future__ import annotations

import json
import socket
import time
from contextlib import ExitStack, suppress
from functools import partial
from threading import Event, Thread
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.process.wire import (
    LIVENESS,
    RawResponse,
    ask,
    connect,
    parse,
    post,
    read,
    send,
)
from tests.servers import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import Serve
    from tests.servers import Service

_BODY = b'{"player": "Ada"}'
_COMPLETE = post("/v1/games", _BODY)
_LONG_RESPONSE = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
_EXPECTING = post("/v1/games", _BODY, "Expect: 100-continue")[: -len(_BODY)]


def _slow_head(service: Service) -> socket.socket:
    return send(service, _COMPLETE[:30])


def _slow_body(service: Service) -> socket.socket:
    return send(service, _COMPLETE[:-1])


def _slow_after_continue(service: Service) -> socket.socket:
    return send(service, _EXPECTING)


def _slow_reader(service: Service) -> socket.socket:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)  # small buffers
    client.connect((service.host, service.port))
    client.sendall(_LONG_RESPONSE)
    return client


def _client_that_does_not_close(service: Service) -> socket.socket:
    client = send(service, LIVENESS)
    assert client.recv(65536).startswith(b"HTTP/1.1 200 ")
    return client


_SLOW_CLIENTS = [
    _slow_head,
    _slow_body,
    _slow_after_continue,
    _slow_reader,
    _client_that_does_not_close,
]


class SlowClients:
    """Fifty slow clients; each that is given up is replaced by another."""

    def __init__(
        self, service: Service, begin: Callable[[Service], socket.socket]
    ) -> None:
        self._begin = partial(begin, service)
        self._clients = [self._begin() for _ in range(50)]
        self._stop = Event()
        self._thread = Thread(target=self._replace)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        for client in self._clients:
            client.close()

    def _replace(self) -> None:
        while not self._stop.wait(0.1):
            for index, client in enumerate(self._clients):
                if _is_closed(client):
                    client.close()
                    self._clients[index] = self._begin()


def _is_closed(client: socket.socket) -> bool:
    try:
        with suppress(BlockingIOError):
            part = client.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK)
            return not part or client.recv(65536) == b""
    except OSError:
        return True
    return False


@pytest.fixture(scope="module")
def service(module_served: Serve) -> Service:
    return module_served(workers=1)


@pytest.mark.parametrize("begin", _SLOW_CLIENTS)
def test_other_clients_are_answered_despite_fifty_slow_ones(
    service: Service, begin: Callable[[Service], socket.socket]
) -> None:
    """A worker that waited for one after the other would need minutes per request."""
    with SlowClients(service, begin):
        for _ in range(20):
            assert ask(service, LIVENESS).status == 200
            assert ask(service, _COMPLETE).status == 201


def _given_up(service: Service, waited_for: str) -> float:
    text = service.request("GET", "/metrics").body.decode()
    name = f'accordion_clients_given_up_total{{waited_for="{waited_for}"}} '
    return sum(
        float(line.removeprefix(name))
        for line in text.splitlines()
        if line.startswith(name)
    )


def _send_byte_unless_answered(client: socket.socket) -> bool:
    """Return whether a response has arrived; if not, send a byte."""
    with suppress(BlockingIOError):
        return bool(client.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK))
    client.sendall(b" ")
    return False


class GivenUp(NamedTuple):
    """The responses to slow clients, and the output of the service."""

    incomplete: list[RawResponse]
    """The responses to requests that were not sent completely."""
    byte_by_byte: RawResponse
    """The response to a request that was sent one byte at a time."""
    output: str


@pytest.fixture(scope="module")
def given_up(module_served: Serve) -> GivenUp:
    """Slow clients of all kinds at once, because they take ten or thirty seconds."""
    service = module_served(workers=1)
    with ExitStack() as stack:
        kinds = [_slow_reader, _slow_head, _slow_body, _slow_body]
        _, *clients = [stack.enter_context(begin(service)) for begin in kinds]
        slow_sender = send(service, _COMPLETE[:-2].replace(b": 17", b": 9999"))
        stack.enter_context(slow_sender)
        with suppress(OSError):
            while not _send_byte_unless_answered(slow_sender):
                time.sleep(0.5)
        byte_by_byte = parse(slow_sender.recv(65536))
        incomplete = [read(client) for client in clients]
        assert _given_up(service, "request") == len(clients) + 1
        wait_until(lambda: _given_up(service, "response") == 1)
        return GivenUp(incomplete, byte_by_byte, service.output())


def test_slow_requests_are_given_up_counted_and_logged(given_up: GivenUp) -> None:
    for response in given_up.incomplete:
        assert response.status == 408
        assert json.loads(response.body)["type"] == "/problems/request-timeout"
        assert response.fields["Connection"] == "close"
    assert '"status":408' in given_up.output


def test_a_client_that_sends_one_byte_at_a_time_is_given_up(given_up: GivenUp) -> None:
    assert given_up.byte_by_byte.status == 408


def test_a_client_that_does_not_receive_its_response_is_given_up(
    given_up: GivenUp,
) -> None:
    assert given_up.output.count('"message":"client given up"') == 5


def test_with_too_many_waiting_clients_the_first_is_given_up(
    service: Service,
) -> None:
    with ExitStack() as stack:
        first, *_ = [stack.enter_context(_slow_body(service)) for _ in range(257)]
        assert parse(first.recv(65536)).status == 408
        assert ask(service, LIVENESS).status == 200


_UNREAD_BODY = b"OPTIONS /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
_CHUNKED = (
    b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
)


@pytest.mark.parametrize("request_", [LIVENESS, _UNREAD_BODY, _CHUNKED, _COMPLETE])
def test_a_short_response_closes_the_connection_at_once(
    service: Service, request_: bytes
) -> None:
    """If the server waited for the client to close first, this would take minutes."""
    with ExitStack() as stack:
        for _ in range(300):
            client = stack.enter_context(send(service, request_))
            assert b"".join(iter(partial(client.recv, 65536), b"")).startswith(
                b"HTTP/1.1 20"
            )


def test_a_request_sent_byte_by_byte_is_answered(service: Service) -> None:
    for request in (_COMPLETE, _CHUNKED):
        with connect(service) as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for index in range(len(request)):
                client.sendall(request[index : index + 1])
            assert parse(client.recv(65536)).status == 201


def test_a_long_response_is_complete_although_the_client_sends_more(
    service: Service,
) -> None:
    for _ in range(5):
        with _slow_reader(service) as client:
            time.sleep(0.05)  # the server has sent what it can by now
            client.sendall(LIVENESS)
            response = read(client)
        assert response.fields["Content-Length"] == str(len(response.body))


def test_a_response_is_complete_although_the_body_is_not_read(service: Service) -> None:
    """The server may close before the whole body is sent, but after its response."""
    head = post("/v1/games", b"").replace(b"Length: 0", b"Length: 2000000")
    for _ in range(20):
        response = b""
        with connect(service) as client:
            with suppress(ConnectionError):
                client.sendall(head + b" " * 2_000_000)
            with suppress(ConnectionError):
                while part := client.recv(65536):
                    response += part
        assert response.startswith(b"HTTP/1.1 413 ")
        assert response.endswith(b"}")


@pytest.fixture(autouse=True)
def _no_errors_logged(request: pytest.FixtureRequest) -> Iterator[None]:
    """Check that the shared service has logged no error."""
    yield
    if "service" in request.fixturenames:
        output = request.getfixturevalue("service").output()
        assert "Traceback" not in output
        assert '"level":"error"' not in output
