"""Slow clients cost the others nothing, and are given up, counted and logged."""

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
    Reply,
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
_WHOLE = post("/v1/games", _BODY)
_LONG = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
_EXPECTING = post("/v1/games", _BODY, "Expect: 100-continue")[: -len(_BODY)]


def _slow_head(service: Service) -> socket.socket:
    return send(service, _WHOLE[:30])


def _slow_body(service: Service) -> socket.socket:
    return send(service, _WHOLE[:-1])


def _slow_after_leave(service: Service) -> socket.socket:
    return send(service, _EXPECTING)


def _slow_reader(service: Service) -> socket.socket:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)  # little is buffered
    client.connect((service.host, service.port))
    client.sendall(_LONG)
    return client


def _lasting_reader(service: Service) -> socket.socket:
    client = send(service, LIVENESS)
    assert client.recv(65536).startswith(b"HTTP/1.1 200 ")
    return client


_SLOW = [_slow_head, _slow_body, _slow_after_leave, _slow_reader, _lasting_reader]


class Crowd:
    """Fifty slow clients, each replaced by another when it is given up."""

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
            for place, client in enumerate(self._clients):
                if _is_closed(client):
                    client.close()
                    self._clients[place] = self._begin()


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


@pytest.mark.parametrize("begin", _SLOW)
def test_others_are_answered_beside_fifty_slow_clients(
    service: Service, begin: Callable[[Service], socket.socket]
) -> None:
    """A worker that waits for each of them in turn would need minutes for each."""
    with Crowd(service, begin):
        for _ in range(20):
            assert ask(service, LIVENESS).status == 200
            assert ask(service, _WHOLE).status == 201


def _given_up(service: Service, waited_for: str) -> float:
    text = service.request("GET", "/metrics").body.decode()
    name = f'accordion_clients_given_up_total{{waited_for="{waited_for}"}} '
    return sum(
        float(line.removeprefix(name))
        for line in text.splitlines()
        if line.startswith(name)
    )


def _is_closed_for_writing(client: socket.socket) -> bool:
    with suppress(BlockingIOError):
        return bool(client.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK))
    client.sendall(b" ")
    return False


class GivenUp(NamedTuple):
    """What became of slow clients, and what the service said of them."""

    incomplete: list[Reply]
    """The responses to requests that were not sent to their end."""
    trickled: Reply
    """The response to one that was sent a byte at a time."""
    output: str


@pytest.fixture(scope="module")
def given_up(module_served: Serve) -> GivenUp:
    """Slow clients of each kind at once, since they take ten and thirty seconds."""
    service = module_served(workers=1)
    with ExitStack() as stack:
        kinds = [_slow_reader, _slow_head, _slow_body, _slow_body]
        _, *clients = [stack.enter_context(begin(service)) for begin in kinds]
        trickling = send(service, _WHOLE[:-2].replace(b": 17", b": 9999"))
        stack.enter_context(trickling)
        with suppress(OSError):
            while not _is_closed_for_writing(trickling):
                time.sleep(0.5)
        trickled = parse(trickling.recv(65536))
        incomplete = [read(client) for client in clients]
        assert _given_up(service, "request") == len(clients) + 1
        wait_until(lambda: _given_up(service, "response") == 1)
        return GivenUp(incomplete, trickled, service.output())


def test_slow_requests_are_given_up_counted_and_logged(given_up: GivenUp) -> None:
    for reply in given_up.incomplete:
        assert reply.status == 408
        assert json.loads(reply.body)["type"] == "/problems/request-timeout"
        assert reply.fields["Connection"] == "close"
    assert '"status":408' in given_up.output


def test_a_client_that_sends_a_byte_now_and_then_is_given_up(given_up: GivenUp) -> None:
    assert given_up.trickled.status == 408


def test_a_response_that_is_not_taken_is_given_up(given_up: GivenUp) -> None:
    assert given_up.output.count('"message":"client given up"') == 5


def test_one_client_more_than_are_waited_for_has_the_first_given_up(
    service: Service,
) -> None:
    with ExitStack() as stack:
        first, *_ = [stack.enter_context(_slow_body(service)) for _ in range(257)]
        assert parse(first.recv(65536)).status == 408
        assert ask(service, LIVENESS).status == 200


_LEFT_UNREAD = b"OPTIONS /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
_IN_CHUNKS = (
    b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
)


@pytest.mark.parametrize("request_", [LIVENESS, _LEFT_UNREAD, _IN_CHUNKS, _WHOLE])
def test_a_short_answer_ends_the_connection_at_once(
    service: Service, request_: bytes
) -> None:
    """The client need not close it first; were it waited for, this took minutes."""
    with ExitStack() as stack:
        for _ in range(300):
            client = stack.enter_context(send(service, request_))
            assert b"".join(iter(partial(client.recv, 65536), b"")).startswith(
                b"HTTP/1.1 20"
            )


def test_a_request_in_pieces_is_answered(service: Service) -> None:
    for request in (_WHOLE, _IN_CHUNKS):
        with connect(service) as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for place in range(len(request)):
                client.sendall(request[place : place + 1])
            assert parse(client.recv(65536)).status == 201


def test_a_long_answer_is_whole_though_the_client_says_more(service: Service) -> None:
    for _ in range(5):
        with _slow_reader(service) as client:
            time.sleep(0.05)  # by now the server has sent what it could
            client.sendall(LIVENESS)
            reply = read(client)
        assert reply.fields["Content-Length"] == str(len(reply.body))


def test_answers_are_whole_though_the_body_is_left_unread(service: Service) -> None:
    """The server may hang up before all of it is sent; the answer is there by then."""
    head = post("/v1/games", b"").replace(b"Length: 0", b"Length: 2000000")
    for _ in range(20):
        answer = b""
        with connect(service) as client:
            with suppress(ConnectionError):
                client.sendall(head + b" " * 2_000_000)
            with suppress(ConnectionError):
                while part := client.recv(65536):
                    answer += part
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert answer.endswith(b"}")


@pytest.fixture(autouse=True)
def _quiet(request: pytest.FixtureRequest) -> Iterator[None]:
    """No error may have been logged."""
    yield
    if "service" in request.fixturenames:
        output = request.getfixturevalue("service").output()
        assert "Traceback" not in output
        assert '"level":"error"' not in output
