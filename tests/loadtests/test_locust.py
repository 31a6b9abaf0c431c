"""Locust's users on a real service."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.loadtests.run_locust import run_locust, run_users

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers import CannedServer, Service

USERS = (
    *("DailyPlayer", "BoardReader", "TapPlayer"),
    *("HintFollower", "RecordSender", "Spectator"),
)


def test_every_user_gets_correct_responses(service: Service, tmp_path: Path) -> None:
    names = {"daily deal", "create", "move", "tap", "undo", "redo", "hint", "replay"}
    names |= {"watch", "watch if changed", "watch again", "board around the game"}
    names |= {"board page", "board of all time", "statistics"}
    summary = run_users(
        service.url, tmp_path, USERS, lambda x: names <= x.requests.keys()
    )
    assert summary.code == 0, summary.output
    assert not summary.failed
    assert names <= summary.requests.keys()


@pytest.mark.parametrize(
    "canned_server",
    [b'HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"row":["4S"]}'],
    indirect=True,
    ids=["a row"],
)
def test_wrong_responses_are_failures(
    canned_server: CannedServer, tmp_path: Path
) -> None:
    summary = run_users(
        f"http://127.0.0.1:{canned_server.port}",
        tmp_path,
        ("DailyPlayer", "TapPlayer", "RecordSender"),
        lambda x: x.requests.keys() >= {"daily deal", "create", "deal"},
    )
    assert summary.code == 1
    assert summary.requests.keys() == {"daily deal", "create", "deal"}
    assert summary.failures == summary.requests


def test_the_load_grows_in_steps(service: Service, tmp_path: Path) -> None:
    steps = tmp_path / "steps.json"
    summary = run_locust(
        service.url,
        tmp_path,
        *("--locustfile", "loadtests/locustfile.py,loadtests/step_shape.py"),
        *("--step-users", "3", "--step-seconds", "2", "--most-users", "6"),
        *("--steps-file", str(steps)),
    )
    assert summary.code == 0, summary.output
    result = json.loads(steps.read_text())
    assert [step["users"] for step in result["steps"]] == [3, 6]
    assert all(step["rate"] > 0 for step in result["steps"])
    assert result["summary"].endswith("0 responses were wrong or missing.")
