"""Deals of the day, chosen by several processes at the same time."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from typing import TYPE_CHECKING

from service.engine.variants import VARIANTS, find_variant
from service.games.certified_deals import winnable_position
from service.games.daily import DAILY_NODES, first_won
from service.store.coordination import Choices
from tests.process.choose_days import DAYS_EACH_WAY

if TYPE_CHECKING:
    from service.store.redis import RedisStore
    from tests.servers import StoreServer


def test_two_processes_choose_the_same_deals(
    store: RedisStore, valkey_server: StoreServer
) -> None:
    """Every variant, 400 days before and after, without an operator's secret."""
    command = [sys.executable, "-m", "tests.process.choose_days", valkey_server.url]
    processes = [
        subprocess.Popen(
            [*command, direction],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for direction in ("backward", "forward")
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    first, second = (process.communicate()[0].splitlines() for process in processes)
    assert first == second
    assert len(first) == len(VARIANTS) * (2 * DAYS_EACH_WAY + 1)
    assert len({line.split()[2] for line in first}) == len(first)
    secret = Choices(store.runner).find("daily-secret") or ""
    for line in first[::401]:
        key, day, seed, _ = line.split()
        ruleset = find_variant(key)
        assert seed == first_won(secret.encode(), ruleset, date.fromisoformat(day))
        assert winnable_position(ruleset, seed, ruleset.layout, DAILY_NODES)
