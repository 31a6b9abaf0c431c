"""Times as text: RFC 3339, in UTC, with milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

SECOND_MS: Final = 1000
"""Milliseconds in a second."""
_SECONDS_KEPT: Final = 1024
"""Entries of the cache; most times written are the present or the start of a game."""


def stamp(time: int) -> str:
    """Format a time, given in milliseconds since 1970."""
    seconds, milliseconds = divmod(time, SECOND_MS)
    return f"{_to_the_second(seconds)}.{milliseconds:03}Z"


@lru_cache(_SECONDS_KEPT)
def _to_the_second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat()
