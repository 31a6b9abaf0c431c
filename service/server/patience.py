"""Patience with clients, which has an end."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from time import monotonic


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

    def hang_up(self) -> None:
        """Close at once, if nothing has come after the request.

        Closing on what is unread would have the kernel take the answer back, so then
        the socket stays open, for gunicorn to wait until the client has closed.
        """
        # Unlike recv, this does not wait: a socket with a time-out is non-blocking.
        with suppress(BlockingIOError, ConnectionError):
            if os.read(self.fileno(), 1):
                return
        self.close()
