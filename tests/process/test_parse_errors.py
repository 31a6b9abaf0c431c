"""Requests that the server itself refuses, and `Expect: 100-continue`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.process.wire import LIVENESS, ask, connect, parse, post, read

if TYPE_CHECKING:
    from tests.conftest import Serve
    from tests.servers import Service


@pytest.fixture(scope="module")
def service(module_served: Serve) -> Service:
    return module_served(workers=1)


def _refusal(service: Service, data: bytes) -> tuple[int, str, str]:
    response = ask(service, data)
    assert response.fields["Content-Type"] == "application/problem+json"
    assert int(response.fields["Content-Length"]) == len(response.body)
    assert response.fields["Connection"] == "close"
    assert re.fullmatch(r"\w{3}, .* GMT", response.fields["Date"])
    problem = json.loads(response.body)
    return response.status, problem["type"], problem["detail"]


@pytest.mark.parametrize(
    "data",
    [
        b"GET /livez HTTP/1.1\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nAccept: */*\r\n\r\n",
        b"GET http://x/livez HTTP/1.1\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nHost: a b\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nHost: a/b\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nHost: a@b\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nHost: [::1\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nHost: a:port\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nHost: a, b\r\n\r\n",
        b"GET /livez HTTP/1.0\r\nHost: a b\r\n\r\n",
    ],
)
def test_exactly_one_valid_host_is_required(service: Service, data: bytes) -> None:
    status, problem, _ = _refusal(service, data)
    assert (status, problem) == (400, "/problems/malformed-request")


@pytest.mark.parametrize(
    "host", [b"", b"x", b"x.example.", b"a_b:8000", b"127.0.0.1:80", b"[::1]:8000"]
)
def test_valid_hosts_are_accepted(service: Service, host: bytes) -> None:
    assert ask(service, LIVENESS.replace(b": x", b": " + host)).status == 200


def test_http_1_0_needs_no_host(service: Service) -> None:
    assert ask(service, b"GET /livez HTTP/1.0\r\n\r\n").status == 200


@pytest.mark.parametrize(
    "coding", ["gzip, chunked", "gzip\r\nTransfer-Encoding: chunked", "deflate,chunked"]
)
def test_a_compressed_transfer_is_not_implemented(
    service: Service, coding: str
) -> None:
    data = f"POST /v1/games HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: {coding}\r\n\r\n"
    status, problem, _ = _refusal(service, data.encode() + b"2\r\n{}\r\n0\r\n\r\n")
    assert (status, problem) == (501, "/problems/unknown-transfer-coding")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_get_and_delete_with_a_body_are_refused(service: Service, method: str) -> None:
    head = f"{method} /v1/games/x HTTP/1.1\r\nHost: x\r\n"
    for rest in (
        "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
        "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    ):
        status, problem, detail = _refusal(service, f"{head}{rest}".encode())
        assert (status, problem) == (400, "/problems/malformed-request")
        assert method in detail
    assert ask(service, f"{head}Content-Length: 0\r\n\r\n".encode()).status == 404


def test_a_target_longer_than_the_limit_is_refused(service: Service) -> None:
    fits = "/".ljust(8000, "x")
    line = "GET {} HTTP/1.1\r\nHost: x\r\n\r\n"
    assert ask(service, line.format(fits).encode()).status == 404
    for path in (f"{fits}x", f"/?{fits}", "/%41".ljust(8001, "x"), fits * 10):
        status, problem, detail = _refusal(service, line.format(path).encode())
        assert (status, problem) == (414, "/problems/uri-too-long")
        assert "8000 characters" in detail


def test_a_head_that_is_too_long_is_refused(service: Service) -> None:
    for lines in ([f"X-{n}: {'x' * 8000}" for n in range(9)], ["X: 1"] * 101):
        head = "\r\n".join(["GET /livez HTTP/1.1", "Host: x", *lines, "", ""])
        status, problem, _ = _refusal(service, head.encode())
        assert (status, problem) == (431, "/problems/header-fields-too-large")


_BODY = b'{"player": "Ada"}'


def _expecting(path: str, *fields: str) -> bytes:
    return post(path, _BODY, "Expect: 100-continue", *fields)[: -len(_BODY)]


def test_a_client_that_expects_100_continue_gets_it(service: Service) -> None:
    with connect(service) as client:
        client.sendall(_expecting("/v1/games"))
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        assert ask(service, LIVENESS).status == 200
        assert ask(service, post("/v1/games", b"{}")).status == 201
        client.sendall(_BODY)
        response = read(client)
    assert response.status == 201
    assert json.loads(response.body)["player"] == "Ada"


def test_several_clients_that_expect_100_continue_get_it(service: Service) -> None:
    clients = [connect(service) for _ in range(5)]
    for client in clients:
        client.sendall(_expecting("/v1/games"))
    for client in clients:
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    for client in reversed(clients):
        client.sendall(_BODY)
    assert [read(client).status for client in clients] == [201] * 5


def test_a_body_sent_without_waiting_for_100_continue_is_accepted(
    service: Service,
) -> None:
    assert ask(service, _expecting("/v1/games") + _BODY).status == 201


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (_expecting("/nowhere"), 404),
        (_expecting("/v1/variants"), 405),
        (_expecting("/v1/games").replace(b"Length: 17", b"Length: 70000"), 413),
        (_expecting("/v1/games").replace(b"application/json", b"text/plain"), 415),
        (_expecting("/v1/games", "Content-Encoding: gzip"), 415),
        (_expecting("/v1/games").replace(b"Host: x", b"Host: a b"), 400),
        (_expecting("/v1/games").replace(b"Host: x\r\n", b""), 400),
        (
            _expecting("/v1/games").replace(
                b"Content-Length: 17", b"Transfer-Encoding: gzip, chunked"
            ),
            501,
        ),
    ],
)
def test_a_request_refused_by_its_head_gets_no_100_continue(
    service: Service, data: bytes, status: int
) -> None:
    with connect(service) as client:
        client.sendall(data)
        assert parse(client.recv(65536)).status == status


def test_a_client_that_sends_no_body_after_100_continue_is_refused(
    service: Service,
) -> None:
    with connect(service) as client:
        client.sendall(_expecting("/v1/games"))
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        assert read(client).status == 400
