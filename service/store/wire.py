"""redis-py's connections, each connected by a deadline however many steps that takes.

The steps are the look-up of the host's name, its addresses, TLS, the password and the
database; redis-py gives the whole time-out to each, and the look-up has none there.
"""

from collections.abc import Callable
from time import monotonic
from typing import Any
from urllib.parse import unquote, urlsplit

from redis.connection import (
    AbstractConnection,
    Connection,
    SSLConnection,
    UnixDomainSocketConnection,
    parse_url,
)

from service.store.host_names import HostNames

Reply = Any

_LEAST_SECONDS = 0.001
"""A time-out of zero would be none: such a socket waits for nothing."""

_LOOK_UP_SHARE = 2
"""Looking a name up may take this part of the time to connect."""


class Wire(AbstractConnection):
    """A connection each of whose steps to connect takes what is left of the time.

    Attributes:
        deadline: until when, by the monotonic clock, it must be connected.
    """

    deadline = 0.0

    def _left(self) -> float:
        return seconds_until(self.deadline)

    def _set(self, value: float | None) -> None:
        """Ignore what redis-py sets: the deadline decides."""

    # redis-py reads one before each address, and the other once it has an address.
    socket_connect_timeout = property(_left, _set)
    socket_timeout = property(_left, _set)

    def send_command(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as there
        """Send a command of the handshake; requests do not come this way."""
        self.update_current_socket_timeout(self.socket_timeout)
        super().send_command(*args, **kwargs)  # type: ignore[no-untyped-call]


class _Named(Connection):
    """Looks its host's name up within a bounded time."""

    deadline: float
    host: str
    _names = HostNames()

    def _connect(self) -> Any:  # noqa: ANN401 - as there
        name, error = self.host, OSError("the host has no address")
        left = seconds_until(self.deadline)
        for address in self._names.find(name, left / _LOOK_UP_SHARE):
            self.host = address
            try:
                return super()._connect()  # type: ignore[no-untyped-call]
            except OSError as found:
                error = found
            finally:
                self.host = name
        raise error


class TcpWire(Wire, _Named):
    """A connection over TCP."""


class TlsWire(Wire, SSLConnection, _Named):
    """A connection over TLS."""


class UnixWire(Wire, UnixDomainSocketConnection):
    """A connection through a Unix socket."""


Connect = Callable[[float], Wire]

_WIRES: dict[str, Callable[..., Wire]] = {
    "redis": TcpWire,
    "rediss": TlsWire,
    "unix": UnixWire,
}


def connector(url: str) -> Connect:
    """What makes a connection to the server of a URL, given its time-out in seconds.

    Raises:
        ValueError: the URL is none, or has an option that no connection has.
    """
    options: dict[str, Any] = parse_url(url)  # type: ignore[no-untyped-call]
    parts = urlsplit(url)
    if "path" in options:  # which need not be UTF-8
        options["path"] = unquote(parts.path, errors="surrogateescape")
    options.pop("connection_class", None)
    kind = _WIRES[parts.scheme]
    # RESP2 without CLIENT SETINFO: without a password or db, connecting needs no reply.
    options.update(protocol=2, driver_info=None)

    def connect(timeout: float) -> Wire:
        wire = kind(**options, socket_timeout=timeout, socket_connect_timeout=timeout)
        wire.deadline = monotonic() + timeout
        return wire

    try:
        connect(1.0)
    except TypeError as error:
        raise ValueError(str(error)) from error
    return connect


def seconds_until(deadline: float) -> float:
    """What is left of the time, and never nothing."""
    return max(deadline - monotonic(), _LEAST_SECONDS)
