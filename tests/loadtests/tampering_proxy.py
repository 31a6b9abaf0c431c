"""A server that answers as the service does, but for its lies."""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.servers import running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Told(NamedTuple):
    """An answer, and the parts of the request that a lie may depend on."""

    method: str
    path: str
    conditional: bool
    status: int
    fields: dict[str, str]
    body: bytes

    def but(self, **members: object) -> Told:
        """The same answer with other members in its JSON."""
        return self._replace(body=json.dumps(json.loads(self.body) | members).encode())

    @property
    def json(self) -> Any:  # noqa: ANN401 - JSON is whatever the service sent
        return json.loads(self.body)


class Liar(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, lie: Callable[[Told], Told]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.truthful = port
        self.lie = lie

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Liar
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = dict(self.headers.items())
        connection = HTTPConnection("127.0.0.1", self.server.truthful, timeout=30)
        connection.request(self.command, self.path, body, asked)
        answer = connection.getresponse()
        told = self.server.lie(
            Told(
                self.command,
                self.path,
                "If-None-Match" in asked,
                answer.status,
                {"ETag": answer.headers.get("ETag", "")},
                answer.read(),
            )
        )
        connection.close()
        self.send_response(told.status)
        for name, value in told.fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(told.body)))
        self.end_headers()
        self.wfile.write(told.body)

    do_POST = do_GET  # noqa: N815 - as its base class has it

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def lying(port: int, lie: Callable[[Told], Told]) -> Iterator[Liar]:
    """Put a liar in front of the service at a port."""
    server = Liar(port, lie)
    with running(server):
        yield server
