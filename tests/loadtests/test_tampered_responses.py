"""A service that is right but for one thing: the load test finds the one thing."""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from tests.loadtests.liar import Told, lying
from tests.loadtests.locusts import Summary, patiently, run_users
from tests.servers import Service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Lie = Callable[[Told], Told]
    Find = Callable[[Lie, set[str]], Summary]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with (
        TemporaryDirectory(prefix="acc") as folder,
        Service({"data_dir": folder, "workers": 2}) as service,
    ):
        yield service


@pytest.fixture
def find(service: Service, tmp_path: Path) -> Find:
    """Runs users against a lie until requests of these names have failed."""

    def find(lie: Lie, names: set[str]) -> Summary:
        with lying(service.port, lie) as liar:
            run = run_users(liar.url, tmp_path, 8, "Tapper", "Portal", "Spectator")
            summary = patiently(run, lambda summary: names <= failed(summary))
        assert summary.code == 1
        return summary

    return find


def failed(summary: Summary) -> set[str]:
    return {name for name, count in summary.failures.items() if count}


def is_watched(told: Told) -> bool:
    return told.path.startswith("/v1/watch/")


def test_a_wrong_first_look_and_wrong_judgements_are_found(find: Find) -> None:
    def lie(told: Told) -> Told:
        if is_watched(told):
            row = told.json["row"]
            return told.but(row=row[:1] * len(row))
        if told.path != "/v1/replays":
            return told
        wrong = {"score": 1} if told.json["valid"] else {"index": 0, "reason": ""}
        return told.but(**wrong)

    summary = find(lie, {"watch", "replay"})
    assert failed(summary) == {"watch", "replay"}
    assert "watch on" not in summary.requests
    for name in failed(summary):
        assert summary.failures[name] == summary.requests[name]


def test_a_304_that_hides_a_move_is_found(find: Find) -> None:
    seen: dict[str, str] = {}

    def lie(told: Told) -> Told:
        if not is_watched(told):
            return told
        if not told.conditional:
            seen[told.path] = told.fields["ETag"]
            return told
        fields = {"ETag": seen[told.path]}
        return told._replace(status=304, fields=fields, body=b"")

    assert failed(find(lie, {"watch on"})) == {"watch on"}


def test_a_304_that_nobody_asked_for_is_found(find: Find) -> None:
    seen = set()

    def lie(told: Told) -> Told:
        if not is_watched(told) or told.conditional:
            return told
        if told.path in seen:
            return told._replace(status=304, body=b"")
        seen.add(told.path)
        return told

    found = failed(find(lie, {"watch anew"}))
    assert "watch anew" in found
    assert found <= {"watch", "watch anew"}  # two may watch the same game


def test_an_old_look_is_found(find: Find) -> None:
    first: dict[str, Told] = {}

    def lie(told: Told) -> Told:
        if not is_watched(told) or told.conditional:
            return told
        return first.setdefault(told.path, told)

    found = failed(find(lie, {"watch anew"}))
    assert "watch anew" in found
    assert found <= {"watch", "watch anew"}
