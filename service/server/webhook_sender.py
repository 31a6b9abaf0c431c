"""The process that sends to webhooks; the main process starts and watches it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

from service.clock import now
from service.games.webhook_hosts import WebhookHosts
from service.games.webhooks import EventClosings, WebhookQueue
from service.http.schemas.webhooks import BODIES
from service.store.events import EventTexts
from service.store.factory import open_store
from service.store.processes import stop_with_parent
from service.store.webhooks import Webhooks
from service.webhooks.post import SECONDS, WebhookClient
from service.webhooks.sender import Sender

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.config import Settings

_RESOLVERS: Final = 32
"""Threads that look up host names; each lookup without an answer blocks one."""
_POLL_SECONDS: Final = 0.02
_IGNORED_SIGNALS: Final = (
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGHUP,
    signal.SIGWINCH,
)
_DEFAULT_SIGNALS: Final = (signal.SIGCHLD, signal.SIGUSR1, signal.SIGUSR2)
_LOG: Final = logging.getLogger(__name__)


class WebhookSender:
    """The process that sends to webhooks, if the settings ask for one.

    Args:
        begin: Called first in the new process, to close its parent's sockets.
    """

    def __init__(
        self, settings: Settings, begin: Callable[[], object] = lambda: None
    ) -> None:
        self._settings = settings
        self._begin = begin
        self._pid = 0

    def ensure_running(self) -> None:
        """Start the process if it is needed and not running."""
        if self._settings.sends_webhooks and not self._is_running():
            self._start()

    def stop(self) -> None:
        """Send SIGTERM to the process."""
        if self._is_running():
            os.kill(self._pid, signal.SIGTERM)

    def end(self) -> None:
        """Wait until the process has ended; kill it after the time of an attempt."""
        until = monotonic() + SECONDS
        while self._is_running():
            if monotonic() > until:
                os.kill(self._pid, signal.SIGKILL)
            sleep(_POLL_SECONDS)

    def _is_running(self) -> bool:
        if not self._pid:
            return False
        try:
            ended, _ = os.waitpid(self._pid, os.WNOHANG)
        except ChildProcessError:  # gunicorn has already reaped it
            ended = self._pid
        if ended:
            self._pid = 0
        return not ended

    def _start(self) -> None:
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        self._pid = os.fork()
        if self._pid:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
            return
        code = 1
        try:
            stop_with_parent()
            self._begin()
            asyncio.run(_send(self._settings))
            code = 0
        except BaseException:  # noqa: BLE001 - the process ends anyway
            _LOG.exception("The process that sends to webhooks has failed.")
        finally:
            os._exit(code)


async def _send(settings: Settings) -> None:
    """Send until SIGTERM."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in _IGNORED_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    for number in _DEFAULT_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    loop.set_default_executor(ThreadPoolExecutor(_RESOLVERS))
    await make_sender(settings).run(stop)


def make_sender(settings: Settings) -> Sender:
    """Make a sender for the running event loop."""
    runner = open_store(settings).runner
    webhooks = Webhooks(runner, game_life=settings.game_ttl)
    queue = WebhookQueue(webhooks, BODIES, now)
    closings = EventClosings(EventTexts(runner), queue, now)
    poster = WebhookClient(WebhookHosts(settings.webhooks))
    return Sender(webhooks, poster, closings.sweep, now)
