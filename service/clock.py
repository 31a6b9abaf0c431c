"""The server's clock."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Final

from service.timestamps import SECOND_MS

_NANOSECONDS: Final = 1_000_000
DAY_SECONDS: Final = timedelta(days=1) // timedelta(seconds=1)


def now() -> int:
    """Return the current time in milliseconds since 1970, UTC; 0 before 1970."""
    return max(0, time.time_ns()) // _NANOSECONDS


def seconds_to_midnight(now: int) -> int:
    """Return the seconds left in the UTC day, 1 to 86400; ``now`` in milliseconds."""
    return DAY_SECONDS - now // SECOND_MS % DAY_SECONDS
