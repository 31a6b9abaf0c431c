"""The service on gunicorn."""

import logging
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from flask import Flask
from gunicorn import glogging
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.config import Config
from gunicorn.workers.base import Worker

from service.config import Settings
from service.http.app import create_app
from service.metrics import forget_process
from service.server.address import join_address, say_ready
from service.server.preloading import freeze
from service.server.worker import STOPPING, PatientWorker
from service.store.embedded import EmbeddedStore
from service.store.processes import stop_with_parent

_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - for heartbeats, which are no secret

_FIRST_BYTE_SECONDS = 60

_BELIEVE_NOTHING = {
    "forwarded_allow_ips": "*",
    "forwarder_headers": "",
    "secure_scheme_headers": {},
}
"""Whoever asks, gunicorn takes no field for the word of a proxy: where there are
proxies, the application reads what they say (`ACCORDION_TRUSTED_PROXIES`)."""


def serve(settings: Settings, embedded: EmbeddedStore | None) -> None:
    """Serve from worker processes of one request at a time; ends the process."""
    StoreKeepingArbiter(Application(settings), embedded).run()


class Application(BaseApplication):
    """The service as gunicorn runs it: loaded once, then forked into workers."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        super().__init__()

    def load_config(self) -> None:
        """Set gunicorn up."""
        settings = self._settings
        options: dict[str, Any] = {
            "bind": join_address(settings.host, settings.port),
            "workers": settings.workers,
            "preload_app": True,
            "graceful_timeout": settings.stop_timeout,
            "control_socket_disable": True,
            "proc_name": "accordion",
            "when_ready": _begin,
            "post_fork": _begin_worker,
            "child_exit": _end_worker,
            "logger_class": Logger,
            **_BELIEVE_NOTHING,
            "worker_class": PatientWorker,
        }
        if _SHARED_MEMORY.is_dir():
            options["worker_tmp_dir"] = str(_SHARED_MEMORY)
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:  # type: ignore[override]  # the stub's WSGI is narrower
        """Make the application, before the workers are forked."""
        return create_app(self._settings)


class Logger(glogging.Logger):
    """gunicorn's logger, its lines written as all others are."""

    def setup(self, cfg: Config) -> None:
        """Pass what is worth a warning on to the handlers of the whole process."""
        self.cfg = cfg
        self._access_log_enabled = False
        self.error_log.propagate = True
        self.error_log.setLevel(logging.WARNING)

    def exception(self, msg: object, *args: object, **kwargs: Any) -> None:  # noqa: ANN401
        """Log an error; that a client was too slow is none."""
        if not isinstance(sys.exception(), TimeoutError):
            super().exception(msg, *args, **kwargs)


class StoreKeepingArbiter(Arbiter):
    """gunicorn's master process, which also keeps the embedded store alive."""

    def __init__(self, app: Application, embedded: EmbeddedStore | None) -> None:
        self._embedded = embedded
        super().__init__(app)

    def spawn_worker(self) -> int:
        """Fork a worker; a signal to stop waits until the worker can take it."""
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
        try:
            return super().spawn_worker()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)

    def murder_workers(self) -> None:
        """End workers that hang; called once a second and when a child ends."""
        super().murder_workers()
        if self._embedded is not None:
            self._embedded.revive()


def _begin_worker(_arbiter: Arbiter, _worker: Worker) -> None:
    stop_with_parent()


def _end_worker(_arbiter: Arbiter, worker: Worker) -> None:
    forget_process(int(worker.pid))


def _begin(arbiter: Arbiter) -> None:
    freeze()
    listener = arbiter.LISTENERS[0].sock
    if hasattr(socket, "TCP_DEFER_ACCEPT"):  # Linux: no worker waits for the first byte
        listener.setsockopt(
            socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, _FIRST_BYTE_SECONDS
        )
    host, port = listener.getsockname()[:2]
    say_ready(host, port)
