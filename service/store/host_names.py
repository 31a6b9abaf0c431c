"""Looks up host names within a bounded time.

The system's look-up has no time-out: a name server that does not respond blocks it for
5 to 15 seconds. Here it runs in a separate thread, for which a caller waits only a
given time. The last addresses found are kept, for use when the name server fails.
"""

import os
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from ipaddress import ip_address
from threading import Thread

Addresses = Sequence[str]


def look_up(host: str) -> Addresses:
    """Look up the numeric addresses of a host with the system's resolver.

    Raises:
        OSError: none was found.
    """
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


class HostNames:
    """Looks up host names and keeps the addresses found; threads share it.

    Args:
        look_up: returns the addresses of a host; it may take any time.
    """

    def __init__(self, look_up: Callable[[str], Addresses] = look_up) -> None:
        self._look_up = look_up
        self._known: dict[str, Addresses] = {}
        self._running: dict[str, Future[Addresses]] = {}
        # A forked process does not have the threads that would finish these.
        os.register_at_fork(after_in_child=self._running.clear)

    def find(self, host: str, seconds: float) -> Addresses:
        """The numeric addresses of a host; if the look-up fails, the last ones found.

        Raises:
            TimeoutError: it took longer than `seconds`, and no addresses are kept.
            OSError: it failed, and no addresses are kept.
        """
        if _is_numeric(host):
            return [host]
        running = self._running.get(host)
        if running and host in self._known:  # another thread already waits for it
            return self._known[host]
        try:
            return (running or self._begin(host)).result(seconds)
        except OSError:
            if host in self._known:
                return self._known[host]
            raise

    def _begin(self, host: str) -> Future[Addresses]:
        running: Future[Addresses] = Future()
        self._running[host] = running
        Thread(target=self._finish, args=(host, running), daemon=True).start()
        return running

    def _finish(self, host: str, running: Future[Addresses]) -> None:
        try:
            found = self._known[host] = self._look_up(host)
        except OSError as error:
            self._running.pop(host, None)
            running.set_exception(error)
        else:
            self._running.pop(host, None)
            running.set_result(found)


def _is_numeric(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
