"""Serves the page's files beside a running service: one origin for both."""

from __future__ import annotations

import sys
from contextlib import suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "service/http/page"
CLIENT = ROOT / "clients/javascript"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".ts": "text/plain; charset=utf-8",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors {}"
)
_KEPT = ("content-type", "etag", "location", "retry-after", "date", "link")


class Front(ThreadingHTTPServer):
    """Everything under `prefix`; `/v1` is passed on to the service at `target`."""

    daemon_threads = True

    def __init__(
        self, target: str, *, port: int = 0, prefix: str = "", ancestors: str = "'none'"
    ) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.target = target
        self.prefix = prefix
        self.ancestors = ancestors

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{self.prefix}/"


def static_file(path: str) -> Path | None:
    if path == "/":
        return PAGE / "index.html"
    folder = {"page": PAGE, "client": CLIENT}.get(path.split("/")[1])
    if folder is None:
        return None
    file = folder.joinpath(*path.split("/")[2:])
    return file if file.is_file() else None


class _Handler(BaseHTTPRequestHandler):
    server: Front
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer()

    do_POST = do_DELETE = do_GET  # noqa: N815

    def _answer(self) -> None:
        path = urlsplit(self.path).path.removeprefix(self.server.prefix)
        if path.startswith("/v1"):
            self._pass_on()
        elif (file := static_file(path)) is not None:
            policy = POLICY.format(self.server.ancestors)
            fields = {
                "Content-Type": TYPES[file.suffix],
                "Content-Security-Policy": policy,
            }
            self._reply(200, fields, file.read_bytes())
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
        kept = {k: v for k, v in answer.getheaders() if k.lower() in _KEPT}
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


if __name__ == "__main__":
    Front(sys.argv[1], port=int(sys.argv[2])).serve_forever()
