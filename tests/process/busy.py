"""A service that is busy until a test resumes its store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psutil

from tests.process.playing import new_game
from tests.process.wire import RawResponse, connect, post, read, send
from tests.servers import wait_until

if TYPE_CHECKING:
    from tests.servers import Service

START = post("/v1/games", b"{}")


class BusyService:
    """A service whose only worker waits for the store while requests are queued."""

    def __init__(self, service: Service, queued: list[bytes]) -> None:
        wait_until(lambda: bool(service.workers))
        new_game(service)  # loads the store's script
        self._store = service.store
        self._store.suspend()
        self._service = service
        self._clients = [send(service, START)]
        wait_until(lambda: has_client(service.workers[0]))
        self._clients += [send(service, data) for data in queued]

    def wait_until_it_stops_listening(self) -> None:
        wait_until(lambda: not accepts(self._service))

    def resume_store(self) -> None:
        self._store.resume()

    def responses(self) -> list[RawResponse]:
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
