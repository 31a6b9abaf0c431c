"""The load tests themselves, run for a moment against the real service."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.loadtests.locusts import patiently, run_locust, run_module, run_users

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Serve
    from tests.loadtests.conftest import Scripted

USERS = {"DailyPlayer", "Tapper", "HintFollower", "Portal", "Spectator"}


def test_every_user_finds_right_answers(served: Serve, tmp_path: Path) -> None:
    service = served(workers=2)
    asked = {"daily deal", "move", "tap", "undo", "hint", "replay"}
    asked |= {"watch", "watch on", "watch anew"}
    summary = patiently(
        run_users(service.url, tmp_path, 11, *USERS),
        lambda summary: asked <= summary.requests.keys(),
    )
    assert not summary.errors
    assert summary.code == 0
    assert asked <= summary.requests.keys()


@pytest.mark.parametrize(
    "scripted",
    [b'HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"row":["4S"]}'],
    indirect=True,
)
def test_wrong_answers_are_failures(scripted: Scripted, tmp_path: Path) -> None:
    host = f"http://127.0.0.1:{scripted.address.port}"
    summary = patiently(
        run_users(host, tmp_path, 3, "DailyPlayer", "Tapper", "Portal"),
        lambda summary: summary.requests.keys() >= {"daily deal", "create"},
    )
    assert summary.code == 1
    assert summary.requests
    assert summary.failures == summary.requests


def test_the_load_grows_by_steps(served: Serve, tmp_path: Path) -> None:
    service = served(workers=1)
    steps = tmp_path / "steps.json"
    summary = run_locust(
        service.url,
        tmp_path,
        *("--locustfile", "loadtests/locustfile.py,loadtests/stepping.py"),
        *("--step-users", "3", "--step-seconds", "5", "--most-users", "6"),
        *("--steps-file", str(steps)),
    )
    assert summary.code == 0, summary.errors
    found = json.loads(steps.read_text())
    assert [step["users"] for step in found["steps"]] == [3, 6]
    assert all(step["rate"] > 0 for step in found["steps"])
    assert found["headline"].endswith("0 answers were wrong or missing.")


def test_the_benchmark_measures(tmp_path: Path) -> None:
    keys = ("get", "move-if-match", "batch", "hint-next", "deal")
    only = [word for key in keys for word in ("--only", key)]
    done = run_module(
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
    done = run_module("loadtests.memory", "--games", "40", "--moves", "3")
    assert done.returncode == 0, done.stderr
    figure = re.search(r"(\d+) bytes per live game of 52 cards", done.stdout)
    assert figure is not None
    assert int(figure[1]) > 100
    assert done.stdout.count("pid ") == 2
