"""A clock for tests, and times in the format of the API."""

from __future__ import annotations

from datetime import UTC, datetime


class FixedClock:
    """A clock that returns the same time until it is changed.

    Attributes:
        time: The milliseconds since 1970 in UTC.
    """

    def __init__(self, time: int = 0) -> None:
        self.time = time

    def __call__(self) -> int:
        return self.time

    @property
    def today(self) -> str:
        return write_time(self.time)[:10]


def write_time(time: int) -> str:
    moment = datetime.fromtimestamp(time // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{time % 1000:03}Z"
