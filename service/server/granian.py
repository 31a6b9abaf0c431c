"""The service on granian, an optional extra that handles more requests a second."""

import multiprocessing
from functools import cache, partial
from threading import Event, Thread

from flask import Flask
from granian.constants import Interfaces, Loops
from granian.log import LogLevels
from granian.server import Server

from service.config import Settings
from service.http.app import create_app
from service.server import ServeError
from service.server.address import free_port, is_reachable
from service.server.forking import begin_worker, freeze
from service.server.readiness import Readiness
from service.server.webhook_sender import WebhookSender
from service.solver import warm
from service.store.embedded import EmbeddedStore

_THREADS = 2
"""Requests that a worker handles at once; searches release the interpreter lock."""

_LISTENING_SECONDS = 0.02
_KEEPING_SECONDS = 1.0


def serve(settings: Settings, embedded: EmbeddedStore | None) -> None:
    """Serve from worker processes until a signal to stop.

    Raises:
        ServeError: The workers keep dying.
    """
    # Forked workers share the memory of everything that is loaded by now.
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
    attendant = Thread(target=_supervise, args=(settings, port, embedded, stopped))
    attendant.start()
    try:
        server.serve(target_loader=partial(_load, settings), wrap_loader=False)
    finally:
        stopped.set()
        attendant.join()
    if not server.interrupt_signal:
        raise ServeError("The worker processes die again and again.")


def _supervise(
    settings: Settings, port: int, embedded: EmbeddedStore | None, stopped: Event
) -> None:
    """Print when the service is ready; keep the webhook sender and store running."""
    while not is_reachable(settings.host, port):
        if stopped.wait(_LISTENING_SECONDS):
            return
    readiness = Readiness(settings, settings.host, port)
    readiness.check()
    sender = WebhookSender(settings)
    sender.ensure_running()
    while not stopped.wait(_KEEPING_SECONDS):
        readiness.check()
        sender.ensure_running()
        if embedded is not None:
            embedded.relaunch_if_ended()
    sender.stop()
    sender.end()


def _load(settings: Settings) -> Flask:
    """Begin a worker, and return its application."""
    begin_worker(settings)
    return _make(settings)


@cache
def _make(settings: Settings) -> Flask:
    """Make the application; a forked worker inherits its parent's."""
    warm()
    return create_app(settings)
