"""Slots, time shares and low priority: how searches leave time for other requests.

All worker processes of a service share the slots. A search takes one only when it turns
out to be long. There are fewer slots than workers, so that some workers remain for
other requests.
"""

from __future__ import annotations

import fcntl
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Lock, get_native_id
from time import thread_time
from typing import TYPE_CHECKING, Final, TypeVar
from weakref import finalize

from service.unnamed_file import open_unnamed_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Result = TypeVar("Result")

_NICENESS: Final = 10
"""The increase in niceness of a low-priority thread."""


class SearchSlots:
    """Slots shared by this process and those forked from it.

    A slot is a byte of an unnamed file; a process takes the slot by locking the byte.
    The kernel releases the lock when the process ends.

    Args:
        count: The number of slots.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._file = open_unnamed_file("search-slots")
        self._held: set[int] = set()
        self._mutex = Lock()
        finalize(self, os.close, self._file)

    @contextmanager
    def slot(self) -> Iterator[bool]:
        """Hold a slot if one is free; yield whether one was."""
        slot = self._take()
        try:
            yield slot is not None
        finally:
            if slot is not None:
                self._release(slot)

    def _take(self) -> int | None:
        with self._mutex:  # a lock does not exclude other threads of its process
            for slot in range(self._count):
                if slot not in self._held and self._lock(slot):
                    self._held.add(slot)
                    return slot
        return None

    def _release(self, slot: int) -> None:
        with self._mutex:
            self._held.remove(slot)
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, slot)

    def _lock(self, slot: int) -> bool:
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, slot)
        except (BlockingIOError, PermissionError):  # POSIX allows either
            return False
        return True


class TimeShare:
    """Limits work to a share of the time; unused time is saved up to a maximum.

    Args:
        share: The share, 0 to 1.
        most: The maximum of unused time that is saved, in seconds.
        clock: Returns seconds that never go back.
        work_clock: Returns the CPU time of the thread in seconds.
    """

    def __init__(
        self,
        share: float,
        most: float,
        clock: Callable[[], float],
        work_clock: Callable[[], float] = thread_time,
    ) -> None:
        self._share = share
        self._most = most
        self._clock = clock
        self._work_clock = work_clock
        self._saved = most
        self._updated = clock()

    @property
    def is_left(self) -> bool:
        """Whether there is time left to spend."""
        now = self._clock()
        saved = self._saved + self._share * (now - self._updated)
        self._saved, self._updated = min(saved, self._most), now
        return self._saved > 0

    @contextmanager
    def spent(self) -> Iterator[None]:
        """Count the work of a ``with`` block as spent."""
        started = self._work_clock()
        try:
            yield
        finally:
            self._saved -= self._work_clock() - started


def run_with_low_priority(
    task: Callable[[], Result], stop: Callable[[], None]
) -> Result:
    """Run a task in a low-priority thread, and wait for it.

    The thread is not reused, because it cannot raise its priority again.

    Args:
        task: The task.
        stop: Makes the task end soon; called if the task fails or an exception
            interrupts the wait.
    """
    with ThreadPoolExecutor(1, initializer=lower_priority) as threads:
        try:
            return threads.submit(task).result()
        except BaseException:
            stop()
            raise


def lower_priority() -> None:
    """Lower the priority of this thread, which cannot raise it again."""
    if sys.platform == "linux":  # other systems have no priority per thread
        with suppress(OSError):
            thread = get_native_id()
            niceness = os.getpriority(os.PRIO_PROCESS, thread) + _NICENESS
            os.setpriority(os.PRIO_PROCESS, thread, niceness)
