"""Stops requests to a server that has just failed to answer in time.

A worker answers one request after the other: were each sent to a server that hangs,
the last in the queue would wait for the time-outs of all.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as SlowError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable

_P = ParamSpec("_P")
_T = TypeVar("_T")

_PAUSE_SHARE = 2
"""A server is left alone for the time-out divided by this."""


class CircuitOpenError(SlowError):
    """Nothing was sent: the server did not answer in time a moment ago."""

    def __init__(self) -> None:
        super().__init__("the server did not answer a moment ago")


class CircuitBreaker:
    """Which servers have not answered in time, and are asked nothing for a while.

    That is half the time-out where one server is silent. Where several are, it is so
    much longer that waiting for them takes the same share of the time as for one.

    Args:
        timeout: the seconds that an answer may take.
        clock: seconds that never go back.
    """

    def __init__(self, timeout: float, clock: Callable[[], float] = monotonic) -> None:
        self._timeout = timeout
        self._clock = clock
        self._since: dict[Hashable, float] = {}

    def is_open(self, server: Hashable) -> bool:
        """Whether the server is asked nothing for now."""
        since = self._since.get(server)
        if since is None:
            return False
        turn = self._timeout + self._timeout / _PAUSE_SHARE
        return self._clock() < since + turn * len(self._since) - self._timeout

    def open(self, server: Hashable) -> None:
        """Ask the server nothing from now on, as it has not answered in time."""
        self._since[server] = self._clock()

    def keep(self, servers: Collection[Hashable]) -> None:
        """Forget all but these servers."""
        for server in list(self._since):  # other threads may add to it meanwhile
            if server not in servers:
                self._since.pop(server, None)

    def run(
        self,
        server: Hashable,
        send: Callable[_P, _T],
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> _T:
        """Send something to a server, unless it is asked nothing for now.

        A failure that took as long as the time-out counts as silence, whatever it is.

        Raises:
            CircuitOpenError: nothing was sent.
            redis.exceptions.RedisError: from `send`.
        """
        if self._since and self.is_open(server):
            raise CircuitOpenError
        start = self._clock()
        try:
            result = send(*args, **kwargs)
        except RedisError as error:
            late = self._clock() - start >= self._timeout
            if late or isinstance(error, SlowError):
                self.open(server)
            raise
        if self._since:
            self._since.pop(server, None)
        return result
