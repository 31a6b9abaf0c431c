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
        self._seconds = seconds
        self._until = monotonic() + seconds
        self._has_waited = False
        self.settimeout(seconds)

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """Receive what there is.

        Raises:
            TimeoutError: The time is over.
        """
        if not self._has_waited:  # the whole time is left, as it is set
            self._has_waited = True
            return super().recv(size, flags)
        left = self._until - monotonic()
        if left <= 0:
            raise TimeoutError
        self.settimeout(left)
        try:
            return super().recv(size, flags)
        finally:
            self.settimeout(self._seconds)

    def hang_up(self) -> None:
        """Close at once, if nothing came after the request.

        Closing on what is unread would have the kernel take the answer back, so then
        the socket stays open, for gunicorn to wait until the client has closed.
        """
        with suppress(BlockingIOError):
            if os.read(self.fileno(), 1):
                return
        self.close()
