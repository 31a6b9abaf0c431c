"""Malformed HTTP, sent to a real server.

Each request gets a problem document or no response, changes nothing, and leaves the
only worker able to handle requests.
"""

from __future__ import annotations

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.http.client import PROBLEM_JSON
from tests.properties.raw_http import chunk, chunked, parse, post, request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.properties.raw_http import RawClient

_DECK = ["4S", "7H", "QC", "4D", "KD"]
_MOVE = b'{"from": 3, "to": 0}'
_END = b"0\r\n\r\n"
_LARGEST = 64 * 1024


@pytest.fixture(scope="module")
def game(client: RawClient) -> Any:  # noqa: ANN401
    reply = client.ask(post("/v1/games", json.dumps({"deck": _DECK}).encode()))
    assert reply.status == 201
    return reply.json


@pytest.fixture
def moves(game: dict[str, Any], client: RawClient) -> Iterator[str]:
    """The path of a game's moves; the test must not change the game."""
    yield f"/v1/games/{game['id']}/moves"
    now = client.ask(request(f"/v1/games/{game['id']}")).json
    assert now | {"elapsed_seconds": 0} == game | {"elapsed_seconds": 0}
    assert '"level":"error"' not in client.service.output()


def test_valid_requests(client: RawClient) -> None:
    for sent in (
        request("/livez"),
        request("http://elsewhere/livez"),
        request("/livez", *(f"X-{n}: 1" for n in range(90))),
        b"GET /livez HTTP/1.0\r\n\r\n",
    ):
        assert client.ask(sent).status == 200


def test_a_body_in_chunks(client: RawClient) -> None:
    for chunks in (
        chunk(b'{"player": ') + chunk(b'"Ada"}') + _END,
        b'10;name="a value"\r\n{"player":"Ada"}\r\n0\r\n\r\n',
        chunk(b'{"player":"Ada"}') + b"0\r\nX-Trailer: 1\r\n\r\n",
    ):
        reply = client.ask(chunked("/v1/games", chunks))
        assert reply.status == 201
        assert reply.json["player"] == "Ada"


def test_expect_100_continue(client: RawClient) -> None:
    """The body is sent at once; tests/process waits for the 100 response."""
    reply = client.ask(post("/v1/games", b"{}", "Expect: 100-continue"))
    assert reply.status == 201


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00\r\n\r\n",
        b"rubbish\r\n\r\n",
        b"\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03" + b"x" * 80 + b"\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /livez\r\n\r\n",
        b"GET  /livez HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /livez HTTP/1.1\nHost: x\n\n",
        b"GET /livez HTTP/11\r\nHost: x\r\n\r\n",
        b"GET /livez HTTP/2.0\r\nHost: x\r\n\r\n",
        b"GET /livez x HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /\xc3\xa9 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /a\x00b HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /a\x7fb HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"get /livez HTTP/1.1\r\nHost: x\r\n\r\n",
        b"G\xc3\x89T /livez HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)
def test_malformed_request_lines(client: RawClient, moves: str, sent: bytes) -> None:
    assert moves
    reply = client.problem(sent)
    assert (reply.status, reply.slug) == (400, "malformed-request")
    assert reply.headers["Connection"] == "close"
    assert reply.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "field",
    [
        "no colon",
        ": no name",
        "a name: 1",
        "Näme: 1",
        "Folded: one\r\n two",
        "Folded: one\r\n\ttwo",
        "Value: a\rb",
        "Value: a\nb",
        "Value: a\x00b",
        "Value: a\x7fb",
        "Host: another",
        "Expect: the unexpected",
    ],
)
def test_malformed_header_fields(client: RawClient, moves: str, field: str) -> None:
    assert client.problem(request(moves, field)).slug == "malformed-request"
    assert client.problem(post(moves, _MOVE, field)).slug == "malformed-request"


def test_a_request_that_is_too_long(client: RawClient, moves: str) -> None:
    long, many = "x" * 9000, [f"X-{n}: 1" for n in range(200)]
    for sent, status, slug in (
        (request(f"/{long}"), 414, "uri-too-long"),
        (request(f"{moves}?{long}"), 414, "uri-too-long"),
        (request("/livez", f"X: {long}"), 431, "header-fields-too-large"),
        (request("/livez", *many), 431, "header-fields-too-large"),
        (
            post(moves, _MOVE, f"Idempotency-Key: {long}"),
            431,
            "header-fields-too-large",
        ),
    ):
        reply = client.problem(sent)
        assert (reply.status, reply.slug) == (status, slug)


@pytest.mark.parametrize(
    "length",
    ["", "x", "-1", "+20", "0x14", "2 0", "20, 20", "20.0", "²", "9" * 5000],
)
def test_malformed_lengths(client: RawClient, moves: str, length: str) -> None:
    fields = ("Content-Type: application/json", f"Content-Length: {length}")
    reply = client.problem(request(moves, *fields, method="POST", body=_MOVE))
    assert (reply.status, reply.slug) == (400, "malformed-request")


