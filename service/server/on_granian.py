"""The service on granian, an optional extra: more requests a second."""

from functools import partial
from threading import Event, Thread

from flask import Flask
from granian.constants import Interfaces, Loops
from granian.log import LogLevels
from granian.server import Server

from service.api.app import create_app
from service.config import Settings
from service.server.address import say_ready
from service.store.embedded import EmbeddedStore
from service.store.processes import stop_with_parent

_KEEPING_SECONDS = 1.0


def serve(settings: Settings, embedded: EmbeddedStore | None) -> None:
    """Serve from worker processes until a signal says stop."""
    server = Server(
        "accordion",
        address=settings.host,
        port=settings.port,
        interface=Interfaces.WSGI,
        loop=Loops.asyncio,
        workers=settings.workers,
        workers_kill_timeout=settings.stop_timeout,
        respawn_failed_workers=True,
        log_level=LogLevels.warning,
    )
    server.on_startup(partial(say_ready, settings.host, settings.port))
    stopped = Event()
    keeper = Thread(target=_keep_alive, args=(embedded, stopped))
    keeper.start()
    try:
        server.serve(target_loader=partial(_load, settings), wrap_loader=False)
    finally:
        stopped.set()
        keeper.join()


def _keep_alive(embedded: EmbeddedStore | None, stopped: Event) -> None:
    while embedded is not None and not stopped.wait(_KEEPING_SECONDS):
        embedded.revive()


def _load(settings: Settings) -> Flask:
    """Make the application, in a worker."""
    stop_with_parent()
    return create_app(settings)
