"""The way to the store, timed and counted."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from redis.exceptions import NoScriptError, RedisError

from service.metrics import STORE_ERRORS, STORE_SECONDS
from service.store.circuit_breaker import CircuitOpenError

if TYPE_CHECKING:
    from service.store.connection import Request
    from service.store.runner import Link
    from service.store.wire import Reply


class ObservedLink:
    """A link whose every round trip is measured."""

    def __init__(self, link: Link) -> None:
        self._run = link.run

    def run(self, request: Request) -> list[Reply]:
        """Send a request and read its replies, as the link does."""
        start = perf_counter()
        try:
            replies = self._run(request)
        except CircuitOpenError:  # nothing was sent
            raise
        except RedisError as error:
            STORE_SECONDS.observe(perf_counter() - start)
            if not isinstance(error, NoScriptError):
                STORE_ERRORS.labels(type(error).__name__).inc()
            raise
        STORE_SECONDS.observe(perf_counter() - start)
        return replies
