"""A proxy in front of the service that changes some of its responses."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Exchange(NamedTuple):
    """A response, with the path of its request and whether that was conditional."""

    path: str
    conditional: bool
    status: int
    etag: str
    body: bytes

    def replace(self, **members: object) -> Exchange:
        """The same response with other members in its JSON."""
        return self._replace(body=json.dumps(self.json | members).encode())

    @property
    def json(self) -> Any:  # noqa: ANN401 - JSON of any shape
        return json.loads(self.body)


class TamperingProxy(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, tamper: Callable[[Exchange], Exchange]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.target = port
        self.tamper = tamper

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: TamperingProxy
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = dict(self.headers.items())
        connection = HTTPConnection("127.0.0.1", self.server.target, timeout=30)
        connection.request(self.command, self.path, body, headers)
        response = connection.getresponse()
        etag = response.headers.get("ETag", "")
        conditional = "If-None-Match" in headers
        received = (response.status, etag, response.read())
        sent = self.server.tamper(Exchange(self.path, conditional, *received))
        connection.close()
        self.send_response(sent.status)
        self.send_header("ETag", sent.etag)
        self.send_header("Content-Length", str(len(sent.body)))
        self.end_headers()
        self.wfile.write(sent.body)

    do_POST = do_GET  # noqa: N815 - the name is the base class's

    def log_message(self, *_: object) -> None:
        """Log nothing."""
