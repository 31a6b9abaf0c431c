"""Sends bytes to a service, for requests that no HTTP client would send."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.http.client import PROBLEM_JSON, Reply, validate

if TYPE_CHECKING:
    from tests.servers import Service

_TIMEOUT = 30


@dataclass(frozen=True)
class RawClient:
    """Sends bytes to a service, on a new connection each time."""

    service: Service

    def send(self, data: bytes, *, ended: bool = False) -> bytes:
        """Send bytes, close this end if `ended`, and return all bytes received."""
        address = (self.service.host, self.service.port)
        with socket.create_connection(address, timeout=_TIMEOUT) as client:
            try:
                client.sendall(data)
                if ended:
                    client.shutdown(socket.SHUT_WR)
                return b"".join(iter(lambda: client.recv(65536), b""))
            except ConnectionError:
                return b""

    def ask(self, data: bytes, *, ended: bool = False) -> Reply:
        """Send a request, and read exactly one response."""
        return parse(self.send(data, ended=ended), has_body=data[:5] != b"HEAD ")

    def problem(self, data: bytes, *, ended: bool = False) -> Reply:
        """Send a request, and read a problem document."""
        reply = self.ask(data, ended=ended)
        assert reply.media_type == PROBLEM_JSON, reply
        validate(("components", "schemas", "Problem"), reply.json)
        assert reply.json["status"] == reply.status
        return reply


def parse(data: bytes, *, has_body: bool = True) -> Reply:
    """Read a response; nothing may follow it."""
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    version, status, _ = first.split(" ", 2)
    assert version in {"HTTP/1.0", "HTTP/1.1"}
    fields = [
        (name, value) for name, _, value in (line.partition(": ") for line in lines)
    ]
    headers = dict(fields)
    assert len(headers) == len(fields), fields
    if status in {"204", "304"} or not has_body:
        assert body == b""
    else:
        assert len(body) == int(headers["Content-Length"]), data
    return Reply(int(status), headers, body)


def request(
    target: str,
    *fields: str,
    method: str = "GET",
    body: bytes = b"",
    version: str = "1.1",
) -> bytes:
    """Build a request; each of `fields` is a complete header line."""
    lines = [f"{method} {target} HTTP/{version}", "Host: x", *fields, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def post(target: str, body: bytes, *fields: str) -> bytes:
    """Build a POST of JSON with its length."""
    length = f"Content-Length: {len(body)}"
    kind = "Content-Type: application/json"
    return request(target, kind, length, *fields, method="POST", body=body)


def chunked(target: str, chunks: bytes, *fields: str) -> bytes:
    """Build a POST of JSON in chunks."""
    kind = ("Content-Type: application/json", "Transfer-Encoding: chunked")
    return request(target, *kind, *fields, method="POST", body=chunks)


def chunk(data: bytes) -> bytes:
    """Build one chunk."""
    return b"%x\r\n%b\r\n" % (len(data), data)
