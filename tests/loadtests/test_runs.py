"""The load tests themselves, run for a moment against the real service."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Serve
    from tests.loadtests.conftest import Scripted

USERS = {"DailyPlayer", "Tapper", "HintFollower", "Portal", "Spectator"}


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, check=False
    )


def _locust(host: str, folder: Path, *arguments: str) -> tuple[int, list[list[str]]]:
    """Run locust; its exit code and the lines of its table of requests."""
    done = _run(
        *("locust", "--headless", "--host", host, "--csv", str(folder / "load")),
        *("--only-summary", "--stop-timeout", "5", *arguments),
    )
    with (folder / "load_stats.csv").open() as table:
        return done.returncode, list(csv.reader(table))[1:-1]


def test_every_user_finds_right_answers(served: Serve, tmp_path: Path) -> None:
    service = served(workers=2)
    code, rows = _locust(
        service.url,
        tmp_path,
        *("--locustfile", "loadtests/locustfile.py", "-u", "11", "-r", "11"),
        *("--run-time", "6s", *USERS),
    )
    counts = {name: int(requests) for _, name, requests, *_ in rows}
    assert {name for _, name, _, failures, *_ in rows if int(failures)} == set()
    assert code == 0
    asked = {"daily deal", "move", "tap", "undo", "hint", "replay", "watch", "watch on"}
    assert asked <= counts.keys()


@pytest.mark.parametrize(
    "scripted",
    [b'HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"row":["4S"]}'],
    indirect=True,
)
def test_wrong_answers_are_failures(scripted: Scripted, tmp_path: Path) -> None:
    code, rows = _locust(
        f"http://127.0.0.1:{scripted.address.port}",
        tmp_path,
        *("--locustfile", "loadtests/locustfile.py", "-u", "3", "-r", "3"),
        *("--run-time", "2s", "DailyPlayer", "Tapper", "Portal"),
    )
    assert code == 1
    assert rows
    assert all(requests == failures for _, _, requests, failures, *_ in rows)


def test_the_load_grows_by_steps(served: Serve, tmp_path: Path) -> None:
    service = served(workers=1)
    steps = tmp_path / "steps.json"
    code, _ = _locust(
        service.url,
        tmp_path,
        *("--locustfile", "loadtests/locustfile.py,loadtests/stepping.py"),
        *("--step-users", "3", "--step-seconds", "2", "--most-users", "6"),
        *("--steps-file", str(steps)),
    )
    assert code == 0
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
