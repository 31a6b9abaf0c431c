"""The service on gunicorn."""

from pathlib import Path
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker

from service.api.app import create_app
from service.config import Settings
from service.server.address import join_address, say_ready
from service.store.embedded import EmbeddedStore
from service.store.processes import stop_with_parent

_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - for heartbeats, which are no secret


def serve_on_gunicorn(settings: Settings, embedded: EmbeddedStore | None) -> None:
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
            "errorlog": "-",
            "loglevel": "info" if settings.log_level == "debug" else "warning",
            "proc_name": "accordion",
            "when_ready": _announce,
            "post_fork": _begin_worker,
        }
        if _SHARED_MEMORY.is_dir():
            options["worker_tmp_dir"] = str(_SHARED_MEMORY)
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        """Make the application, before the workers are forked."""
        return create_app(self._settings)


class StoreKeepingArbiter(Arbiter):
    """gunicorn's master process, which also keeps the embedded store alive."""

    def __init__(self, app: Application, embedded: EmbeddedStore | None) -> None:
        self._embedded = embedded
        super().__init__(app)

    def murder_workers(self) -> None:
        """End workers that hang; called once a second and when a child ends."""
        super().murder_workers()
        if self._embedded is not None:
            self._embedded.revive()


def _begin_worker(_arbiter: Arbiter, _worker: Worker) -> None:
    stop_with_parent()


def _announce(arbiter: Arbiter) -> None:
    host, port = arbiter.LISTENERS[0].sock.getsockname()[:2]
    say_ready(host, port)
