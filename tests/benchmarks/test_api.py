"""The benchmark: on a real service, and with measurements that fail."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psutil
import pytest
from click.testing import CliRunner, Result

from benchmarks.api import (
    PAGE,
    Benchmark,
    BenchmarkError,
    MeasurementError,
    main,
    repeat,
    select,
    update_page,
)
from benchmarks.load_generator import Result as LoadResult
from benchmarks.report import Comparison, Row, Sample
from benchmarks.servers import Server
from benchmarks.workloads import GOALS, WORKLOADS, Configuration
from loadtests.http_client import Address
from tests.servers import CannedServer, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SAMPLE = Sample(LoadResult(10, 1.0, 0, 0, exhausted=False, p50_ms=1, p99_ms=1), 1.0)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
ERROR = b"HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\n{}"
PLAIN = Configuration("plain", "", {}, {})

FAILING_SERVICE = f"""\
#!{sys.executable}
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(500)
        self.send_header("Content-Length", "0")
        self.end_headers()

server = HTTPServer(("127.0.0.1", 0), Handler)
print(f"ready: http://127.0.0.1:{{server.server_address[1]}}", flush=True)
server.serve_forever()
"""


def measure(folder: Path, *options: str) -> Result:
    arguments = ["--rounds", "1", "--seconds", "0.3", "--without-wrk"]
    return CliRunner().invoke(main, [*arguments, "--output", str(folder), *options])


def test_requests_are_measured_in_their_configurations(tmp_path: Path) -> None:
    names = ("key-limit:move-idempotent", "browser:get")
    result = measure(tmp_path, *(word for name in names for word in ("--only", name)))
    assert result.exit_code == 0, result.output
    figures = json.loads((tmp_path / "benchmarks.json").read_text())
    assert figures["environment"]["error"] is None
    assert figures["environment"]["generator"] == "threads"
    rows = figures["rows"]
    assert [(row["configuration"], row["workload"]) for row in rows] == [
        ("key-limit", "move-idempotent"),
        ("browser", "get"),
    ]
    assert all(row["rate"][0] > 0 and row["cpu"][0] > 0 for row in rows)
    assert (tmp_path / "benchmarks.svg").exists()
    assert "| move, Idempotency-Key, API key and limit |  |" in result.stdout


def test_another_checkout_is_measured_and_an_error_ends_it(tmp_path: Path) -> None:
    program = tmp_path / ".venv/bin/accordion"
    program.parent.mkdir(parents=True)
    program.write_text(FAILING_SERVICE)
    program.chmod(0o755)
    page = PAGE.read_bytes()
    options = ("--checkout", str(tmp_path), "--only", "daily", "--docs")
    result = measure(tmp_path / "reports", *options)
    assert result.exit_code == 1
    assert result.output.startswith("Error: deal of the day: ")
    assert "status=500" in result.output
    assert not (tmp_path / "reports").exists()
    assert PAGE.read_bytes() == page


def test_a_checkout_must_have_an_environment(tmp_path: Path) -> None:
    result = measure(tmp_path, "--checkout", str(tmp_path))
    assert result.exit_code == 2
    assert "has no .venv/bin/accordion" in result.output


@contextmanager
def started(server: CannedServer) -> Iterator[Server]:
    with running(server):
        yield Server(Address("127.0.0.1", server.port), psutil.Process())


class BreakingServer(CannedServer):
    """Answers every request for the daily deal except the first with 500."""

    def respond(self, path: str) -> bytes:
        response = super().respond(path)
        broken = path.endswith("/daily") and self.paths.count(path) > 1
        return ERROR if broken else response


def test_figures_before_an_error_are_kept() -> None:
    with started(CannedServer(OK)) as baseline, started(BreakingServer(OK)) as service:
        bench = Benchmark(baseline, 2, 0.05, wrk=False)
        with pytest.raises(BenchmarkError, match="deal of the day failed 3 times: "):
            bench.measure(PLAIN, service, ["deal", "daily"])
    assert [(row.workload, len(row.comparisons)) for row in bench.rows] == [("deal", 1)]


def test_a_failing_baseline_is_named() -> None:
    with started(CannedServer(ERROR)) as baseline, started(CannedServer(OK)) as service:
        bench = Benchmark(baseline, 1, 0.05, wrk=False)
        with pytest.raises(BenchmarkError, match="the baseline failed 3 times: "):
            bench.measure(PLAIN, service, ["deal"])


@pytest.mark.parametrize("error", [MeasurementError("no"), OSError("gone")])
def test_a_failed_measurement_is_repeated(error: Exception) -> None:
    attempts = []

    def attempt(number: int) -> Sample:
        attempts.append(number)
        if number < 3:
            raise error
        return SAMPLE

    assert repeat("a request", attempt) == SAMPLE
    assert attempts == [1, 2, 3]


def test_names_select_requests_configurations_or_both() -> None:
    assert select(()) == {name: list(rows) for name, rows in GOALS.items()}
    assert select(("daily", "key")) == {"plain": ["daily"], "key": list(GOALS["key"])}
    assert select(("key:get", "plain:get")) == {"plain": ["get"], "key": ["get"]}
    assert set(select(("get",))) == set(GOALS)


def test_the_page_is_updated(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("above\n<!-- figures -->\nold\n<!-- /figures -->\nbelow\n")
    comparison = Comparison(SAMPLE, (SAMPLE, SAMPLE))
    update_page(page, [Row("plain", "get", "get a game", None, [comparison])])
    text = page.read_text()
    assert text.startswith("above\n<!-- figures -->\n| request |")
    figures = "| get a game |  | 1.00 (1.00 to 1.00) | 1.00 | 10 | 100000 | 1.0 |"
    assert text.endswith(f"\n{figures}\n<!-- /figures -->\nbelow\n")
    assert "old" not in text


def test_the_page_has_one_place_for_the_figures() -> None:
    text = PAGE.read_text()
    assert text.count("<!-- figures -->") == text.count("<!-- /figures -->") == 1
    assert set(WORKLOADS) == set(GOALS["plain"])
