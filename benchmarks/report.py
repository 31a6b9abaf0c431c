"""The figures of a benchmark: as a table, as JSON and as a plot."""

from __future__ import annotations

from statistics import mean, median
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.load_generator import Result


class Sample(NamedTuple):
    """One measurement: the result of the load, and the CPU seconds of the server."""

    result: Result
    cpu_seconds: float

    @property
    def cpu_us(self) -> float:
        """The server's CPU time per request, in microseconds."""
        return self.cpu_seconds / self.result.requests * 1e6


class Comparison(NamedTuple):
    """A measurement, and those of the baseline before and after it."""

    sample: Sample
    baselines: tuple[Sample, Sample]

    @property
    def rate(self) -> float:
        """Requests per second, as a share of the baseline's."""
        return self.sample.result.rate / mean(x.result.rate for x in self.baselines)

    @property
    def cpu(self) -> float:
        """CPU time per request, as a share of the baseline's."""
        return self.sample.cpu_us / mean(x.cpu_us for x in self.baselines)


class Row(NamedTuple):
    """The figures of one kind of request in one configuration."""

    configuration: str
    workload: str
    title: str
    goal: float | None  # a share of the baseline's requests per second
    comparisons: list[Comparison]

    @property
    def rates(self) -> list[float]:
        """Requests per second as shares of the baseline's, in ascending order."""
        return sorted(comparison.rate for comparison in self.comparisons)

    def as_json(self) -> dict[str, Any]:
        """The row as JSON; each list has a figure per measurement."""
        samples = [comparison.sample for comparison in self.comparisons]
        baselines = [x for comparison in self.comparisons for x in comparison.baselines]
        return {
            "configuration": self.configuration,
            "workload": self.workload,
            "title": self.title,
            "goal": self.goal,
            "rate": [round(comparison.rate, 3) for comparison in self.comparisons],
            "cpu": [round(comparison.cpu, 3) for comparison in self.comparisons],
            "rps": [round(sample.result.rate, 1) for sample in samples],
            "cpu_us": [round(sample.cpu_us, 1) for sample in samples],
            "p50_ms": [sample.result.p50_ms for sample in samples],
            "p99_ms": [sample.result.p99_ms for sample in samples],
            "baseline_rps": [round(sample.result.rate, 1) for sample in baselines],
            "baseline_cpu_us": [round(sample.cpu_us, 1) for sample in baselines],
        }


HEADER = """\
| request | goal | requests/s ÷ baseline | CPU ÷ baseline | requests/s | CPU µs | p99 |
|---|--:|--:|--:|--:|--:|--:|"""


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table: medians, and the least and most of the shares."""
    return "\n".join([HEADER, *map(_table_line, rows)])


def _table_line(row: Row) -> str:
    samples = [comparison.sample for comparison in row.comparisons]
    cells = [
        row.title,
        "" if row.goal is None else f"{row.goal:.2f}",
        f"{median(row.rates):.2f} ({row.rates[0]:.2f} to {row.rates[-1]:.2f})",
        f"{median(comparison.cpu for comparison in row.comparisons):.2f}",
        f"{median(sample.result.rate for sample in samples):.0f}",
        f"{median(sample.cpu_us for sample in samples):.0f}",
        f"{median(sample.result.p99_ms for sample in samples):.1f}",
    ]
    return f"| {' | '.join(cells)} |"


def plot(rows: Sequence[Row], file: Path) -> None:
    """Draw the shares in requests per second, with their extremes, as SVG."""
    # Imported here: nothing else needs matplotlib.
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(8, 0.3 * len(rows) + 1.2), layout="constrained")
    axes = figure.subplots()
    places = range(len(rows))
    medians = [median(row.rates) for row in rows]
    below = [median(row.rates) - row.rates[0] for row in rows]
    above = [row.rates[-1] - median(row.rates) for row in rows]
    axes.barh(places, medians, xerr=[below, above], color="#3b7a57", capsize=2)
    goals = [(row.goal, place) for place, row in zip(places, rows, strict=True)]
    known = [(goal, place) for goal, place in goals if goal is not None]
    if known:
        axes.plot(*zip(*known, strict=True), "d", color="#c33", label="goal")
    axes.axvline(1.0, color="#555", ls="--", lw=1, label="baseline")
    figure.legend(loc="outside upper right", ncols=2, frameon=False)
    axes.set_yticks(places, [row.title for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("requests/s ÷ baseline (bar: median; line: least to most)")
    figure.savefig(file, metadata={"Date": None})
