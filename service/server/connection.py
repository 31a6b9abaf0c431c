"""A client's connection, read and written without blocking."""

from __future__ import annotations

import socket
from contextlib import suppress
from struct import Struct
from time import perf_counter, time
from typing import TYPE_CHECKING, Final

from service.server.incoming import IncomingRequest

if TYPE_CHECKING:
    from gunicorn.config import Config

    from service.server.incoming import Address

_NO_WAIT: Final = socket.MSG_DONTWAIT
_PART: Final = 16 * 1024
"""Bytes that are received in one call at most."""
_INITIAL_WINDOW: Final = 14_000
"""Bytes that are sent before the client acknowledges any (RFC 6928: ten segments)."""
_MAX_DISCARDED: Final = 1024 * 1024
"""Bytes that are received and discarded after the response at most."""

_NO_LINGER: Final = Struct("ii").pack(1, 0)
_SO_TIMESTAMPNS: Final = 35
"""The socket option for times of arrival: its number on most architectures."""
_TIMESTAMP: Final = Struct("ll")
"""Seconds and nanoseconds since 1970."""
_TIMESTAMP_SPACE: Final = socket.CMSG_SPACE(_TIMESTAMP.size)
_NANOSECONDS: Final = 1_000_000_000
_MAX_WAIT: Final = 600.0
"""Seconds. A longer wait means that the clock has been set, and is ignored."""


def stamp_arrivals(listener: socket.socket) -> None:
    """Make the kernel record when data arrives on accepted connections."""
    with suppress(OSError):
        listener.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)


class Connection:
    """A client's connection, for one request and its response.

    Attributes:
        request: The request, as much of it as has been received.
        arrived: When the last part of it arrived at this machine, by `perf_counter`.
        until: When the wait for the client ends, by `monotonic`.
        response: The part of the response that is still to be sent.
    """

    def __init__(self, client: socket.socket, address: Address, config: Config) -> None:
        self.socket = client
        self.address = address
        self.request = IncomingRequest(config, address)
        self.arrived = perf_counter()
        self.until = 0.0
        self.response = memoryview(b"")
        self._sent = 0
        self._discarded = 0

    def receive(self) -> bool:
        """Receive what has arrived of the request.

        Returns:
            Whether more can arrive.

        Raises:
            ParseException: The bytes are not a request that HTTP and the service allow.
            OSError: The connection is broken.
        """
        try:
            while not self.request.is_ready:
                data, self.arrived = _receive(self.socket)
                self.request.feed(data)
                if len(data) < _PART:
                    return bool(data)
        except BlockingIOError:
            pass
        return True

    def send_continue(self) -> None:
        """Tell a client that sent `Expect: 100-continue` to send the body."""
        self.request.expects_continue = False
        with suppress(OSError):  # a broken connection is noticed at the next read
            self.socket.send(b"HTTP/1.1 100 Continue\r\n\r\n", _NO_WAIT)

    def send(self) -> bool:
        """Send as much of the response as the socket accepts; whether that was all.

        Raises:
            OSError: The connection is broken.
        """
        try:
            while self.response:
                sent = self.socket.send(self.response, _NO_WAIT)
                self.response = self.response[sent:]
                self._sent += sent
        except BlockingIOError:
            return False
        return True

    def can_close(self) -> bool:
        """Whether the client gets the whole response if the connection is closed now.

        If received data has not been read, closing makes the kernel discard what it has
        not sent yet. So the response must be short, and nothing may follow the request.
        """
        if not self.request.is_whole or self._sent > _INITIAL_WINDOW:
            return False
        try:
            return not self.socket.recv(1, _NO_WAIT | socket.MSG_PEEK)
        except OSError:  # usually: nothing has arrived
            return True

    def end(self) -> None:
        """Tell the client that the response is complete."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)

    def discard(self) -> bool:
        """Discard what arrived after the request; return whether more can arrive."""
        try:
            while data := self.socket.recv(_PART, _NO_WAIT):
                self._discarded += len(data)
                if self._discarded > _MAX_DISCARDED:
                    return False
        except OSError as error:
            return isinstance(error, BlockingIOError)
        return False

    def abort(self) -> None:
        """Make the kernel discard unsent data when the socket is closed."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)


def _receive(client: socket.socket) -> tuple[bytes, float]:
    """Return received data, and when it arrived, by `perf_counter`."""
    data, fields, _, _ = client.recvmsg(_PART, _TIMESTAMP_SPACE, _NO_WAIT)
    now = perf_counter()
    for _, kind, value in fields:
        if kind == _SO_TIMESTAMPNS:
            seconds, nanoseconds = _TIMESTAMP.unpack(value)
            waited = time() - seconds - nanoseconds / _NANOSECONDS
            if 0 < waited < _MAX_WAIT:
                now -= waited
    return data, now
