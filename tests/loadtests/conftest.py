import socketserver
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from loadtests.servers import Server, serve_floor
from loadtests.wire import Address
from service.store.embedded import EmbeddedStore
from tests.servers import running


@pytest.fixture(scope="package")
def floor() -> Iterator[Server]:
    """The floor, on a store of its own."""
    with TemporaryDirectory(prefix="acc") as name:
        home = Path(name)
        with (
            EmbeddedStore(home / "data"),
            serve_floor(home / "data", home / "log") as server,
        ):
            yield server


class Scripted(socketserver.ThreadingTCPServer):
    """A server that answers everything alike and remembers what it was asked."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, answer: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.asked: list[str] = []

    @property
    def address(self) -> Address:
        return Address("127.0.0.1", self.server_address[1])


class _Handler(socketserver.StreamRequestHandler):
    server: Scripted

    def handle(self) -> None:
        with suppress(ConnectionError):  # a client may leave when it likes
            self._answer_all()

    def _answer_all(self) -> None:
        while line := self.rfile.readline():
            length = 0
            while field := self.rfile.readline().strip():
                name, _, value = field.lower().partition(b":")
                length = int(value) if name == b"content-length" else length
            self.rfile.read(length)
            self.server.asked.append(line.decode().split(" ")[1])
            self.wfile.write(self.server.answer)


@pytest.fixture
def scripted(request: pytest.FixtureRequest) -> Iterator[Scripted]:
    """A `Scripted` server; parametrized with its answer."""
    server = Scripted(request.param)
    with running(server):
        yield server
