"""The figures of a benchmark and their forms: a table, JSON, a plot."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from loadtests.endpoints import Endpoint
    from loadtests.generator import Outcome


class Sample(NamedTuple):
    """One measurement.

    Attributes:
        outcome: what the load generator counted.
        cpu_seconds: processor time of the web server meanwhile.
    """

    outcome: Outcome
    cpu_seconds: float

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.outcome.rate

    @property
    def cpu_per_request(self) -> float:
        """Seconds of processor time for each request."""
        return self.cpu_seconds / self.outcome.requests


class Compared(NamedTuple):
    """A measurement between two of the floor."""

    sample: Sample
    floors: tuple[Sample, Sample]

    @property
    def rate(self) -> float:
        """Requests a second, the floor's being 1."""
        return self.sample.rate / _mean([floor.rate for floor in self.floors])

    @property
    def cpu(self) -> float:
        """Processor time for each request, the floor's being 1."""
        floor = _mean([floor.cpu_per_request for floor in self.floors])
        return self.sample.cpu_per_request / floor


class Spread(NamedTuple):
    """The extent of a figure over all rounds."""

    least: float
    median: float
    most: float


class Row(NamedTuple):
    """What is known of one endpoint on one server.

    Attributes:
        server: gunicorn or granian.
        endpoint: the endpoint.
        rounds: its measurements.
    """

    server: str
    endpoint: Endpoint
    rounds: Sequence[Compared]

    @property
    def name(self) -> str:
        """Server and endpoint in words; gunicorn is understood."""
        prefix = "" if self.server == "gunicorn" else f"{self.server}: "
        return prefix + self.endpoint.title

    @property
    def goal(self) -> float | None:
        """The share of the floor's requests a second to be reached on gunicorn."""
        return self.endpoint.goal if self.server == "gunicorn" else None

    @property
    def rate(self) -> Spread:
        """Requests a second, the floor's being 1."""
        return spread([compared.rate for compared in self.rounds])

    @property
    def cpu(self) -> Spread:
        """Processor time for each request, the floor's being 1."""
        return spread([compared.cpu for compared in self.rounds])

    def as_json(self) -> dict[str, Any]:
        """The row as JSON."""
        samples = [compared.sample for compared in self.rounds]
        return {
            "server": self.server,
            "endpoint": self.endpoint.key,
            "title": self.endpoint.title,
            "goal": self.goal,
            "rate": self.rate._asdict(),
            "cpu": self.cpu._asdict(),
            "rps": [round(sample.rate, 1) for sample in samples],
            "floor_rps": [
                [round(floor.rate, 1) for floor in compared.floors]
                for compared in self.rounds
            ],
            "cpu_us": [round(sample.cpu_per_request * 1e6, 1) for sample in samples],
            "p50_ms": [sample.outcome.p50 for sample in samples],
            "p99_ms": [sample.outcome.p99 for sample in samples],
        }


HEADER = (
    "| endpoint | goal | requests/s: least | median | most "
    "| CPU: least | median | most | requests/s | p99 ms |\n"
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table; all its figures but the last two are ratios."""
    return "\n".join([HEADER, *map(_table_line, rows)])


def plot(rows: Sequence[Row], target: Path) -> None:
    """Draw the ratios in requests a second, with their extent, to an SVG file."""
    # Only here: the other forms do without matplotlib.
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(8, 0.42 * len(rows) + 1.2), layout="constrained")
    axes = figure.subplots()
    places = range(len(rows))
    spreads = [row.rate for row in rows]
    medians = [each.median for each in spreads]
    errors = [
        [each.median - each.least for each in spreads],
        [each.most - each.median for each in spreads],
    ]
    axes.barh(places, medians, xerr=errors, color="#3b7a57", ecolor="#222", capsize=3)
    goals = [(row.goal, at) for at, row in enumerate(rows) if row.goal is not None]
    if goals:
        axes.plot(*zip(*goals, strict=True), "d", color="#c33", label="goal")
    axes.axvline(1.0, color="#555", ls="--", lw=1, label="the floor")
    figure.legend(loc="outside upper right", ncols=2, frameon=False)
    axes.set_yticks(places, [row.name for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("requests/s, the floor's being 1 (bar: median; whiskers: extremes)")
    figure.savefig(target, metadata={"Date": None})


def spread(figures: Sequence[float]) -> Spread:
    """The extent of some figures."""
    return Spread(min(figures), median(figures), max(figures))


def _table_line(row: Row) -> str:
    samples = [compared.sample for compared in row.rounds]
    ratios = [f"{figure:.2f}" for figure in (*row.rate, *row.cpu)]
    rps = f"{median(sample.rate for sample in samples):.0f}"
    p99 = f"{median(sample.outcome.p99 for sample in samples):.1f}"
    goal = "" if row.goal is None else f"{row.goal:.2f}"
    return "| " + " | ".join([row.name, goal, *ratios, rps, p99]) + " |"


def _mean(figures: Sequence[float]) -> float:
    return sum(figures) / len(figures)
