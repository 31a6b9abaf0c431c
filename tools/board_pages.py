"""Measure a board of many entries: the time of a page, and the bytes of an entry.

Fills the board of a day and its sums in a new embedded store, and prints the time of a
page at the top, in the middle, at the end and around a player::

    python tools/board_pages.py --entries 1000000
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

import redis

from service.config import Settings
from service.store.boards import After, BoardKey, Boards, Result, Share
from service.store.embedded import EmbeddedStore
from service.store.factory import open_store, store_url

if TYPE_CHECKING:
    from collections.abc import Callable

_DAY = BoardKey("portal", "daily/2026-12-01/accordion")
_SUM = BoardKey("portal", "all-time/accordion", is_sum=True)
_LIMIT = 50
_TRIALS = 200
_FINISH = 1_800_000_000_000


def main() -> None:
    """Fill a board and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=100_000)
    entries = parser.parse_args().entries
    with TemporaryDirectory(prefix="acc") as folder:
        settings = Settings(data_dir=Path(folder), store_timeout=5.0)
        with EmbeddedStore(settings.data_dir):
            _measure(settings, entries)


def _measure(settings: Settings, entries: int) -> None:
    boards = Boards(open_store(settings).runner)
    client = redis.Redis.from_url(store_url(settings))
    before = client.info("memory")["used_memory"]
    began = perf_counter()
    for number in range(entries):
        _put(boards, number)
    seconds = perf_counter() - began
    day = client.info("memory")["used_memory"]
    print(f"{entries} entries in {seconds:.0f} s, {(day - before) / entries:.0f} bytes")
    for number in range(0, entries, 10):
        _add(boards, number)
    both = client.info("memory")["used_memory"]
    print(f"in a sum of one day {(both - day) * 10 / entries:.0f} bytes")
    middle = boards.page(_DAY, _LIMIT, f"player {entries // 2}")
    if middle is None:
        raise LookupError
    last = middle.entries[-1]
    after = After(last.score, last.finished_at, last.player)
    _time("at the top", lambda: boards.page(_DAY, _LIMIT))
    _time("in the middle", lambda: boards.page(_DAY, _LIMIT, after))
    _time("at the end", lambda: boards.page(_DAY, _LIMIT, After(1, _FINISH, "")))
    _time(
        "around a player",
        lambda: boards.page(_DAY, _LIMIT, f"player {random.randrange(entries)}"),
    )
    _time("an end of a game", lambda: _put(boards, random.randrange(entries)))


def _put(boards: Boards, number: int) -> None:
    score, finish = number % 2221, _FINISH + number % 997
    shown = f'["Player {number}","moral",4,48,0,312,"portal.S3EmibhW6A1wlhi85e4g"]'
    result = Result(
        f"player {number}", f"{number:020}", 1, score, finish, 4, "lost", shown
    )
    best = boards.put(_DAY, result, 400 * 24 * 3600)
    if best.score != score:
        raise ValueError(best)


def _add(boards: Boards, number: int) -> None:
    best = boards.put(
        _DAY,
        Result(f"player {number}", f"{number:020}", 1, 0, _FINISH, 4, "lost", ""),
        400 * 24 * 3600,
    )
    share = Share(f"player {number}", "2026-12-01", best, f"Player {number}")
    boards.add(_SUM, share, 0)


def _time(what: str, run: Callable[[], object]) -> None:
    times = []
    for _ in range(_TRIALS):
        began = perf_counter()
        run()
        times.append((perf_counter() - began) * 1000)
    slowest = sorted(times)[_TRIALS * 95 // 100]
    print(f"{what}: median {median(times):.2f} ms, 95th percentile {slowest:.2f} ms")


if __name__ == "__main__":
    main()
