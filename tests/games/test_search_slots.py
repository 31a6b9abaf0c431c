"""Slots for long searches, across threads and processes."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread

from service.games.search_slots import QUICK_NODES, Search, SearchSlots, SlotBudget
from service.solver import Nodes


@contextmanager
def in_other_process(act: Callable[[], object]) -> Iterator[int]:
    """Act in a forked process, which then waits to be killed; its id."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        act()
        os.write(writing, b"done")
        signal.pause()
    os.read(reading, 4)
    try:
        yield process
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(reading)
        os.close(writing)


def test_slots_are_taken_once_and_can_be_taken_again() -> None:
    slots = SearchSlots(2)
    taken = [slots.take(), slots.take()]
    assert set(taken) == {0, 1}
    assert slots.take() is None
    slots.release(1)
    assert slots.take() == 1


def test_threads_of_one_process_share_them() -> None:
    slots, taken = SearchSlots(3), []
    threads = [Thread(target=lambda: taken.append(slots.take())) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken, key=str) == [0, 1, 2, None, None]


def test_processes_share_them_and_a_killed_one_frees_its_own() -> None:
    slots = SearchSlots(2)
    with in_other_process(slots.take):
        assert slots.take() == 1
        assert slots.take() is None
    assert slots.take() == 0


def test_a_quick_search_takes_no_slot() -> None:
    slots = SearchSlots(1)
    with Search(slots) as search:
        budget = SlotBudget(Nodes(10 * QUICK_NODES), search)
        assert budget.slice() == QUICK_NODES
        budget.part(2).spend(QUICK_NODES - 1)
        assert budget.slice() == 1
        assert slots.take() == 0


def test_a_long_search_holds_one_slot_until_its_end() -> None:
    slots = SearchSlots(1)
    with Search(slots) as search:
        budget = SlotBudget(Nodes(10 * QUICK_NODES), search)
        budget.spend(QUICK_NODES)
        assert budget.part(3).slice() == 3 * QUICK_NODES
        assert budget.slice() == 9 * QUICK_NODES
        assert slots.take() is None
    assert slots.take() == 0


def test_a_long_search_without_a_slot_ends() -> None:
    slots = SearchSlots(1)
    slots.take()
    with Search(slots) as search:
        budget = SlotBudget(Nodes(10 * QUICK_NODES), search)
        budget.spend(QUICK_NODES)
        assert budget.slice() == 0
        slots.release(0)
        assert budget.slice() == 0
        assert search.is_refused


def test_a_spent_budget_needs_no_slot() -> None:
    slots = SearchSlots(0)
    with Search(slots) as search:
        budget = SlotBudget(Nodes(QUICK_NODES), search)
        budget.spend(QUICK_NODES)
        assert budget.slice() == 0
        assert not search.is_refused
