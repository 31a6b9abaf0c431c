"""Runs locust for a moment, as a user does."""

from __future__ import annotations

import csv
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Summary(NamedTuple):
    """A run of locust: exit code, requests and failures by their names, and errors."""

    code: int
    requests: dict[str, int]
    failures: dict[str, int]
    errors: list[str]


def run_module(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, check=False
    )


def run_locust(host: str, folder: Path, *arguments: str) -> Summary:
    done = run_module(
        *("locust", "--headless", "--host", host, "--csv", str(folder / "load")),
        *("--locustfile", "loadtests/locustfile.py"),
        *("--only-summary", "--stop-timeout", "5", *arguments),
    )
    with (folder / "load_stats.csv").open() as table:
        rows = list(csv.reader(table))[1:-1]
    with (folder / "load_failures.csv").open() as table:
        errors = [f"{name}: {error}" for _, name, error, *_ in csv.reader(table)]
    return Summary(
        done.returncode,
        {name: int(requests) for _, name, requests, *_ in rows},
        {name: int(failures) for _, name, _, failures, *_ in rows},
        errors[1:],
    )


def run_users(
    host: str, folder: Path, users: int, *kinds: str
) -> Callable[[int], Summary]:
    """A run of some users, of these kinds, for seconds yet to be said."""
    options = ("-u", str(users), "-r", str(users))

    def run(seconds: int) -> Summary:
        return run_locust(host, folder, *options, "--run-time", f"{seconds}s", *kinds)

    return run


def patiently(
    run: Callable[[int], Summary], is_enough: Callable[[Summary], bool]
) -> Summary:
    """Give a run ten times the seconds where a busy machine did too little in few."""
    summary = run(4)
    return summary if is_enough(summary) else run(40)
