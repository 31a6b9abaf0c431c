"""Patience with clients, which has an end."""

from __future__ import annotations

import socket
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
        self.settimeout(seconds)

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """Receive what there is.

        Raises:
            TimeoutError: The time is over.
        """
        left = self._until - monotonic()
        if left <= 0:
            raise TimeoutError
        self.settimeout(left)
        try:
            return super().recv(size, flags)
        finally:
            self.settimeout(self._seconds)
