"""Slots for long searches, shared by all worker processes of a service.

A search takes a slot only when it turns out to be long. The number of slots is
limited, so that workers are left for all other requests.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Final, Self
from weakref import finalize

from service.unnamed_file import open_unnamed_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.solver import Budget

QUICK_NODES: Final = 20_000
"""The work that a search may do without a slot: a few milliseconds."""


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
        slot = self.take()
        try:
            yield slot is not None
        finally:
            if slot is not None:
                self.release(slot)

    def take(self) -> int | None:
        """Take a slot and return its number; None when all are taken."""
        with self._mutex:  # a lock does not exclude other threads of its process
            for slot in range(self._count):
                if slot not in self._held and self._lock(slot):
                    self._held.add(slot)
                    return slot
        return None

    def release(self, slot: int) -> None:
        """Release a slot that was taken."""
        with self._mutex:
            self._held.remove(slot)
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, slot)

    def _lock(self, slot: int) -> bool:
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, slot)
        except (BlockingIOError, PermissionError):  # either, says POSIX
            return False
        return True


@dataclass(slots=True)
class Search:
    """One search, which needs a slot to do more than ``QUICK_NODES`` of work.

    Used in a ``with`` statement, at the end of which the slot is released.

    Attributes:
        slots: Where the slot comes from.
        quick_nodes: The nodes that may still be spent without a slot.
        is_refused: Whether the search ended because no slot was free.
    """

    slots: SearchSlots
    quick_nodes: int = field(default=QUICK_NODES, init=False)
    is_refused: bool = field(default=False, init=False)
    _slot: int | None = field(default=None, init=False)

    def __enter__(self) -> Self:
        """Begin the search."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Release the slot, if one was taken."""
        if self._slot is not None:
            self.slots.release(self._slot)

    def get_slot(self) -> bool:
        """Take a slot unless the search has one; False when none was free."""
        if self._slot is None and not self.is_refused:
            self._slot = self.slots.take()
            self.is_refused = self._slot is None
        return not self.is_refused


@dataclass(frozen=True, slots=True)
class SlotBudget:
    """A budget that is spent when its search needs a slot and none is free.

    Attributes:
        budget: The budget otherwise.
        search: The search that spends it.
    """

    budget: Budget
    search: Search

    def slice(self) -> int:
        """Return how many nodes may be spent next; 0 when the budget is spent."""
        nodes = self.budget.slice()
        if self.search.quick_nodes > 0:
            return min(nodes, self.search.quick_nodes)
        return nodes if nodes and self.search.get_slot() else 0

    def spend(self, nodes: int) -> None:
        """Note that so many nodes were spent."""
        self.budget.spend(nodes)
        self.search.quick_nodes -= nodes

    def part(self, parts: int) -> SlotBudget:
        """Return one of so many equal parts of what is left."""
        return SlotBudget(self.budget.part(parts), self.search)
