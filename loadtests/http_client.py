"""A minimal HTTP/1.1 client for load tests and measurements.

Requests are bytes that are built in advance, so that sending them takes little time.
"""

from __future__ import annotations

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_CHUNK_BYTES = 65536
_WITHOUT_BODY = {204, 304}


class Address(NamedTuple):
    """The address that a server listens on."""

    host: str
    port: int


class Response(NamedTuple):
    """An HTTP response; the names of its header fields are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:  # noqa: ANN401 - JSON of any shape
        """The body as JSON."""
        return json.loads(self.body)


class ResponseError(ConnectionError):
    """The response was cut short or has no Content-Length."""


def build_request(
    method: str,
    path: str,
    body: object = None,
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """Build a request; a body other than None is sent as JSON."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    data = b""
    if body is not None:
        data = json.dumps(body, separators=(",", ":")).encode()
        lines += ["Content-Type: application/json", f"Content-Length: {len(data)}"]
    return "\r\n".join([*lines, "", ""]).encode() + data


class Connection:
    """A connection that is opened for the first request, and reopened when closed.

    The time-out in seconds is for connecting and for each part of a response.
    """

    def __init__(self, address: Address, timeout: float = 10.0) -> None:
        self._address = address
        self._timeout = timeout
        self._socket: socket.socket | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, if it is open."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def send(self, request: bytes) -> Response:
        """Send a request and read the response.

        Raises:
            OSError: The server cannot be reached, does not respond in time, or sends
                a response that cannot be read (`ResponseError`).
        """
        if self._socket is None:
            self._socket = socket.create_connection(self._address, self._timeout)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self._socket.sendall(request)
            response = _read_response(self._socket)
        except OSError:
            self.close()
            raise
        if response.headers.get("connection", "").lower() == "close":
            self.close()
        return response


def send_all(
    address: Address, requests: Sequence[bytes], connections: int = 4
) -> list[Response]:
    """Send each request once; the responses are in the order of the requests.

    Raises:
        OSError: A request got no response.
    """

    def send_share(first: int) -> list[Response]:
        with Connection(address) as connection:
            return [connection.send(data) for data in requests[first::connections]]

    with ThreadPoolExecutor(connections) as pool:
        shares = list(pool.map(send_share, range(connections)))
    return [shares[i % connections][i // connections] for i in range(len(requests))]


def _read_response(stream: socket.socket) -> Response:
    data = b""
    while b"\r\n\r\n" not in data:
        data += _receive(stream)
    head, _, body = data.partition(b"\r\n\r\n")
    status_line, *lines = head.decode("latin-1").split("\r\n")
    fields = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in fields}
    status = int(status_line.split(" ", 2)[1])
    if status in _WITHOUT_BODY:
        return Response(status, headers, b"")
    if "content-length" not in headers:
        raise ResponseError("a response without Content-Length")
    while len(body) < int(headers["content-length"]):
        body += _receive(stream)
    return Response(status, headers, body)


def _receive(stream: socket.socket) -> bytes:
    chunk = stream.recv(_CHUNK_BYTES)
    if not chunk:
        raise ResponseError("a response that was cut short")
    return chunk
