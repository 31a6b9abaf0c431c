"""redis-py's connections, with one deadline for all steps of connecting.

The steps are the look-up of the host's name, each of its addresses, TLS, the password
and the database. In redis-py, each step has the whole time-out, and the look-up none.
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

_MIN_SECONDS = 0.001
"""The shortest time-out; a socket with a time-out of 0 would not block at all."""

_LOOK_UP_SHARE = 2
"""Looking up a name may take the time left to connect divided by this."""


class DeadlineConnection(AbstractConnection):
    """A connection that is opened by a deadline; each step may take the time left.

    Attributes:
        deadline: the deadline, by the monotonic clock in seconds.
    """

    deadline = 0.0

    def _left(self) -> float:
        return seconds_until(self.deadline)

    def _set(self, value: float | None) -> None:
        """Ignore the value that redis-py sets: the deadline applies instead."""

    # redis-py reads the first before it tries an address, the second once connected.
    socket_connect_timeout = property(_left, _set)
    socket_timeout = property(_left, _set)

    def send_command(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as there
        """Send a command of the handshake; requests do not use this method."""
        self.update_current_socket_timeout(self.socket_timeout)
        super().send_command(*args, **kwargs)  # type: ignore[no-untyped-call]


class _ResolvingConnection(Connection):
    """A connection that looks up its host's name within a bounded time."""

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


class TcpConnection(DeadlineConnection, _ResolvingConnection):
    """A connection over TCP."""


class TlsConnection(DeadlineConnection, SSLConnection, _ResolvingConnection):
    """A connection over TLS."""


class UnixConnection(DeadlineConnection, UnixDomainSocketConnection):
    """A connection through a Unix socket."""


Connect = Callable[[float], DeadlineConnection]

_CONNECTIONS: dict[str, Callable[..., DeadlineConnection]] = {
    "redis": TcpConnection,
    "rediss": TlsConnection,
    "unix": UnixConnection,
}


def connector(url: str) -> Connect:
    """Return a function that makes connections to the server of a URL.

    It takes the time-out in seconds, and does not open the connection.

    Raises:
        ValueError: the URL is invalid, or has an unknown option.
    """
    options: dict[str, Any] = parse_url(url)  # type: ignore[no-untyped-call]
    parts = urlsplit(url)
    if "path" in options:  # it need not be UTF-8
        options["path"] = unquote(parts.path, errors="surrogateescape")
    options.pop("connection_class", None)
    kind = _CONNECTIONS[parts.scheme]
    # RESP2 without CLIENT SETINFO: without a password or db, connecting needs no reply.
    options.update(protocol=2, driver_info=None)

    def connect(timeout: float) -> DeadlineConnection:
        connection = kind(
            **options, socket_timeout=timeout, socket_connect_timeout=timeout
        )
        connection.deadline = monotonic() + timeout
        return connection

    try:
        connect(1.0)
    except TypeError as error:
        raise ValueError(str(error)) from error
    return connect


def seconds_until(deadline: float) -> float:
    """The seconds left until a deadline, always more than 0."""
    return max(deadline - monotonic(), _MIN_SECONDS)
