"""HTTP/1.1 over a raw socket: as little client as a measurement can do with.

Requests are bytes made beforehand. A connection stays open where the server lets it,
and is opened again where the server closed it.
"""

from __future__ import annotations

import json
import socket
from typing import Any, NamedTuple, Self

TIMEOUT = 10.0
"""How patient a connection is unless it is told otherwise."""

_CHUNK = 65536


class Address(NamedTuple):
    """Where a server listens."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """The address as a URL without a path."""
        return f"http://{self.host}:{self.port}"


class Answer(NamedTuple):
    """An HTTP response; the names of its fields are in lower case."""

    status: int
    fields: dict[str, str]
    body: bytes

    def json(self) -> Any:  # noqa: ANN401 - JSON is whatever the server sent
        """The body as JSON."""
        return json.loads(self.body)


class ProtocolError(Exception):
    """What came is no response with a length, or was cut short."""


def request(
    method: str, path: str, body: object = None, fields: dict[str, str] | None = None
) -> bytes:
    """Write a request down; a body other than None goes as JSON."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name}: {value}" for name, value in (fields or {}).items()]
    data = b""
    if body is not None:
        data = json.dumps(body, separators=(",", ":")).encode()
        lines += ["Content-Type: application/json", f"Content-Length: {len(data)}"]
    return "\r\n".join([*lines, "", ""]).encode() + data


class Connection:
    """A connection to a server, opened when first needed.

    Args:
        address: where the server listens.
        timeout: seconds to wait for a connection and for each piece of an answer.
    """

    def __init__(self, address: Address, timeout: float = TIMEOUT) -> None:
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

    def send(self, data: bytes) -> Answer:
        """Send a request and read its answer.

        Raises:
            OSError: The server cannot be reached, or is silent too long.
            ProtocolError: The answer cannot be read.
        """
        if self._socket is None:
            self._socket = socket.create_connection(self._address, self._timeout)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self._socket.sendall(data)
            answer = _read(self._socket)
        except (OSError, ProtocolError):
            self.close()
            raise
        if answer.fields.get("connection", "").lower() == "close":
            self.close()
        return answer


def _read(stream: socket.socket) -> Answer:
    head, body = _read_head(stream)
    status_line, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    fields = {name.lower(): value.strip() for name, _, value in pairs}
    status = int(status_line.split(" ", 2)[1])
    length = _length(status, fields)
    while len(body) < length:
        body += _receive(stream)
    return Answer(status, fields, body)


def _read_head(stream: socket.socket) -> tuple[bytes, bytes]:
    data = b""
    while b"\r\n\r\n" not in data:
        data += _receive(stream)
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, rest


def _length(status: int, fields: dict[str, str]) -> int:
    if status in {204, 304}:
        return 0
    if "content-length" not in fields:
        raise ProtocolError("an answer without Content-Length")
    return int(fields["content-length"])


def _receive(stream: socket.socket) -> bytes:
    chunk = stream.recv(_CHUNK)
    if not chunk:
        raise ProtocolError("an answer cut short")
    return chunk
