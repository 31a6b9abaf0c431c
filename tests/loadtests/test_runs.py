"""The load tests themselves, run for a moment against the real service."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Serve
    from tests.loadtests.conftest import Scripted

USERS = {"DailyPlayer", "Tapper", "HintFollower", "Portal", "Spectator"}


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, check=False
    )


class Summary(NamedTuple):
    """A run of locust: its exit code, and its requests and failures by their names."""

    code: int
    requests: dict[str, int]
    failures: dict[str, int]


def _locust(host: str, folder: Path, *arguments: str) -> Summary:
    done = _run(
        *("locust", "--headless", "--host", host, "--csv", str(folder / "load")),
        *("--locustfile", "loadtests/locustfile.py"),
        *("--only-summary", "--stop-timeout", "5", *arguments),
    )
    with (folder / "load_stats.csv").open() as table:
        rows = list(csv.reader(table))[1:-1]
    return Summary(
        done.returncode,
        {name: int(requests) for _, name, requests, *_ in rows},
        {name: int(failures) for _, name, _, failures, *_ in rows},
    )


def _patiently(run: Callable[[int], Summary], wanted: set[str]) -> Summary:
    """Give a run ten times the seconds where a busy machine did too little in few."""
    summary = run(4)
    return summary if wanted <= summary.requests.keys() else run(40)


def test_every_user_finds_right_answers(served: Serve, tmp_path: Path) -> None:
    service = served(workers=2)
    asked = {"daily deal", "move", "tap", "undo", "hint", "replay", "watch", "watch on"}

    def run(seconds: int) -> Summary:
        users = ("-u", "11", "-r", "11", "--run-time", f"{seconds}s", *USERS)
        return _locust(service.url, tmp_path, *users)

    summary = _patiently(run, asked)
    assert not any(summary.failures.values())
    assert summary.code == 0
    assert asked <= summary.requests.keys()


@pytest.mark.parametrize(
    "scripted",
    [b'HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"row":["4S"]}'],
    indirect=True,
)
def test_wrong_answers_are_failures(scripted: Scripted, tmp_path: Path) -> None:
    host = f"http://127.0.0.1:{scripted.address.port}"
    kinds = ("DailyPlayer", "Tapper", "Portal")

    def run(seconds: int) -> Summary:
        users = ("-u", "3", "-r", "3", "--run-time", f"{seconds}s", *kinds)
        return _locust(host, tmp_path, *users)

    summary = _patiently(run, {"daily deal", "create"})
    assert summary.code == 1
    assert summary.requests
    assert summary.failures == summary.requests


def test_the_load_grows_by_steps(served: Serve, tmp_path: Path) -> None:
    service = served(workers=1)
    steps = tmp_path / "steps.json"
    summary = _locust(
        service.url,
        tmp_path,
        *("--locustfile", "loadtests/locustfile.py,loadtests/stepping.py"),
        *("--step-users", "3", "--step-seconds", "5", "--most-users", "6"),
        *("--steps-file", str(steps)),
    )
    assert summary.code == 0
    found = json.loads(steps.read_text())
    assert [step["users"] for step in found["steps"]] == [3, 6]
    assert all(step["rate"] > 0 for step in found["steps"])
    assert found["headline"].endswith("0 answers were wrong or missing.")


def test_the_benchmark_measures(tmp_path: Path) -> None:
    keys = ("get", "move-if-match", "batch", "hint-next", "deal")
    only = [word for key in keys for word in ("--only", key)]
    done = _run(
        *("loadtests.bench", "--rounds", "1", "--seconds", "0.5", "--bundled"),
        *("--output", str(tmp_path), *only),
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "benchmarks.json").read_text())["rows"]
    assert {row["endpoint"] for row in rows} == set(keys)
    assert all(row["rate"]["median"] > 0 and row["cpu"]["median"] > 0 for row in rows)
    assert (tmp_path / "benchmarks.svg").exists()
    assert "| batch of 51 moves |" in done.stdout


def test_memory_is_measured() -> None:
    done = _run("loadtests.memory", "--games", "40", "--moves", "3")
    assert done.returncode == 0, done.stderr
    figure = re.search(r"(\d+) bytes per live game of 52 cards", done.stdout)
    assert figure is not None
    assert int(figure[1]) > 100
    assert done.stdout.count("pid ") == 2
