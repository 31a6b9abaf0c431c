"""Counts that all processes share."""

from typing import NamedTuple

from redis.exceptions import NoScriptError, RedisError

from service.store.connection import Reply, Request
from service.store.errors import StoreUnavailableError
from service.store.keyspace import count_name
from service.store.runner import Link, Script, reason_of

_COUNT = Script("count")


class Count(NamedTuple):
    """A count within its window of time.

    Attributes:
        total: what was counted since the window began.
        left: the seconds left of the window.
    """

    total: int
    left: float


class Counter:
    """Counts on any server that speaks Redis.

    A connection cut in between may count something twice, but never not at all.
    """

    def __init__(self, link: Link) -> None:
        self._link = link

    def add(self, what: str, amount: int, window: int) -> Count:
        """Count more of something, in a window of so many seconds.

        Raises:
            StoreUnavailableError: the store cannot count.
        """
        name = count_name(what)
        args = [b"%d" % amount, b"%d" % window]
        try:
            total, left = self._call(name, args)
        except RedisError as error:
            raise StoreUnavailableError(reason_of(error)) from error
        return Count(total, left / 1000)

    def _call(self, name: bytes, args: list[bytes]) -> Reply:
        try:
            return self._run(name, _COUNT.call([name], args))
        except NoScriptError:
            return self._run(name, _COUNT.whole([name], args))

    def _run(self, name: bytes, packed: bytes) -> Reply:
        return self._link.run(Request(name, packed, 1, repeatable=True))[0]
