"""How searches leave time for other requests: slots, shares and low priority.

Slots are shared by all worker processes of a service. A search takes one only when it
turns out to be long. There are fewer slots than workers, so that some workers are left
for all other requests.
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
"""What a thread of low priority adds to its niceness."""


class SearchSlots:
    """A number of slots shared by this process and those forked from it.

    A slot is one byte of an unnamed file, and taking it is locking that byte. Such
    a lock belongs to one process, and the kernel releases it when the process ends.

    Args:
        count: How many slots there are.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._file = open_unnamed_file("search-slots")
        self._held: set[int] = set()
        self._mutex = Lock()
        finalize(self, os.close, self._file)

    @contextmanager
    def slot(self) -> Iterator[bool]:
        """Hold a slot if one is free; yields whether one was."""
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
    """A limit of work to a share of the time; unused time is kept up to a maximum.

    Args:
        share: The share, 0 to 1.
        most: The maximum of unused seconds that are kept.
        clock: Seconds that never go back.
        work_clock: Seconds for which the thread has had a processor.
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
        """Whether less than the share was spent."""
        now = self._clock()
        saved = self._saved + self._share * (now - self._updated)
        self._saved, self._updated = min(saved, self._most), now
        return self._saved > 0

    @contextmanager
    def spent(self) -> Iterator[None]:
        """Count the work of a ``with`` statement."""
        started = self._work_clock()
        try:
            yield
        finally:
            self._saved -= self._work_clock() - started


def run_with_low_priority(
    task: Callable[[], Result], stop: Callable[[], None]
) -> Result:
    """Run a task in a thread of low priority, and wait for it.

    A thread cannot raise its priority again, so it ends with its task.

    Args:
        task: The task.
        stop: Ends the task soon; called when an exception interrupts the waiting.
    """
    with ThreadPoolExecutor(1, initializer=lower_priority) as threads:
        try:
            return threads.submit(task).result()
        except BaseException:
            stop()
            raise


def lower_priority() -> None:
    """Lower the priority of this thread, which cannot raise it again."""
    if sys.platform == "linux":  # elsewhere a thread has no priority of its own
        with suppress(OSError):
            thread = get_native_id()
            niceness = os.getpriority(os.PRIO_PROCESS, thread) + _NICENESS
            os.setpriority(os.PRIO_PROCESS, thread, niceness)
