"""Numbers that all processes of a service add to.

All processes have an unnamed file open, and each adds to its own slot of the file. The
totals are the sums over all slots. When a process ends, another process takes over its
slot with the numbers in it, so no number is lost, and there are never more slots than
there were processes at the same time.
"""

from __future__ import annotations

import fcntl
import logging
import mmap
import os
from itertools import count
from struct import Struct
from threading import Lock
from typing import TYPE_CHECKING, Final

from service.unnamed_file import open_unnamed_file

if TYPE_CHECKING:
    from collections.abc import Iterator

_SLOT_SIZE: Final = 1 << 18
"""Bytes of a slot; only pages that are written to take up memory."""
_SPARE: Final = 512
"""Bytes at the end of a slot, never read: numbers that do not fit are added here."""
_USED: Final = Struct("q")
"""A slot begins with the number of its used bytes."""
_ENTRY: Final = Struct("II")
"""An entry begins with the size of its key in bytes and the count of its numbers."""
_NUMBER_SIZE: Final = 8

_LOG: Final = logging.getLogger(__name__)


_MEMORY: Final = open_unnamed_file("numbers")


_SLOTS: Final[list[_Slot]] = []
"""The slots of this process and its parents. They are never freed: freeing one would
close a handle of the file, which releases all locks of this process on the file."""


class _Slot:
    """The part of the file that this process adds to; ``numbers`` is all of it."""

    def __init__(self) -> None:
        start = next(start for start in count(0, _SLOT_SIZE) if _lock(start))
        os.pwrite(_MEMORY, b"\0", start + _SLOT_SIZE - 1)
        self._bytes = mmap.mmap(_MEMORY, _SLOT_SIZE, offset=start)
        self.numbers = memoryview(self._bytes).cast("d")
        self._used = max(_USED.unpack_from(self._bytes)[0], _USED.size)
        entries = _entries(self._bytes[: self._used])
        self._places = {key: start for key, start, _ in entries}
        _SLOTS.append(self)
        self._is_full = False

    def place(self, key: str, size: int) -> int:
        """Return the index of a key's first number; append zeros for a new key."""
        if key not in self._places:
            self._places[key] = self._append(key.encode(), size)
        return self._places[key] // _NUMBER_SIZE

    def _append(self, key: bytes, size: int) -> int:
        key += b" " * (-len(key) % _NUMBER_SIZE)
        start: int = self._used + _ENTRY.size + len(key)
        end = start + size * _NUMBER_SIZE
        if end > _SLOT_SIZE - _SPARE:
            self._warn(key)
            return _SLOT_SIZE - _SPARE
        self._bytes[self._used : start] = _ENTRY.pack(len(key), size) + key
        _USED.pack_into(self._bytes, 0, end)  # last: makes the entry readable
        self._used = end
        return start

    def _warn(self, key: bytes) -> None:
        if not self._is_full:
            self._is_full = True
            name = key.decode().rstrip()
            _LOG.warning("There is no room to count %s, nor anything new.", name)


def _lock(start: int) -> bool:
    """Lock the slot that starts at a byte; return False if another process has it.

    The kernel releases the lock when the process ends for any reason. A forked process
    does not inherit the locks of its parent.
    """
    try:
        fcntl.lockf(_MEMORY, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, start)
    except OSError:
        return False
    return True


def _entries(slot: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield each entry: its key, the byte where its numbers start, and their count."""
    at = _USED.size
    while at < len(slot):
        key_size, size = _ENTRY.unpack_from(slot, at)
        start = at + _ENTRY.size + key_size
        yield slot[at + _ENTRY.size : start].decode().rstrip(), start, size
        at = start + size * _NUMBER_SIZE


class _Process:
    """The slot of this process, taken when it first adds, and the lock to add under."""

    def __init__(self) -> None:
        self._begin()
        os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self.lock = Lock()
        self._slot: _Slot | None = None

    @property
    def slot(self) -> _Slot:
        """The slot; the caller must hold the lock."""
        if self._slot is None:
            self._slot = _Slot()
        return self._slot


_PROCESS: Final = _Process()


class Numbers:
    """The numbers of one key.

    Args:
        key: The key, which must not end in spaces.
        size: The count of numbers, at most 64.
    """

    def __init__(self, key: str, size: int) -> None:
        self._key = key
        self._size = size
        self._slot: _Slot | None = None
        self._place = 0

    def add(self, *changes: tuple[int, float]) -> None:
        """Add to the numbers: each change is an index and an amount."""
        with _PROCESS.lock:
            slot = _PROCESS.slot
            if slot is not self._slot:  # a new process
                self._slot, self._place = slot, slot.place(self._key, self._size)
            for index, amount in changes:
                slot.numbers[self._place + index] += amount


def totals() -> dict[str, list[float]]:
    """Return the sums over all processes, by key."""
    sums: dict[str, list[float]] = {}
    for begin in range(0, os.fstat(_MEMORY).st_size, _SLOT_SIZE):
        (used,) = _USED.unpack(os.pread(_MEMORY, _USED.size, begin))
        slot = os.pread(_MEMORY, used, begin)
        for key, start, size in _entries(slot):
            numbers = memoryview(slot)[start : start + size * _NUMBER_SIZE].cast("d")
            known = sums.setdefault(key, [0.0] * size)
            sums[key] = [one + other for one, other in zip(known, numbers, strict=True)]
    return sums
