"""Patience with clients, which has an end."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer


_SENT_AT_ONCE = 14_000
"""Bytes that leave before the client has confirmed any (RFC 6928: ten segments)."""


class PatientSocket(socket.socket):
    """A client's socket, on which a whole request must come within some time.

    A time-out of each read alone lets who sends a byte now and then go on for ever.

    Args:
        client: The socket; it is taken over, and of no use any more.
        seconds: The time for all that is received, and for each answer sent.
    """

    def __init__(self, client: socket.socket, seconds: float) -> None:
        super().__init__(fileno=client.detach())
        self._until = monotonic() + seconds
        self._has_received = False
        self._sent = 0
        self.settimeout(seconds)

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """Receive what there is.

        Raises:
            TimeoutError: The time is over.
        """
        if not self._has_received:  # the whole time is left, as it is set
            self._has_received = True
            return super().recv(size, flags)
        left = self._until - monotonic()
        if left <= 0:
            raise TimeoutError
        at_most = self.gettimeout()
        self.settimeout(left if at_most is None else min(left, at_most))
        try:
            return super().recv(size, flags)
        finally:
            self.settimeout(at_most)

    def sendall(self, data: Buffer, flags: int = 0, /) -> None:
        """Send a part of the answer."""
        self._sent += memoryview(data).nbytes
        super().sendall(data, flags)

    def hang_up(self) -> None:
        """Close at once, if the answer is short and nothing has come after the request.

        Closing on what comes unread has the kernel take back what is still to be sent,
        so else the socket stays open, for gunicorn to wait until the client has closed.
        """
        if self._sent > _SENT_AT_ONCE:
            return
        # Unlike recv, this does not wait: a socket with a time-out is non-blocking.
        with suppress(BlockingIOError, ConnectionError):
            if os.read(self.fileno(), 1):
                return
        self.close()
