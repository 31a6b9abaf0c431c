"""The connections whose clients a worker waits for, and for how long."""

from __future__ import annotations

import logging
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final

from service.logs import write_line
from service.metrics import CLIENT_TIMEOUTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from selectors import BaseSelector
    from typing import TypeAlias

    from service.server.connection import Connection

    Step: TypeAlias = Callable[[Connection], None]

RESPONSE_SECONDS: Final = 30.0
"""The time that a client has to receive a response."""
CLOSING_SECONDS: Final = 2.0
"""The time that a client has to close the connection after the response."""
MAX_WAITING_CONNECTIONS: Final = 256
"""The connections that a worker waits for; with more, it gives up the first."""
TICK: Final = 0.1
"""Seconds between checks for clients that are too slow."""

_LOG: Final = logging.getLogger("accordion.connections")


def report_given_up(waited_for: str) -> None:
    """Count and log that a client's connection is closed because it was too slow.

    Args:
        waited_for: `request` if the client did not send its request in time; `response`
            if it did not receive the response in time.
    """
    CLIENT_TIMEOUTS.labels(waited_for).inc()
    if _LOG.isEnabledFor(logging.INFO):
        write_line(_LOG.name, "client given up", {"waited_for": waited_for})


class WaitingConnections:
    """The connections whose clients a worker waits for, the longest wait first.

    Args:
        selector: Reports which sockets are ready.
    """

    def __init__(self, selector: BaseSelector) -> None:
        self._selector = selector
        self._steps: dict[Connection, Step] = {}
        self._next_look = 0.0

    def __len__(self) -> int:
        return len(self._steps)

    def add(
        self, connection: Connection, events: int, step: Step, seconds: float
    ) -> None:
        """Call `step` with a connection once its socket is ready for `events`.

        After `seconds`, `late` lists the connection.
        """
        self.remove(connection)
        connection.until = monotonic() + seconds
        take_step = partial(self._take_step, connection)
        self._selector.register(connection.socket, events, take_step)
        self._steps[connection] = step

    def remove(self, connection: Connection) -> None:
        """Stop waiting for a client, if the worker waits for it."""
        if self._steps.pop(connection, None) is not None:
            self._selector.unregister(connection.socket)

    def step(self, connection: Connection) -> Step | None:
        """Return the next step of a connection; None if none is waited for."""
        return self._steps.get(connection)

    def waiting_for(self, step: Step) -> list[Connection]:
        """List the connections whose next step is `step`."""
        return [each for each, found in self._steps.items() if found == step]

    def first(self) -> Connection:
        """Return the connection that has waited longest."""
        return next(iter(self._steps))

    def late(self) -> list[Connection]:
        """List the connections whose time is over; checks at most once per `TICK`."""
        now = monotonic()
        if not self._steps or now < self._next_look:
            return []
        self._next_look = now + TICK
        return [each for each in self._steps if each.until <= now]

    def _take_step(self, connection: Connection) -> None:
        step = self._steps.get(connection)  # None if it was removed meanwhile
        if step is not None:
            step(connection)
