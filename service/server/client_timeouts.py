"""How long clients are waited for, and what is logged if one is given up."""

from __future__ import annotations

import logging
from typing import Final

from service.logs import write_line
from service.metrics import CLIENTS_GIVEN_UP

RESPONSE_SECONDS: Final = 30.0
"""How long a client may take to receive a response."""
CLOSING_SECONDS: Final = 2.0
"""How long a client may take to close a connection after the response."""
MOST_WAITING: Final = 256
"""How many connections a worker waits for; beyond them, the first one is given up."""

_LOG: Final = logging.getLogger("accordion.connections")


def count_given_up(waited_for: str) -> None:
    """Count and log a client that was given up.

    Args:
        waited_for: `request` or `response`: what it did not send, or take, in time.
    """
    CLIENTS_GIVEN_UP.labels(waited_for).inc()
    if _LOG.isEnabledFor(logging.INFO):
        write_line(_LOG.name, "client given up", {"waited_for": waited_for})
