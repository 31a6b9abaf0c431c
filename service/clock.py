"""The server's clock."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Final

from service.timestamps import MILLISECONDS

_NANOSECONDS: Final = 1_000_000
DAY_SECONDS: Final = timedelta(days=1) // timedelta(seconds=1)


def now() -> int:
    """Return the time in milliseconds since 1970, UTC; 0 for an earlier time."""
    return max(0, time.time_ns()) // _NANOSECONDS


def seconds_to_midnight(now: int) -> int:
    """Count the seconds that are left of the UTC day, at least 1."""
    return DAY_SECONDS - now // MILLISECONDS % DAY_SECONDS
