"""The benchmark where measurements go wrong, with measurements that are made up."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import pytest
from click.testing import CliRunner, Result

from loadtests import bench
from loadtests.endpoints import Endpoint
from loadtests.generator import Load, Outcome
from loadtests.site import UnexpectedAnswerError
from loadtests.wire import Address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from loadtests.servers import Server
    from loadtests.site import Site

FLOOR = Address("127.0.0.1", 1)
SERVICE = Address("127.0.0.1", 2)
GOOD = Outcome(2000, 2.0, 0, 0, exhausted=False, p50=1.0, p90=2.0, p99=3.0)
REFUSED = GOOD._replace(refused=3)
BROKEN = GOOD._replace(broken=1)
EXHAUSTED = GOOD._replace(exhausted=True)


class Idle:
    """A server of which only the processor time is asked."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.spent = 0.0

    def cpu_seconds(self) -> float:
        self.spent += 1
        return self.spent


class Script:
    """What the measurements come to, of the floor and of the service; then good."""

    def __init__(self) -> None:
        self.outcomes: dict[Address, list[Outcome | Exception]] = {
            FLOOR: [],
            SERVICE: [],
        }
        self.enough: list[int] = []
        self.pages: list[object] = []

    def run(self, address: Address, *_: object, **__: object) -> Outcome:
        left = self.outcomes[address]
        outcome = left.pop(0) if left else GOOD
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def prepare(self, site: Site) -> Load:
        self.enough.append(site.enough)
        return Load([b""], cycle=False)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    script = Script()

    @contextmanager
    def idle(address: Address) -> Iterator[Server]:
        yield cast("Server", Idle(address))

    endpoints = (
        Endpoint("one", "the first", 200, script.prepare),
        Endpoint("two", "the second", 200, script.prepare, goal=0.5),
    )
    for name, value in {
        "ENDPOINTS": endpoints,
        "rehearse": lambda *_: None,
        "run": script.run,
        "serve": lambda *_: idle(SERVICE),
        "serve_floor": lambda *_: idle(FLOOR),
        "_put_greeting": lambda _: None,
        "_rewrite_page": script.pages.append,
    }.items():
        monkeypatch.setattr(bench, name, value)
    return script


def measure(folder: Path, *options: str) -> Result:
    arguments = ["--rounds", "2", "--bundled", "--output", str(folder), *options]
    return CliRunner().invoke(bench.main, arguments)


def figures(folder: Path) -> Any:  # noqa: ANN401 - JSON
    return json.loads((folder / "benchmarks.json").read_text())


def test_a_benchmark_without_trouble(script: Script, tmp_path: Path) -> None:
    shown = measure(tmp_path)
    assert shown.exit_code == 0, shown.output
    assert "| the second | 0.50 | 1.00 |" in shown.output
    assert figures(tmp_path)["environment"]["stopped"] is None
    assert [len(row["rps"]) for row in figures(tmp_path)["rows"]] == [2, 2]
    assert script.pages == []


@pytest.mark.parametrize("spoiled", [REFUSED, BROKEN, EXHAUSTED, OSError("gone")])
@pytest.mark.parametrize("address", [FLOOR, SERVICE])
def test_what_is_spoiled_twice_is_measured_a_third_time(
    script: Script, tmp_path: Path, address: Address, spoiled: Outcome | Exception
) -> None:
    script.outcomes[address] = [GOOD, spoiled, spoiled]
    shown = measure(tmp_path)
    assert shown.exit_code == 0, shown.output
    assert [len(row["rps"]) for row in figures(tmp_path)["rows"]] == [2, 2]


def test_what_stays_spoiled_ends_it_and_what_there_is_is_kept(
    script: Script, tmp_path: Path
) -> None:
    script.outcomes[SERVICE] = [GOOD, REFUSED, REFUSED, BROKEN]
    shown = measure(tmp_path)
    assert shown.exit_code == 1
    sentence = (
        "the second (gunicorn) was spoiled 3 times: of 2000 requests that were "
        "answered 0 were refused, and 1 had no answer."
    )
    assert shown.output.splitlines()[-1] == f"Error: {sentence}"
    assert "| the first |" in shown.output
    assert figures(tmp_path)["environment"]["stopped"] == sentence
    assert [row["endpoint"] for row in figures(tmp_path)["rows"]] == ["one"]
    assert (tmp_path / "benchmarks.svg").exists()


def test_a_floor_that_stays_spoiled_is_named(script: Script, tmp_path: Path) -> None:
    script.outcomes[FLOOR] = [REFUSED] * 3
    shown = measure(tmp_path)
    assert shown.exit_code == 1
    assert "Error: the floor was spoiled 3 times" in shown.output
    assert not (tmp_path / "benchmarks.json").exists()


def test_a_page_shows_whole_benchmarks_only(script: Script, tmp_path: Path) -> None:
    script.outcomes[SERVICE] = [GOOD, GOOD, GOOD, *[REFUSED] * 3]
    shown = measure(tmp_path, "--docs")
    assert shown.exit_code == 1
    assert script.pages == []
    assert [len(row["rps"]) for row in figures(tmp_path)["rows"]] == [2, 1]


def test_a_rehearsal_that_fails_names_the_endpoint(
    script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rehearse(endpoint: Endpoint, _: Site) -> None:
        if endpoint.key == "two":
            raise UnexpectedAnswerError("two: status 500")

    monkeypatch.setattr(bench, "rehearse", rehearse)
    shown = measure(tmp_path)
    assert shown.exit_code == 1
    assert shown.output.splitlines() == ["Error: the second: two: status 500."]
    assert script.enough == []


def test_there_are_requests_enough_for_the_fastest_floor_so_far(
    script: Script, tmp_path: Path
) -> None:
    slow, fast = GOOD._replace(requests=200), GOOD._replace(requests=4000)
    script.outcomes[FLOOR] = [slow, fast, slow, GOOD]
    script.outcomes[SERVICE] = [GOOD, GOOD, GOOD, EXHAUSTED]
    assert measure(tmp_path).exit_code == 0
    assert script.enough == [400, 8000, 8000, 8000, 16000]
