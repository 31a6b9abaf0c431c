"""A proxy that serves a running service under a prefix of the path."""

from __future__ import annotations

from contextlib import suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "service/http/page"
CLIENT = ROOT / "clients/javascript"
_DROPPED = {"connection", "transfer-encoding", "content-length"}


class PrefixProxy(ThreadingHTTPServer):
    """Passes everything under `prefix` on to the service at `target`."""

    daemon_threads = True

    def __init__(self, target: str, prefix: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.target = target
        self.prefix = prefix

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{self.prefix}/"


class _Handler(BaseHTTPRequestHandler):
    server: PrefixProxy
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer()

    do_POST = do_DELETE = do_GET  # noqa: N815

    def _answer(self) -> None:
        if self.path.startswith(self.server.prefix):
            self._pass_on()
        else:
            self._reply(404, {"Content-Type": "text/plain"}, b"Not found")

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        target = self.path.removeprefix(self.server.prefix)
        connection = HTTPConnection(urlsplit(self.server.target).netloc)
        fields = {
            name: value
            for name, value in self.headers.items()
            if name.lower() not in {"host", "connection", "origin"}
        }
        connection.request(self.command, target, body or None, fields)
        answer = connection.getresponse()
        kept = {k: v for k, v in answer.getheaders() if k.lower() not in _DROPPED}
        self._reply(answer.status, kept, answer.read())
        connection.close()

    def _reply(self, status: int, fields: dict[str, str], body: bytes) -> None:
        self.send_response_only(status)
        for name, value in fields.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(ConnectionError):  # The page was left.
            self.wfile.write(body)

    def log_message(self, *_message: object) -> None:
        """Write nothing: the browser's tests say what went wrong."""
