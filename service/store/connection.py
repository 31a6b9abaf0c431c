"""A connection to one server, held open by each thread of each process.

redis-py's connection pool takes more time than the network. `HeldConnection` holds one
of redis-py's connections instead, and does what the pool would do: it reconnects if the
connection was cut, and closes a connection that was inherited through a fork.
"""

import os
import threading
from collections.abc import Callable
from time import monotonic
from typing import NamedTuple, TypeAlias

import hiredis
from redis.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    ReadOnlyError,
    ResponseError,
)
from redis.exceptions import ConnectionError as CutError

from service.store.wire import Connect, DeadlineConnection, Reply, seconds_until


class StoreRequest(NamedTuple):
    """A request: one or several commands that are sent to a server together.

    Attributes:
        key: the key that determines the server in a cluster.
        packed: the commands, as they are sent over the network.
        replies: the number of replies to the commands.
        repeatable: whether executing the request twice does no harm.
    """

    key: bytes
    packed: bytes
    replies: int
    repeatable: bool


Send: TypeAlias = Callable[[StoreRequest], list[Reply]]
"""A function that sends a request to the server of its key and returns the replies."""

Argument: TypeAlias = bytes | str | int
"""An argument of a command: text is sent in UTF-8, numbers in decimal digits."""


def pack(*command: Argument) -> bytes:
    """Encode a command as it is sent over the network."""
    # The stub of pack_command declares a tuple of one element.
    packed: bytes = hiredis.pack_command(command)  # type: ignore[arg-type]
    return packed


class HeldConnection(threading.local):
    """Sends requests to one server; each thread of each process has its own connection.

    The time-out, in seconds, covers the whole request: all steps of connecting, sending
    and reading the replies. A request that may have reached the server is sent again
    only if it is repeatable, within the same time-out.
    """

    def __init__(self, connect: Connect, timeout: float) -> None:
        self._connect = connect
        self._timeout = timeout
        self._connection = connect(timeout)
        self._process = os.getpid()

    def run(self, request: StoreRequest, deadline: float | None = None) -> list[Reply]:
        """Send a request and read its replies.

        Args:
            request: the request.
            deadline: when to give up, by the monotonic clock in seconds; None for the
                whole time-out from now.

        Raises:
            redis.exceptions.RedisError: the server could not be reached, or refused.
        """
        until = deadline or monotonic() + self._timeout
        if self._process != os.getpid():
            self._reopen()
        elif not request.repeatable and self._is_cut():
            self._connection.disconnect()
        try:
            # The socket of an open connection already has the whole time-out.
            if deadline is None and self._connection.is_connected:
                return _exchange(self._connection, request, until)
            return self._run_by_deadline(self._connection, request, until)
        except ReadOnlyError:
            # The host's name may resolve to another server by now.
            self._connection.disconnect()
            raise
        except (AuthenticationError, BusyLoadingError):
            raise
        except CutError:
            if not request.repeatable or monotonic() >= until:
                raise
        self._connection.disconnect()
        return self._run_by_deadline(self._connection, request, until)

    def close(self) -> None:
        """Close this thread's connection; the next request opens it again."""
        self._connection.disconnect()

    def _reopen(self) -> None:
        self._connection.disconnect()
        self._connection = self._connect(self._timeout)
        self._process = os.getpid()

    def _is_cut(self) -> bool:
        if not self._connection.is_connected:
            return False
        try:
            return bool(self._connection.can_read(0))  # a reply that nothing waits for
        except CutError:
            return True

    def _run_by_deadline(
        self, connection: DeadlineConnection, request: StoreRequest, deadline: float
    ) -> list[Reply]:
        connection.deadline = deadline
        connection.connect()
        connection.update_current_socket_timeout(seconds_until(deadline))
        try:
            return _exchange(connection, request, deadline)
        finally:
            connection.update_current_socket_timeout(self._timeout)


def _exchange(
    connection: DeadlineConnection, request: StoreRequest, deadline: float
) -> list[Reply]:
    connection.send_packed_command([request.packed], check_health=False)
    if request.replies == 1:
        return [connection.read_response()]
    replies = [_reply(connection, deadline) for _ in range(request.replies)]
    for reply in replies:
        if isinstance(reply, ResponseError):
            raise reply
    return replies


def _reply(connection: DeadlineConnection, deadline: float) -> Reply:
    try:
        return connection.read_response(timeout=seconds_until(deadline))
    except ResponseError as error:
        return error
