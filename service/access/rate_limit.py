"""Rate limits: how many requests a client may make, exact over all processes."""

from __future__ import annotations

import time
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from limits import parse_many
from limits.storage import Storage
from limits.strategies import FixedWindowRateLimiter

from service.store.errors import StoreUnavailableError
from service.store.factory import open_counter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from limits import RateLimitItem

    from service.config import Settings
    from service.store.counter import Count, Counter


class Standing(NamedTuple):
    """How a client stands with one of the limits.

    Attributes:
        name: The limit, such as ``600/minute``.
        met: Whether the request is within it.
        left: The requests left in the window.
        reset: The seconds until the window ends and all are there again.
    """

    name: str
    met: bool
    left: int
    reset: int


class Policy(NamedTuple):
    """One of the limits.

    Attributes:
        name: The limit, such as ``600/minute``.
        quota: The requests in a window.
        window: The seconds of a window.
    """

    name: str
    quota: int
    window: int


class RateLimits:
    """The limits of every client; a client's window begins with its first request.

    Args:
        text: The limits, such as ``10/second,600/minute``.
        settings: The service's settings, which name the store to count in.

    Raises:
        SettingsError: They name a store that cannot be opened.
    """

    def __init__(self, text: str, settings: Settings) -> None:
        self._items = sorted(parse_many(text), key=lambda item: item.get_expiry())
        self._counter = open_counter(settings, len(self._items))

    @property
    def policies(self) -> list[Policy]:
        """The limits, the shortest window first."""
        return [
            Policy(_name(item), item.amount, item.get_expiry()) for item in self._items
        ]

    def count(self, client: str) -> list[Standing]:
        """Count a request, up to the first limit that it is beyond.

        Raises:
            StoreUnavailableError: The store cannot count.
        """
        return list(self._count(client))

    def _count(self, client: str) -> Iterator[Standing]:
        limiter = FixedWindowRateLimiter(_Tally(self._counter))
        for item in self._items:
            met = limiter.hit(item, client)
            end, left = limiter.get_window_stats(item, client)
            yield Standing(_name(item), met, left, max(1, ceil(end - time.time())))
            if not met:
                return


class _Tally(Storage):
    """What was counted for one request.

    The strategies of `limits` ask for a count, for its number and for its end one by
    one; here the first question brings the answers to all, in one round trip.
    """

    def __init__(self, counter: Counter) -> None:
        super().__init__()
        self._counter = counter
        self._counts: dict[str, Count] = {}

    @property
    def base_exceptions(self) -> type[Exception]:
        """What counting can raise."""
        return StoreUnavailableError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count more, in the store."""
        self._counts[key] = self._counter.add(key, amount, expiry)
        return self._counts[key].total

    def get(self, key: str) -> int:
        """Tell the number counted."""
        return self._counts[key].total

    def get_expiry(self, key: str) -> float:
        """Tell when its window ends, in seconds since 1970."""
        return time.time() + self._counts[key].left

    def check(self) -> bool:
        """Tell that it can be used."""
        return True

    def clear(self, key: str) -> None:
        """Forget a count."""
        del self._counts[key]

    def reset(self) -> int:
        """Forget all counts."""
        forgotten = len(self._counts)
        self._counts.clear()
        return forgotten


def _name(item: RateLimitItem) -> str:
    return f"{item.amount}/{item.GRANULARITY.name}"
