"""Ways to the store that do not have everybody wait for a server that hangs.

A worker answers one request after the other: where each waits as long as the first
did, those behind it wait for all of them.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from redis.exceptions import TimeoutError as SlowError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable

    from service.store.connection import Reply, Request
    from service.store.runner import Link


_PAUSE_SHARE = 2
"""A server that did not answer in time is left alone for this part of that time."""


def pause_after(timeout: float) -> float:
    """How long a server is left alone that has not answered within a time-out."""
    return timeout / _PAUSE_SHARE


class SparedError(SlowError):
    """Nothing was sent, as the server has not answered in time a moment ago."""

    def __init__(self) -> None:
        super().__init__("the server did not answer a moment ago")


class Silent:
    """Those of several servers that have not answered in time, and are left alone.

    Each is tried again after a moment. That is the longer the more of them there are:
    then the time spent on waiting for them is the same part of all as with one.

    Args:
        timeout: The seconds that each was waited for.
        clock: Seconds that never go back.
    """

    def __init__(self, timeout: float, clock: Callable[[], float] = monotonic) -> None:
        self._timeout = timeout
        self._clock = clock
        self._since: dict[Hashable, float] = {}

    def add(self, server: Hashable) -> None:
        """Leave a server alone from now on, for it has not answered in time."""
        self._since[server] = self._clock()

    def discard(self, server: Hashable) -> None:
        """Take back what was held against a server, for it has answered."""
        if self._since:
            self._since.pop(server, None)

    def keep(self, servers: Collection[Hashable]) -> None:
        """Forget all but these servers."""
        for server in list(self._since):  # other threads may add to it meanwhile
            if server not in servers:
                self.discard(server)

    def spares(self, server: Hashable) -> bool:
        """Whether a server is to be left alone for now."""
        since = self._since.get(server)
        if since is None:
            return False
        turn = self._timeout + pause_after(self._timeout)
        return self._clock() < since + turn * len(self._since) - self._timeout


class SparingLink:
    """A link that sends nothing for a moment after the server has not answered in time.

    Args:
        link: The link to spare.
        pause: The seconds for which nothing is sent.
        clock: Seconds that never go back.
    """

    def __init__(
        self, link: Link, pause: float, clock: Callable[[], float] = monotonic
    ) -> None:
        self._run = link.run
        self._pause = pause
        self._clock = clock
        self._resumes = 0.0

    def run(self, request: Request) -> list[Reply]:
        """Send a request and read its replies, as the link does.

        Raises:
            redis.exceptions.RedisError: As from the link, or nothing was sent.
        """
        if self._resumes and self._clock() < self._resumes:
            raise SparedError
        try:
            replies = self._run(request)
        except SlowError:
            self._resumes = self._clock() + self._pause
            raise
        self._resumes = 0.0
        return replies