@pytest.mark.parametrize(
    "coding",
    [
        "gzip",
        "identity",
        "chunked, chunked",
        "chunked, identity",
        "chunked, gzip",
        "chunked\r\nTransfer-Encoding: chunked",
        "chunked\r\nContent-Length: 20",
        "chunked\r\nContent-Length: 0",
        "\x0bchunked",
        "chunked\x00",
    ],
)
def test_ambiguous_framing(client: RawClient, moves: str, coding: str) -> None:
    """No server may read a second request in the body."""
    hidden = chunk(_MOVE) + _END + post(moves, _MOVE)
    fields = ("Content-Type: application/json", f"Transfer-Encoding: {coding}")
    reply = client.problem(request(moves, *fields, method="POST", body=hidden))
    assert (reply.status, reply.slug) == (400, "malformed-request")
    assert reply.headers["Connection"] == "close"


def test_malformed_framing(client: RawClient, moves: str) -> None:
    for field in (
        "Transfer-Encoding : chunked",
        "Transfer-Encoding: chunked\nX: y",
        "Content-Length : 20",
    ):
        sent = request(moves, field, method="POST", body=chunk(_MOVE) + _END)
        assert client.problem(sent).slug == "malformed-request"
    old = b"POST %b HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" % moves.encode()
    assert client.problem(old + chunk(_MOVE) + _END).slug == "malformed-request"


@pytest.mark.parametrize(
    "fields",
    [
        ("SCRIPT_NAME: /elsewhere",),
        ("SCRIPT_NAME: /v1",),
        ("Script-Name: /v1",),
        ("PATH_INFO: /elsewhere",),
        ("X-Forwarded-Proto: https",),
        ("X-Forwarded-Proto: https", "X-Forwarded-Ssl: off"),
        ("X-Forwarded-Prefix: /elsewhere", "X-Forwarded-Host: elsewhere"),
    ],
)
def test_fields_that_only_a_proxy_may_send(
    client: RawClient, fields: tuple[str, ...]
) -> None:
    reply = client.ask(post("/v1/games", b"{}", *fields))
    assert reply.status == 201
    assert reply.headers["Location"] == f"/v1/games/{reply.json['id']}"


@pytest.mark.parametrize("coding", ["xchunked", "br", "chunked;q=1", "cow"])
def test_unknown_transfer_codings(client: RawClient, moves: str, coding: str) -> None:
    field = f"Transfer-Encoding: {coding}"
    reply = client.problem(request(moves, field, method="POST", body=_MOVE))
    assert (reply.status, reply.slug) == (501, "unknown-transfer-coding")


def test_a_compressed_body_is_refused(client: RawClient, moves: str) -> None:
    sent = request(
        moves,
        "Content-Type: application/json",
        "Transfer-Encoding: gzip, chunked",
        method="POST",
        body=chunk(b"\x1f\x8b\x08\x00") + _END,
    )
    reply = client.problem(sent)
    assert (reply.status, reply.slug) == (501, "unknown-transfer-coding")


@pytest.mark.parametrize(
    "chunks",
    [
        b"\r\n",
        b"zz\r\n",
        b"-1\r\n",
        b"+14\r\n",
        b"0x14\r\n" + _MOVE,
        b"1 4\r\n" + _MOVE,
        b"14;a\rb\r\n" + _MOVE,
        b"14;=\r\n" + _MOVE,
        b"14\n" + _MOVE + b"\n0\n\n\r\n",
        b"14\r\n" + _MOVE + b"xx" + _END,
        b"15\r\n" + _MOVE + b"\r\n" + _END,
        b"4" * 9000,
        chunk(_MOVE) + b"0\r\nHost: x\r\n\r\n",
        chunk(_MOVE) + b"0\r\nContent-Length: 1\r\n\r\n",
        chunk(_MOVE) + b"0\r\nno colon\r\n\r\n",
    ],
)
def test_malformed_chunks(client: RawClient, moves: str, chunks: bytes) -> None:
    reply = client.problem(chunked(moves, chunks))
    assert (reply.status, reply.slug) == (400, "malformed-request")


@pytest.mark.parametrize(
    "body",
    [_MOVE, b"{}", b'{"from": 3, "to": 0}     '],
)
def test_a_body_that_ends_early(client: RawClient, moves: str, body: bytes) -> None:
    fields = ("Content-Type: application/json", f"Content-Length: {len(body) + 1}")
    for sent in (
        request(moves, *fields, method="POST", body=body),
        chunked(moves, chunk(body)),
        chunked(moves, chunk(body) + b"0\r\n"),
        chunked(moves, b"ffffffffffffffffff\r\n" + body),
    ):
        reply = client.problem(sent, ended=True)
        assert (reply.status, reply.slug) == (400, "malformed-request")


def test_a_head_that_ends_early(client: RawClient, moves: str) -> None:
    whole = post(moves, b"")
    for end in range(len(whole) - 1):
        assert client.send(whole[:end], ended=True) == b""


