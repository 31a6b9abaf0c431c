"""Connections that are made by a deadline, however many steps that takes."""

from time import monotonic
from typing import Any

from redis.connection import AbstractConnection

_LEAST_SECONDS = 0.001
"""A time-out of zero would be none: such a socket waits for nothing."""


class Punctual(AbstractConnection):
    """Lets every step of connecting take only what is left until the deadline.

    The steps are the addresses that a host's name has, TLS, the password and the
    database; redis-py gives the whole time-out to each. To be mixed in before one of
    redis-py's connections.

    Attributes:
        deadline: until when, by the monotonic clock, it must be connected.
    """

    deadline = 0.0

    @property
    def socket_connect_timeout(self) -> float:
        """What is left; redis-py asks before each address."""
        return seconds_until(self.deadline)

    @socket_connect_timeout.setter
    def socket_connect_timeout(self, value: float | None) -> None:
        """The deadline decides."""

    @property
    def socket_timeout(self) -> float:
        """What is left; redis-py asks once it has an address."""
        return seconds_until(self.deadline)

    @socket_timeout.setter
    def socket_timeout(self, value: float | None) -> None:
        """The deadline decides."""

    def send_command(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as there
        """Send a command of the handshake; requests do not come this way."""
        self.update_current_socket_timeout(self.socket_timeout)
        super().send_command(*args, **kwargs)  # type: ignore[no-untyped-call]


def punctual(kind: type[AbstractConnection]) -> type[Punctual]:
    """Make one of redis-py's connections punctual."""
    made: type[Punctual] = type(kind.__name__, (Punctual, kind), {})
    return made


def seconds_until(deadline: float) -> float:
    """What is left of the time, and never nothing."""
    return max(deadline - monotonic(), _LEAST_SECONDS)
