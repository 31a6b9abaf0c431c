"""The service on granian, an optional extra: more requests a second."""

import multiprocessing
from functools import cache, partial
from threading import Event, Thread

from flask import Flask
from granian.constants import Interfaces, Loops
from granian.log import LogLevels
from granian.server import Server

from service.config import Settings
from service.http.app import create_app
from service.server.address import accepts, free_port
from service.server.errors import ServeError
from service.server.preloading import freeze
from service.server.readiness import Readiness
from service.server.sweeping import start_sweeping
from service.server.webhook_sender import WebhookSender
from service.solver import warm
from service.store.embedded import EmbeddedStore
from service.store.processes import stop_with_parent

_THREADS = 2
"""Requests at once in a worker; they share a processor, but not while they search."""

_LISTENING_SECONDS = 0.02
_KEEPING_SECONDS = 1.0


def serve(settings: Settings, embedded: EmbeddedStore | None) -> None:
    """Serve from worker processes until a signal says stop.

    Raises:
        ServeError: The workers do not live.
    """
    # So that the workers share memory with each other, and what is loaded by now.
    multiprocessing.set_start_method("fork", force=True)
    _make(settings)
    freeze()
    port = settings.port or free_port(settings.host)
    server = Server(
        "accordion",
        address=settings.host,
        port=port,
        interface=Interfaces.WSGI,
        loop=Loops.asyncio,
        workers=settings.workers,
        blocking_threads=_THREADS,
        workers_kill_timeout=settings.stop_timeout,
        respawn_failed_workers=True,
        log_level=LogLevels.error,
    )
    stopped = Event()
    attendant = Thread(target=_attend, args=(settings, port, embedded, stopped))
    attendant.start()
    try:
        server.serve(target_loader=partial(_load, settings), wrap_loader=False)
    finally:
        stopped.set()
        attendant.join()
    if not server.interrupt_signal:
        raise ServeError("The worker processes die again and again.")


def _attend(
    settings: Settings, port: int, embedded: EmbeddedStore | None, stopped: Event
) -> None:
    """Tell when the service is ready, and keep the embedded store alive."""
    while not accepts(settings.host, port):
        if stopped.wait(_LISTENING_SECONDS):
            return
    readiness = Readiness(settings, settings.host, port)
    readiness.check()
    sender = WebhookSender(settings)
    sender.keep()
    while not stopped.wait(_KEEPING_SECONDS):
        readiness.check()
        sender.keep()
        if embedded is not None:
            embedded.revive()
    sender.stop()
    sender.end()


def _load(settings: Settings) -> Flask:
    """Have the application in a worker."""
    stop_with_parent()
    start_sweeping(settings)
    return _make(settings)


@cache
def _make(settings: Settings) -> Flask:
    """Make the application; a worker that is forked, as on Linux, has it already."""
    warm()
    return create_app(settings)
