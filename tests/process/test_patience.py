"""Clients who send a byte now and then do not hold a worker for ever."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest

from service.server.client_timeouts import PatientSocket
from tests.servers import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Serve

_HEAD = (
    b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b"Content-Length: 60000\r\n\r\n"
)


class Dripping:
    """Sends a byte now and then until it is told to stop, or cannot go on."""

    def __init__(self, client: socket.socket, pause: float) -> None:
        self._client = client
        self._pause = pause
        self._stop = Event()
        self._thread = Thread(target=self._drip)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _drip(self) -> None:
        with suppress(OSError):
            while not self._stop.wait(self._pause):
                self._client.sendall(b" ")


@contextmanager
def _asked(seconds: float = 10) -> Iterator[tuple[socket.socket, PatientSocket]]:
    """A client, and the socket on which its request was received."""
    near, far = socket.socketpair()
    with far, PatientSocket(near, seconds) as patient:
        far.sendall(b"the request")
        assert patient.recv(100) == b"the request"
        yield far, patient


def test_the_time_is_for_all_reads_together() -> None:
    near, far = socket.socketpair()
    with far, PatientSocket(near, 0.3) as patient, Dripping(far, 0.02):
        with pytest.raises(TimeoutError):
            all(iter(lambda: patient.recv(100), b""))
        patient.sendall(b"the answer")
        assert far.recv(100) == b"the answer"


def test_a_client_is_hung_up_on_once_it_has_said_all() -> None:
    with _asked() as (far, patient):
        patient.sendall(b"the answer")
        patient.hang_up()
        assert patient.fileno() == -1
        assert far.recv(100) == b"the answer"
        assert far.recv(100) == b""


def test_a_client_who_says_more_is_not_hung_up_on() -> None:
    with _asked() as (far, patient):
        far.sendall(b", and more")
        patient.hang_up()
        assert patient.fileno() != -1


_PLAIN = b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
_LEFT_UNREAD = b"POST /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
_IN_CHUNKS = (
    b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
)


def test_a_long_answer_is_waited_for() -> None:
    with _asked() as (_, patient):
        patient.sendall(b"the head")
        patient.sendall(b"x" * 20_000)
        patient.hang_up()
        assert patient.fileno() != -1


def test_a_long_answer_is_whole_though_the_client_says_more(served: Serve) -> None:
    service = served(workers=1, log_level="warning")
    ask = b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n"
    for _ in range(5):
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect((service.host, service.port))
            client.sendall(ask % b"/openapi.json")
            time.sleep(0.05)  # by now the server has sent what it could
            client.sendall(ask % b"/livez")
            answer = b"".join(iter(partial(client.recv, 65536), b""))
        head, _, body = answer.partition(b"\r\n\r\n")
        assert b"Content-Length: %d\r\n" % len(body) in head


@pytest.mark.parametrize("request_", [_PLAIN, _LEFT_UNREAD, _IN_CHUNKS])
def test_clients_who_stay_keep_no_worker_waiting(
    served: Serve, request_: bytes
) -> None:
    """A server that waits for each of them to close needs minutes for this."""
    service = served(workers=1, log_level="warning")
    with ExitStack() as stack:
        for _ in range(200):
            address = (service.host, service.port)
            client = stack.enter_context(socket.create_connection(address))
            client.sendall(request_)
            assert client.recv(65536).startswith(
                (b"HTTP/1.1 200 ", b"HTTP/1.1 201 ", b"HTTP/1.1 405 ")
            )


def test_what_is_left_of_a_shorter_time_out_is_kept() -> None:
    """gunicorn sets one while it waits for a client to close."""
    with _asked(1000) as (_, patient):
        patient.settimeout(0.1)
        with pytest.raises(TimeoutError):
            patient.recv(100)
        assert patient.gettimeout() == 0.1


def test_answers_are_whole_though_the_body_is_left_unread(served: Serve) -> None:
    """The server may hang up before all of it is sent; the answer is there by then."""
    service = served(workers=1, log_level="warning")
    head = (
        b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\n"
        b"Content-Length: 2000000\r\n\r\n"
    )
    for _ in range(20):
        answer = b""
        with socket.create_connection((service.host, service.port)) as client:
            with suppress(ConnectionError):
                client.sendall(head + b" " * 2_000_000)
            with suppress(ConnectionError):
                while part := client.recv(65536):
                    answer += part
        assert answer.startswith((b"HTTP/1.1 413 ", b"HTTP/1.1 415 "))
        assert answer.endswith(b"}")


def test_a_request_that_drips_is_given_up(served: Serve) -> None:
    service = served(workers=1, log_level="warning")
    wait_until(lambda: bool(service.workers))
    (worker,) = service.workers
    with socket.create_connection((service.host, service.port), timeout=60) as client:
        client.sendall(_HEAD)
        with Dripping(client, 1.0):
            answer = client.recv(65536)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert service.request("GET", "/livez").status == 200
    assert service.workers == [worker]
    assert "Traceback" not in service.output()
