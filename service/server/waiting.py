"""The connections whose clients a worker waits for."""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from selectors import BaseSelector
    from typing import TypeAlias

    from service.server.connection import Connection

    Step: TypeAlias = Callable[[Connection], None]

TICK: Final = 0.1
"""Seconds between looks for clients whose time is over."""


class WaitingConnections:
    """The connections whose clients a worker waits for, the longest wait first.

    Args:
        selector: Tells when a client has done something.
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
        """Take a step with a connection when its client has done something."""
        self.remove(connection)
        connection.until = monotonic() + seconds
        take_step = partial(self._take_step, connection)
        self._selector.register(connection.socket, events, take_step)
        self._steps[connection] = step

    def remove(self, connection: Connection) -> None:
        """Wait no longer for a client, if it is waited for."""
        if self._steps.pop(connection, None) is not None:
            self._selector.unregister(connection.socket)

    def step(self, connection: Connection) -> Step | None:
        """Return the step that is taken next; None if the client is not waited for."""
        return self._steps.get(connection)

    def before(self, step: Step) -> list[Connection]:
        """List the connections with which a step is taken next."""
        return [each for each, found in self._steps.items() if found == step]

    def first(self) -> Connection:
        """Return the connection that has waited longest."""
        return next(iter(self._steps))

    def late(self) -> list[Connection]:
        """List the connections whose time is over; looks ten times a second."""
        now = monotonic()
        if not self._steps or now < self._next_look:
            return []
        self._next_look = now + TICK
        return [each for each in self._steps if each.until <= now]

    def _take_step(self, connection: Connection) -> None:
        step = self._steps.get(connection)  # it may have been removed meanwhile
        if step is not None:
            step(connection)
