"""Rate limits: how many requests a client may make, counted over all processes."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from service.store.factory import open_limit_counter
from service.store.limit_counter import Limit, LimitResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.config import Settings
    from service.store.runner import Runner

Result = TypeVar("Result")

_SECONDS: Final = {"second": 1, "minute": 60, "hour": 3600, "day": 24 * 3600}
_REMEMBERED_SECONDS: Final = 10.0
"""The longest time for which a refusal is repeated without asking the store."""
_MAX_REMEMBERED: Final = 10_000


class _Refusal(NamedTuple):
    """A refusal of a client; times are in seconds of the monotonic clock.

    Attributes:
        name: The name of the limit that refused.
        end: When the limit can admit a request again.
        until: When the store is asked again; not later than ``end``.
    """

    name: str
    end: float
    until: float


class RateLimits:
    """The rate limits, which apply to each client separately.

    Args:
        text: The limits, such as ``10/second,600/minute``.
        settings: The settings of the service: the store that counts, and the strategy.
        runner: The runner that requests use, if the store is a single server; else
            None.
        clock: Returns the seconds of a monotonic clock.

    Raises:
        SettingsError: The store or the strategy cannot be used.
    """

    def __init__(
        self,
        text: str,
        settings: Settings,
        runner: Runner | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.policies = _parse(text)
        self._counter = open_limit_counter(settings, self.policies)
        self._clock = clock
        self._runner = runner
        self._refusals: dict[str, _Refusal] = {}

    def count(self, client: str) -> list[LimitResult]:
        """Count a request for each limit, up to the first that refuses it.

        While a refusal is remembered, the client is refused without asking the store.

        Returns:
            The results of the limits, the shortest window first. Only the last can be a
            refusal; a remembered refusal is the only result.

        Raises:
            StoreUnavailableError: The store cannot count.
        """
        known = self._remembered_refusal(client)
        return known or self._remember(client, self._counter.count(client))

    def count_along(
        self,
        client: str,
        act: Callable[[], Result],
        refuse: Callable[[LimitResult], Exception],
    ) -> tuple[list[LimitResult], Result | None]:
        """Process a request and count it in the round trip of its first store request.

        Args:
            client: As in ``count``.
            act: Processes the request. It must have no effect before its first store
                request, and return errors as results.
            refuse: Makes the error that the first store request raises if a limit
                refuses the client; nothing else is executed in the store then.

        Returns:
            The results of ``count``, and the result of ``act``; None if ``act`` was not
            called.

        Raises:
            StoreUnavailableError: The store cannot count.
        """
        if self._runner is None:
            counts = self.count(client)
            return counts, act() if counts[-1].admitted else None
        if known := self._remembered_refusal(client):
            return known, None
        guard = self._counter.guard(client, lambda counts: refuse(counts[-1]))
        with self._runner.guarded(guard):
            result = act()
        if guard.found is None:
            return self.count(client), result
        return self._remember(client, self._counter.read(guard.found)), result

    def _remembered_refusal(self, client: str) -> list[LimitResult]:
        now, refusal = self._clock(), self._refusals.get(client)
        if refusal is None or now >= refusal.until:
            return []
        return [
            LimitResult(refusal.name, admitted=False, left=0, seconds=refusal.end - now)
        ]

    def _remember(self, client: str, counts: list[LimitResult]) -> list[LimitResult]:
        """Remember a refusal, if the last of the counts is one; return the counts."""
        last, now = counts[-1], self._clock()
        if not last.admitted:
            if len(self._refusals) >= _MAX_REMEMBERED:
                self._refusals.clear()
            until = now + min(last.seconds, _REMEMBERED_SECONDS)
            self._refusals[client] = _Refusal(last.name, now + last.seconds, until)
        return counts


def _parse(text: str) -> list[Limit]:
    """Parse limits, without duplicates; sort them by window, the shortest first."""
    limits = []
    for name in dict.fromkeys(text.split(",")):
        quota, _, unit = name.partition("/")
        limits.append(Limit(name, int(quota), _SECONDS[unit]))
    return sorted(limits, key=lambda limit: limit.window)
