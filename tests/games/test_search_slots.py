"""Slots for long searches, across threads and processes."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Barrier, Event, Thread, get_ident, get_native_id
from time import sleep

import pytest

from service.games.search_slots import (
    SearchSlots,
    TimeShare,
    run_with_low_priority,
)


@contextmanager
def in_other_process(act: Callable[[], object]) -> Iterator[None]:
    """Call a function in a forked process, which is killed at the end."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        act()
        os.write(writing, b"done")
        signal.pause()
    os.read(reading, 4)
    try:
        yield
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(reading)
        os.close(writing)


def has_free(slots: SearchSlots) -> bool:
    with slots.slot() as has_slot:
        return has_slot


def test_a_slot_is_held_once_and_then_free_again() -> None:
    slots = SearchSlots(2)
    with slots.slot() as first:
        with slots.slot() as second:
            assert (first, second, has_free(slots)) == (True, True, False)
        assert has_free(slots)


def test_a_slot_is_free_after_an_error() -> None:
    slots = SearchSlots(1)
    with pytest.raises(ZeroDivisionError), slots.slot():
        _ = 1 / 0
    assert has_free(slots)


def test_threads_of_one_process_share_the_slots() -> None:
    slots, barrier, taken = SearchSlots(3), Barrier(5), list[bool]()

    def hold() -> None:
        with slots.slot() as has_slot:
            taken.append(has_slot)
            barrier.wait()

    threads = [Thread(target=hold) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [False, False, True, True, True]
    assert has_free(slots)


def test_processes_share_the_slots_and_a_killed_one_frees_its_slot() -> None:
    slots, held = SearchSlots(2), ExitStack()
    with in_other_process(lambda: held.enter_context(slots.slot())):
        with slots.slot() as has_slot:
            assert has_slot
            assert not has_free(slots)
        assert has_free(slots)
    with slots.slot(), slots.slot() as has_slot:
        assert has_slot


def test_a_time_share_is_spent_and_regained() -> None:
    now, worked = [100.0], [7.0]
    share = TimeShare(0.25, 2, lambda: now[0], lambda: worked[0])
    with share.spent():
        worked[0] += 3
        now[0] += 4  # 2 s were saved before, and 1 s is regained
    assert not share.is_left
    now[0] += 0.1
    assert share.is_left


def test_only_a_small_part_of_a_time_share_is_saved() -> None:
    now, worked = [0.0], [0.0]
    share = TimeShare(0.5, 2, lambda: now[0], lambda: worked[0])
    now[0] += 1000
    assert share.is_left
    with share.spent():
        worked[0] += 2
    assert not share.is_left


def test_only_the_work_of_the_thread_is_counted() -> None:
    now = [0.0]
    share = TimeShare(0.5, 0.001, lambda: now[0])
    with share.spent():
        sleep(0.01)
    assert share.is_left


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, get_native_id())


def test_a_task_of_low_priority_does_not_change_the_callers_priority() -> None:
    before = niceness()
    ident, during = run_with_low_priority(
        lambda: (get_ident(), niceness()), lambda: None
    )
    assert ident != get_ident()
    assert during == min(before + 10, 19)
    assert niceness() == before


def test_an_interrupted_task_is_stopped() -> None:
    stopped = Event()

    def interrupt(_signal: int, _frame: object) -> None:
        raise KeyboardInterrupt

    def task() -> bool:
        os.kill(os.getpid(), signal.SIGUSR1)
        return stopped.wait()

    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_with_low_priority(task, stopped.set)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert stopped.is_set()
