"""Numbers that several processes add to; each test runs in a new process."""

from __future__ import annotations

import subprocess
import sys
import textwrap

_PRELUDE = """
import os
from service import shared_numbers
from service.shared_numbers import Numbers, totals

def fork(work):
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    os.waitpid(child, 0)

def slots():
    return os.fstat(shared_numbers._MEMORY).st_size // shared_numbers._SLOT_SIZE
"""


def _run(script: str) -> str:
    whole = _PRELUDE + textwrap.dedent(script)
    done = subprocess.run(
        [sys.executable, "-c", whole], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_all_processes_add_to_the_same_numbers() -> None:
    _run("""
        mine = Numbers("a", 1)
        mine.add((0, 1))
        for _ in range(50):
            fork(lambda: (mine.add((0, 2)), Numbers("b c", 3).add((1, 1), (2, 0.5))))
        mine.add((0, 1))
        assert totals() == {"a": [102.0], "b c": [0.0, 50.0, 25.0]}
        assert slots() == 2
    """)


def test_concurrent_processes_have_a_slot_each() -> None:
    _run("""
        ready, begin = os.pipe(), os.pipe()
        for _ in range(5):
            if os.fork() == 0:
                Numbers("a", 1).add((0, 1))
                os.write(ready[1], b"x")
                os.read(begin[0], 1)
                for _ in range(10_000):
                    Numbers("a", 1).add((0, 1))
                os._exit(0)
        while len(os.read(ready[0], 5)) < 5 and slots() < 5:
            pass
        os.write(begin[1], b"xxxxx")
        for _ in range(5):
            os.wait()
        assert totals() == {"a": [50_005.0]}
        assert slots() == 5
    """)


def test_a_child_keeps_its_slot_when_the_parent_releases_one() -> None:
    """A process that closes a file loses its locks on it, even if it is still open."""
    _run("""
        cells = [Numbers("a", 1), Numbers("b", 1)]
        def work():
            for cell in cells:
                cell.add((0, 1))
        work()
        ready, end = os.pipe(), os.pipe()
        for _ in range(3):
            if os.fork() == 0:
                work()
                os.write(ready[1], b"x")
                os.read(end[0], 1)
                work()
                os._exit(0)
            os.read(ready[0], 1)
        assert slots() == 4
        os.write(end[1], b"xxx")
        for _ in range(3):
            os.wait()
        assert totals() == {"a": [7.0], "b": [7.0]}
    """)


def test_numbers_added_by_a_killed_process_remain() -> None:
    _run("""
        def work():
            Numbers("a", 1).add((0, 1))
            os.kill(os.getpid(), 9)
        for number in range(1, 20):
            fork(work)
            assert totals() == {"a": [number]}
        assert slots() == 1
    """)


def test_additions_of_concurrent_threads_are_all_counted() -> None:
    _run("""
        import sys
        from threading import Thread
        sys.setswitchinterval(1e-6)
        number = Numbers("a", 1)
        def work():
            for _ in range(20_000):
                number.add((0, 1))
        threads = [Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert totals() == {"a": [80_000.0]}
    """)


def test_when_the_memory_is_full_existing_numbers_are_still_counted() -> None:
    warnings = _run("""
        import logging
        logging.basicConfig()
        for number in range(20_000):
            Numbers(f"key {number}", 5).add((0, 1))
        kept = totals()
        assert 3_000 < len(kept) < 20_000
        assert set(map(tuple, kept.values())) == {(1.0, 0.0, 0.0, 0.0, 0.0)}
        Numbers("key 0", 5).add((0, 1))
        assert totals()["key 0"][0] == 2
    """)
    assert warnings.count("There is no room to count key ") == 1
