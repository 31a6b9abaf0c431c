"""Clients that speak HTTP byte by byte, in their own time."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.servers import Service

LIVENESS = b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"


class Reply(NamedTuple):
    """A response as it came over the wire; status 0 where none came."""

    status: int
    fields: Mapping[str, str]
    body: bytes


def connect(service: Service) -> socket.socket:
    return socket.create_connection((service.host, service.port), timeout=120)


def send(service: Service, data: bytes) -> socket.socket:
    client = connect(service)
    client.sendall(data)
    return client


def read(client: socket.socket) -> Reply:
    """Read a response to its end, which is that of the connection."""
    with client:
        data = b"".join(iter(lambda: client.recv(65536), b""))
    return parse(data)


def parse(data: bytes) -> Reply:
    head, _, body = data.partition(b"\r\n\r\n")
    line, *lines = head.decode().split("\r\n")
    fields = dict(field.split(": ", 1) for field in lines)
    return Reply(int((line or "- 0").split()[1]), fields, body)


def ask(service: Service, data: bytes) -> Reply:
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
