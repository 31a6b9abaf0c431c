"""Stops requests to a server that has just failed to reply in time.

A worker handles requests one after the other: if it sent each of them to a server that
does not reply, the last one in the queue would wait for the time-outs of all.
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
"""A single silent server is sent nothing for the time-out divided by this."""


class CircuitOpenError(SlowError):
    """Nothing was sent, as the server has just failed to reply in time."""

    def __init__(self) -> None:
        super().__init__("the server did not answer a moment ago")


class CircuitBreaker:
    """Records which servers did not reply in time; these are sent nothing for a while.

    With one silent server, the pause is half the time-out. With several, it is longer,
    so that waiting for all of them takes the same share of the time as for one.

    Args:
        timeout: the seconds that a reply may take.
        clock: a monotonic clock, in seconds.
    """

    def __init__(self, timeout: float, clock: Callable[[], float] = monotonic) -> None:
        self._timeout = timeout
        self._clock = clock
        self._since: dict[Hashable, float] = {}

    def is_open(self, server: Hashable) -> bool:
        """Whether nothing is to be sent to the server for now."""
        since = self._since.get(server)
        if since is None:
            return False
        turn = self._timeout + self._timeout / _PAUSE_SHARE
        return self._clock() < since + turn * len(self._since) - self._timeout

    def open(self, server: Hashable) -> None:
        """Record that the server did not reply in time, which starts its pause."""
        self._since[server] = self._clock()

    def keep(self, servers: Collection[Hashable]) -> None:
        """Forget all but these servers."""
        for server in list(self._since):  # other threads may change it meanwhile
            if server not in servers:
                self._since.pop(server, None)

    def run(
        self,
        server: Hashable,
        send: Callable[_P, _T],
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> _T:
        """Call `send` with the arguments, unless nothing is to be sent to the server.

        Any failure that took as long as the time-out counts as a missing reply.

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
