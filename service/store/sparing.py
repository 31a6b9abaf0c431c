"""The way to the store, which does not have everybody wait for a server that hangs."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from redis.exceptions import TimeoutError as SlowError

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.store.held import Reply, Request
    from service.store.redis import Link


class SparingLink:
    """A link that sends nothing for a moment after the server has not answered in time.

    A worker answers one request after the other: where each waits as long as the first
    did, those behind it wait for all of them.

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
            raise SlowError("the server did not answer a moment ago")
        try:
            replies = self._run(request)
        except SlowError:
            self._resumes = self._clock() + self._pause
            raise
        self._resumes = 0.0
        return replies
