"""A receiver of webhooks on loopback."""

from __future__ import annotations

from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event
from typing import TYPE_CHECKING, Any

from standardwebhooks import Webhook

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True)
class Received:
    """A request that a sender has made."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    def verify(self, secret: str) -> Any:  # noqa: ANN401
        """Return the message, if its signature is valid."""
        return Webhook(secret).verify(self.body, dict(self.headers))


class Receiver(ThreadingHTTPServer):
    """Responds with the status that `answer` returns.

    Its arguments are the request and the number of earlier ones. With status 0 no
    response is sent: the receiver hangs until `release` is set.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        super().__init__((host, port), _Handler)
        self.received: list[Received] = []
        self.answer: Callable[[Received, int], int] = lambda _request, _count: 204
        self.release = Event()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}/hook?from=service"

    @property
    def ids(self) -> list[str]:
        return [each.id for each in self.received]


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = Received(self.path, {**self.headers}, body)
        count = len(self.server.received)
        self.server.received.append(request)
        status = self.server.answer(request, count)
        if not status:
            self.server.release.wait()
            return
        self.send_response(status)
        if status // 100 == 3:
            self.send_header("Location", "/elsewhere")
        self.end_headers()

    do_GET = do_POST  # noqa: N815 - the name that http.server calls

    def log_message(self, *_args: object) -> None:
        pass
