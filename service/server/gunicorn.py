"""The service on gunicorn: a master process that starts and replaces the workers.

tests/process/test_gunicorn.py lists the internals of gunicorn that are relied on.
"""

from __future__ import annotations

import logging
import resource
import signal
import socket
from contextlib import suppress
from time import monotonic, perf_counter, sleep
from typing import TYPE_CHECKING, Any, Final

from gunicorn import glogging
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter

from service.http.app import create_app
from service.server.address import join_address
from service.server.connection import stamp_arrivals
from service.server.forking import begin_worker, freeze
from service.server.handover import Handover, stop_new_connections
from service.server.parse_errors import ServiceStoppingError, parse_error_response
from service.server.readiness import Readiness
from service.server.webhook_sender import WebhookSender
from service.server.worker import STOP_SIGNALS, ClientTimeoutWorker

if TYPE_CHECKING:
    from flask import Flask
    from gunicorn.config import Config
    from gunicorn.workers.base import Worker

    from service.config import Settings
    from service.store.embedded import EmbeddedStore

_FIRST_BYTE_SECONDS: Final = 60
_HANDSHAKE_SECONDS: Final = 0.1
"""Time for handshakes that began before the stop to complete."""
_POLL_SECONDS: Final = 0.05
_LAST_SECONDS: Final = 2.0
"""Time for workers to refuse the requests that they have not answered in time."""
_READING_SECONDS: Final = 0.1
"""Time for clients to read the refusal."""
_OPEN_FILES: Final = 4096
"""Twice the connections that can be queued; a stop accepts all of them."""
_MAX_PART: Final = 64 * 1024

_NO_PROXY: Final = {
    "forwarded_allow_ips": "*",
    "forwarder_headers": "",
    "secure_scheme_headers": {},
}
"""gunicorn ignores the header fields of proxies: the application reads them itself
(`ACCORDION_TRUSTED_PROXIES`)."""


def serve(settings: Settings, embedded: EmbeddedStore | None) -> None:
    """Serve from workers that handle one request at a time each; does not return."""
    MasterProcess(GunicornApplication(settings), embedded).run()


class GunicornApplication(BaseApplication):
    """The service as gunicorn runs it: loaded once, then forked into workers.

    Attributes:
        handover: Passes queued connections to the workers when the service stops.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.handover = Handover()
        super().__init__()

    def load_config(self) -> None:
        """Set gunicorn's options."""
        options: dict[str, Any] = {
            "bind": join_address(self.settings.host, self.settings.port),
            "workers": self.settings.workers,
            "preload_app": True,
            "graceful_timeout": self.settings.stop_timeout,
            "control_socket_disable": True,
            "proc_name": "accordion",
            "post_fork": _begin_worker,
            "logger_class": Logger,
            "limit_request_line": 0,  # the application checks the length of the target
            **_NO_PROXY,
            "worker_class": ClientTimeoutWorker,
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:  # type: ignore[override]  # the stub's WSGI is narrower
        """Make the application, before the workers are forked."""
        return create_app(self.settings)


class Logger(glogging.Logger):
    """gunicorn's logger, whose lines look like those of the service."""

    def setup(self, cfg: Config) -> None:
        """Pass warnings and errors to the log handlers of the process."""
        self.cfg = cfg
        self._access_log_enabled = False
        self.error_log.propagate = True
        self.error_log.setLevel(logging.WARNING)


class MasterProcess(Arbiter):
    """gunicorn's master process; keeps the store and the webhook sender running too."""

    def __init__(
        self, app: GunicornApplication, embedded: EmbeddedStore | None
    ) -> None:
        self._application = app
        self._embedded = embedded
        self._sender = WebhookSender(app.settings, self._leave_to_master)
        super().__init__(app)

    def start(self) -> None:
        """Listen, and print when the service is ready."""
        super().start()
        freeze()
        _allow_files(_OPEN_FILES)
        listener = self.LISTENERS[0].sock
        stamp_arrivals(listener)
        if hasattr(socket, "TCP_DEFER_ACCEPT"):  # Linux: not before the first byte
            level, option = socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT
            listener.setsockopt(level, option, _FIRST_BYTE_SECONDS)
        host, port = listener.getsockname()[:2]
        self._readiness = Readiness(self._application.settings, host, port)
        self._readiness.check()
        self._sender.ensure_running()

    def _leave_to_master(self) -> None:
        """Close the service's sockets, in a child process that handles no requests."""
        for listener in self.LISTENERS:
            listener.sock.close()
        self._application.handover.close()

    def spawn_worker(self) -> int:
        """Fork a worker; signals to stop are delayed until it can handle them."""
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        try:
            return super().spawn_worker()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def reload(self) -> None:
        """Replace the workers, and the process that sends to webhooks."""
        super().reload()
        self._sender.stop()

    def murder_workers(self) -> None:
        """Kill workers that hang, and restart the other processes that have ended.

        gunicorn calls this once a second and when a child ends.
        """
        super().murder_workers()
        self._relaunch_store()
        self._readiness.check()
        self._sender.ensure_running()

    def _relaunch_store(self) -> None:
        if self._embedded is not None:
            self._embedded.relaunch_if_ended()

    def stop(self, graceful: bool = True) -> None:  # noqa: FBT001, FBT002 - gunicorn's
        """Stop the workers, once every queued connection is answered or refused.

        gunicorn's own method lets the kernel reset queued connections, and measures
        time by a clock that can be set.
        """
        self._sender.stop()
        for listener in self.LISTENERS:
            self._accept_queued(listener.sock)
        self.LISTENERS = []  # type: ignore[misc]  # gunicorn does the same
        self._application.handover.give()
        self.kill_workers(signal.SIGTERM if graceful else signal.SIGQUIT)
        if not self._workers_end(self.cfg.graceful_timeout):
            self.kill_workers(signal.SIGQUIT)
            self._workers_end(_LAST_SECONDS)
        self.kill_workers(signal.SIGKILL)
        self.reap_workers()
        self._refuse_remaining()
        self._sender.end()

    def _accept_queued(self, listener: socket.socket) -> None:
        stop_new_connections(listener)
        sleep(_HANDSHAKE_SECONDS)
        self._application.handover.accept_all(listener)

    def _workers_end(self, seconds: float) -> bool:
        """Wait until all workers have ended; return whether they have.

        Stops waiting after `seconds`, or at a signal to stop at once.
        """
        until = monotonic() + seconds
        while self.WORKERS and monotonic() < until:
            if {signal.SIGINT, signal.SIGQUIT} & {
                *self.wait_for_signals(_POLL_SECONDS)
            }:
                return False
            self._application.handover.give()
            self.reap_workers()
            self._relaunch_store()
        return not self.WORKERS

    def _refuse_remaining(self) -> None:
        """Refuse the connections that no worker has taken."""
        left = [*self._application.handover.left()]
        for client in left:
            with suppress(OSError):
                client.recv(_MAX_PART, socket.MSG_DONTWAIT)
                client.send(
                    parse_error_response(ServiceStoppingError(), perf_counter())
                )
                client.shutdown(socket.SHUT_WR)
        if left:
            sleep(_READING_SECONDS)


def _allow_files(number: int) -> None:
    """Raise the limit on open files for this process and its workers, if allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < number:
        most = number if hard == resource.RLIM_INFINITY else min(hard, number)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _begin_worker(_arbiter: Arbiter, worker: Worker) -> None:
    begin_worker(worker.app.settings)  # type: ignore[attr-defined]
