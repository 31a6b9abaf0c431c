"""Passing queued connections to the workers when the service stops.

The kernel resets queued connections when the last process closes the listening socket.
So the master process accepts them all, closes that socket for all processes, and passes
the connections to its workers, which answer them before they end. After the last worker
has ended, the master refuses the connections that are left.
"""

from __future__ import annotations

import ctypes
import socket
import struct
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_SO_ATTACH_FILTER: Final = 26
"""The socket option for a packet filter: its number on most architectures."""
_FILTER: Final = (
    (0x30, 0, 0, 13),  # load the flags of the TCP header
    (0x54, 0, 0, 0x12),  # keep SYN and ACK
    (0x15, 0, 1, 0x02),  # if only SYN is set
    (0x06, 0, 0, 0),  # drop the packet
    (0x06, 0, 0, 0xFFFFFFFF),  # else accept it
)
"""A program for the kernel's packet filter: instruction, two jumps, operand."""
_ONE: Final = b"1"


def stop_new_connections(listener: socket.socket) -> None:
    """Drop the first packet of new connections (Linux only).

    Handshakes that have begun are completed. A client whose packet was dropped sends it
    again after a second, and is refused once the socket is closed.
    """
    program = b"".join(struct.pack("HBBI", *step) for step in _FILTER)
    memory = ctypes.create_string_buffer(program)
    option = struct.pack("HL", len(_FILTER), ctypes.addressof(memory))
    with suppress(OSError):
        listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, option)


def is_listening(listener: socket.socket) -> bool:
    """Whether the socket listens; one that is shut down does not."""
    return bool(listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))


class Handover:
    """Passes connections from the master process to its workers.

    The master creates it before it forks the workers.
    """

    def __init__(self) -> None:
        self._give, self._take = socket.socketpair()
        self._give.settimeout(0)
        self._take.settimeout(0)
        self._left: deque[socket.socket] = deque()

    def accept_all(self, listener: socket.socket) -> None:
        """Accept all queued connections, and stop listening in all processes."""
        with suppress(OSError):  # none are left, or there are too many open files
            while True:
                self._left.append(listener.accept()[0])
        with suppress(OSError):  # not every system can shut down a listener
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()

    def give(self) -> None:
        """Pass on as many connections as the socket to the workers accepts now."""
        with suppress(OSError):
            while self._left:
                socket.send_fds(self._give, [_ONE], [self._left[0].fileno()])
                self._left.popleft().close()
        if not self._left:
            self._give.close()

    def left(self) -> Iterator[socket.socket]:
        """Yield the connections that no worker has taken."""
        self._give.close()
        with suppress(BlockingIOError):
            while (client := self.take()) is not None:
                yield client
        yield from self._left

    def close(self) -> None:
        """Close both ends, in a process that neither gives nor takes."""
        self._give.close()
        self._take.close()

    def join(self) -> socket.socket:
        """In a worker, return the socket that is readable when `take` returns."""
        self._give.close()
        return self._take

    def take(self) -> socket.socket | None:
        """Take a connection; None once no more will come.

        Raises:
            BlockingIOError: None is available now, but more may come.
        """
        _, handles, _, _ = socket.recv_fds(self._take, 1, 1)
        return socket.socket(fileno=handles[0]) if handles else None