def test_a_body_that_is_too_large(client: RawClient, moves: str) -> None:
    body = _MOVE.ljust(_LARGEST + 1)
    for sent in (
        post(moves, body),
        chunked(moves, chunk(body) + _END),
        chunked(moves, b"".join(chunk(bytes([byte])) for byte in body) + _END),
    ):
        reply = client.problem(sent)
        assert (reply.status, reply.slug) == (413, "body-too-large")


def test_a_body_that_is_far_too_large(client: RawClient, moves: str) -> None:
    """The service may close the connection while the client still sends."""
    body = _MOVE.ljust(100 * _LARGEST)
    for sent in (post(moves, body), chunked(moves, chunk(body) + _END)):
        answer = client.send(sent)
        assert answer == b"" or parse(answer).slug == "body-too-large"
    assert client.ask(request("/livez")).status == 200


def test_a_length_that_is_too_large_is_not_waited_for(
    client: RawClient, moves: str
) -> None:
    for length in (_LARGEST + 1, 10**30):
        fields = ("Content-Type: application/json", f"Content-Length: {length}")
        reply = client.problem(request(moves, *fields, method="POST"))
        assert (reply.status, reply.slug) == (413, "body-too-large")


def test_the_largest_body(client: RawClient) -> None:
    body = b"{}".ljust(_LARGEST)
    assert client.ask(post("/v1/games", body)).status == 201
    assert client.ask(chunked("/v1/games", chunk(body) + _END)).status == 201


def test_one_request_per_connection(client: RawClient, moves: str) -> None:
    """Bytes after a request are never read as another request."""
    reply = client.ask(request("/livez") + post(moves, _MOVE))
    assert reply.status == 200
    assert reply.headers["Connection"] == "close"


def test_methods_without_a_body(client: RawClient, game: dict[str, Any]) -> None:
    path = f"/v1/games/{game['id']}"
    length = client.ask(request(path)).headers["Content-Length"]
    head = client.ask(request(path, method="HEAD"))
    assert head.headers["Content-Length"] == length
    assert client.ask(request(path, 'If-None-Match: "1.1"')).status == 304
    assert client.ask(request("/nope", method="HEAD")).status == 404
    assert client.ask(request(path, method="OPTIONS")).status == 204


@pytest.mark.parametrize("method", ["CONNECT", "OPTIONS", "TRACE", "BREW", "GET"])
@pytest.mark.parametrize("target", ["*", "x:80", "x", "?", "/../..", "http://x"])
def test_targets_that_are_not_paths(
    client: RawClient, method: str, target: str
) -> None:
    reply = client.ask(request(target, method=method))
    assert reply.status in {200, 204, 302, 308, 400, 404, 405}
    assert reply.status < 400 or reply.media_type == PROBLEM_JSON


@pytest.mark.parametrize(
    "target", ["//livez", "//x/livez", "///", "/v1//variants", "/livez//", "/livez/%2e"]
)
def test_too_many_slashes(client: RawClient, target: str) -> None:
    assert client.problem(request(target)).slug == "not-found"


def test_idle_connections_occupy_no_worker(client: RawClient) -> None:
    if not hasattr(socket, "TCP_DEFER_ACCEPT"):
        pytest.skip("only Linux can delay accepting until the first byte")
    address = (client.service.host, client.service.port)
    silent = [socket.create_connection(address) for _ in range(10)]
    try:
        assert client.ask(request("/livez")).status == 200
    finally:
        for connection in silent:
            connection.close()


def test_incomplete_requests_time_out(client: RawClient, moves: str) -> None:
    incomplete = [b"GET /livez HTTP/1.1\r\nHo", post(moves, _MOVE)[:-1]]
    with ThreadPoolExecutor() as pool:
        for reply in pool.map(client.problem, incomplete):
            assert (reply.status, reply.slug) == (408, "request-timeout")
    assert client.ask(request("/livez")).status == 200
    assert "Traceback" not in client.service.output()


_FORMS = [
    request("/v1/games/x?a=b", 'If-None-Match: "1.1"', "Accept: */*"),
    post("/v1/games/x/moves", _MOVE, 'If-Match: "1"', "Idempotency-Key: k"),
    chunked("/v1/games/x/undo", chunk(b'{"count": 3}') + _END),
]


@settings(max_examples=150)
@given(
    form=st.sampled_from(_FORMS),
    place=st.floats(0, 1, exclude_max=True),
    length=st.integers(0, 6),
    junk=st.binary(max_size=12),
)
def test_damaged_requests(
    client: RawClient, form: bytes, place: float, length: int, junk: bytes
) -> None:
    start = int(place * len(form))
    sent = form[:start] + junk + form[start + length :]
    answer = client.send(sent, ended=True)
    if not answer:
        return
    reply = parse(answer, has_body=not sent.startswith(b"HEAD "))
    assert reply.status in {200, 204, 302, 400, 404, 405, 409, 413, 415, 422, 501}
    assert reply.status < 300 or reply.media_type == PROBLEM_JSON
    assert '"level":"error"' not in client.service.output()
