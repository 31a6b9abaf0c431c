"""A service that is kept busy for as long as a test wants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psutil

from tests.process.playing import new_game
from tests.process.wire import Reply, connect, post, read, send
from tests.servers import wait_until

if TYPE_CHECKING:
    from tests.servers import Service

START = post("/v1/games", b"{}")


class Busy:
    """A service whose one worker waits for the store with a request, and a queue."""

    def __init__(self, service: Service, queued: list[bytes]) -> None:
        wait_until(lambda: bool(service.workers))
        new_game(service)  # the store's script is known by now
        self._store = service.store
        self._store.suspend()
        self._service = service
        self._clients = [send(service, START)]
        wait_until(lambda: has_client(service.workers[0]))
        self._clients += [send(service, data) for data in queued]

    def wait_until_nobody_listens(self) -> None:
        wait_until(lambda: not accepts(self._service))

    def go_on(self) -> None:
        self._store.resume()

    def replies(self) -> list[Reply]:
        return [read(client) for client in self._clients]


def has_client(process: psutil.Process) -> bool:
    found = process.net_connections("tcp")
    return any(each.status == psutil.CONN_ESTABLISHED for each in found)


def accepts(service: Service) -> bool:
    try:
        connect(service).close()
    except OSError:
        return False
    return True
