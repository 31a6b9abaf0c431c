"""Clients that send HTTP as raw bytes."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.servers import Service

LIVENESS = b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"


class RawResponse(NamedTuple):
    """A response as it was received; status 0 if none was."""

    status: int
    fields: Mapping[str, str]
    body: bytes


def connect(service: Service) -> socket.socket:
    return socket.create_connection((service.host, service.port), timeout=120)


def send(service: Service, data: bytes) -> socket.socket:
    client = connect(service)
    client.sendall(data)
    return client


def read(client: socket.socket) -> RawResponse:
    """Read a response until the server closes the connection."""
    with client:
        data = b"".join(iter(lambda: client.recv(65536), b""))
    return parse(data)


def parse(data: bytes) -> RawResponse:
    head, _, body = data.partition(b"\r\n\r\n")
    line, *lines = head.decode().split("\r\n")
    fields = dict(field.split(": ", 1) for field in lines)
    return RawResponse(int((line or "- 0").split()[1]), fields, body)


def ask(service: Service, data: bytes) -> RawResponse:
    return read(send(service, data))


def post(path: str, body: bytes, *fields: str) -> bytes:
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: x",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        *fields,
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body
