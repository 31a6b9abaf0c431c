"""``accordion winnability``: solve many deals; print the share won and the CPU time."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import mean, median
from time import perf_counter, thread_time_ns
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from service.cli.deal import source_option, variant_option
from service.engine.deals import deal
from service.engine.errors import SeedError
from service.engine.position import Move, Position, lay_out
from service.engine.ruleset import Layout, Ruleset
from service.http.schemas.input import explain
from service.solver import DEFAULT_NODES, Nodes, Verdict, hint, solve, warm

if TYPE_CHECKING:
    from collections.abc import Sequence


_CHUNK: Final = 50
_NORMAL_95: Final = 1.959964
_SOLVITAIRE_SECONDS: Final = 9.8
"""CPU seconds per deal of open Accordion: Blake and Gent, JAIR 85:21."""
_OUTCOMES: Final = {
    Verdict.WINNABLE: "won",
    Verdict.UNWINNABLE: "lost",
    Verdict.UNKNOWN: "unknown",
}
_PLAYS: Final = ("open", "compulsory", "hidden")


class Task(NamedTuple):
    """What to do with each deal.

    Attributes:
        ruleset: The variant.
        source: The key of the source of deals.
        play: ``open``: the open layout; ``compulsory``: moves are compulsory, and the
            solver knows the order of the stock; ``hidden``: moves are compulsory, and
            the game is played by hints that do not know the order.
        nodes: The budget per deal (``hidden``: per hint), in rows examined.
    """

    ruleset: Ruleset
    source: str
    play: str
    nodes: int


class Outcome(NamedTuple):
    """The result of a deal.

    Attributes:
        outcome: ``won``, ``lost`` or ``unknown``.
        milliseconds: The CPU time, including the check of the winning line.
        nodes: The number of rows examined.
        piles: The number of piles left if the game was played by hints, else 0.
    """

    outcome: str
    milliseconds: float
    nodes: int
    piles: int


@dataclass(frozen=True)
class Report:
    """The figures of many deals.

    ``percent`` is the share of deals won and ``low`` to ``high`` its 95% interval, all
    in percent. Fields in ``_ms`` are CPU milliseconds per deal.
    """

    variant: str
    source: str
    play: str
    first: int
    deals: int
    won: int
    lost: int
    unknown: int
    percent: float
    low: float
    high: float
    mean_ms: float
    median_ms: float
    p99_ms: float
    worst_ms: float
    cpu_seconds: float
    wall_seconds: float
    mean_nodes: float
    mean_piles: float


@click.command("winnability")
@variant_option
@source_option
@click.option(
    "--deals", default=1000, type=click.IntRange(1), help="The number of deals."
)
@click.option("--from", "first", default=1, help="The first seed.")
@click.option(
    "--play",
    type=click.Choice(_PLAYS),
    default="open",
    help="All cards open; or compulsory moves and a stock whose order the solver "
    "knows; or the same with the order hidden, played by hints.",
)
@click.option(
    "--nodes",
    type=click.IntRange(1),
    default=DEFAULT_NODES,
    show_default=True,
    help="The budget per deal (hidden: per hint), in rows examined.",
)
@click.option(
    "--jobs", default=1, type=click.IntRange(1), help="The number of processes."
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.png",
    help="Plot the time per deal.",
)
def command(  # noqa: PLR0913, PLR0917 - an argument for each option
    ruleset: Ruleset,
    deals: int,
    first: int,
    source: str,
    play: str,
    nodes: int,
    jobs: int,
    plot: Path | None,
    *,
    as_json: bool,
) -> None:
    """Solve deals, and print how many can be won.

    Every winning line is checked against the rules. "lost" is proved, except with
    --play hidden, where it means that the hints did not win. "unknown" means that the
    budget was too small; the interval counts these deals as not won.

    \b
    Examples:
      accordion winnability --deals 10000 --jobs 2
      accordion winnability --variant late-binding --json
      accordion winnability --play compulsory --deals 2000
    """
    task = Task(ruleset, source, play, nodes)
    try:
        deal(ruleset, str(first), source)
    except SeedError as error:
        raise click.BadParameter(
            explain(error, "--from"), param_hint="--from"
        ) from None
    if plot is not None:
        _require_plots()
    started = perf_counter()
    outcomes = _run(task, first, deals, jobs)
    report = _report(task, first, outcomes, perf_counter() - started)
    if plot is not None:
        _draw(report, outcomes, plot)
    click.echo(json.dumps(asdict(report)) if as_json else _table(report))


def _run(task: Task, first: int, deals: int, jobs: int) -> list[Outcome]:
    """Solve the deals in ``jobs`` processes, with a progress bar."""
    # Compile here, so that the processes only load the kernels.
    warm()
    seeds = range(first, first + deals)
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=warm) as pool:
        found = pool.map(partial(_solve, task), seeds, chunksize=_CHUNK)
        with click.progressbar(
            found, length=deals, label="Deals", file=sys.stderr, update_min_steps=_CHUNK
        ) as bar:
            return list(bar)


def _solve(task: Task, seed: int) -> Outcome:
    dealt = deal(task.ruleset, str(seed), task.source)
    layout = Layout.OPEN if task.play == "open" else Layout.STOCK
    position = lay_out(task.ruleset, dealt.cards, layout, dealt.goal)
    started = thread_time_ns()
    if task.play == "hidden":
        outcome, nodes, piles = _play_out(position, task.nodes)
    else:
        found = solve(position, Nodes(task.nodes), compulsory=task.play != "open")
        outcome, nodes, piles = _OUTCOMES[found.verdict], found.nodes, 0
    return Outcome(outcome, (thread_time_ns() - started) / 1e6, nodes, piles)


def _play_out(position: Position, nodes: int) -> tuple[str, int, int]:
    """Play by hints to the end; return the outcome, rows examined and piles left."""
    spent = 0
    while True:
        hinted = hint(position, Nodes(nodes), compulsory=True)
        spent += hinted.nodes
        if hinted.action is None:
            won = "won" if position.is_won else "lost"
            return won, spent, len(position.row)
        if isinstance(hinted.action, Move):
            position = position.apply(hinted.action)
        else:
            position = position.deal()


def _report(
    task: Task, first: int, outcomes: Sequence[Outcome], wall_seconds: float
) -> Report:
    counts = Counter(one.outcome for one in outcomes)
    times = sorted(one.milliseconds for one in outcomes)
    low, high = wilson_interval(counts["won"], len(outcomes))
    return Report(
        variant=task.ruleset.key,
        source=task.source,
        play=task.play,
        first=first,
        deals=len(outcomes),
        won=counts["won"],
        lost=counts["lost"],
        unknown=counts["unknown"],
        percent=100 * counts["won"] / len(outcomes),
        low=100 * low,
        high=100 * high,
        mean_ms=mean(times),
        median_ms=median(times),
        p99_ms=times[math.ceil(0.99 * len(times)) - 1],
        worst_ms=times[-1],
        cpu_seconds=sum(times) / 1000,
        wall_seconds=wall_seconds,
        mean_nodes=mean(one.nodes for one in outcomes),
        mean_piles=mean(one.piles for one in outcomes),
    )


def wilson_interval(won: int, deals: int) -> tuple[float, float]:
    """Return Wilson's 95% score interval of the share won, as numbers from 0 to 1."""
    share, z = won / deals, _NORMAL_95
    centre = share + z * z / (2 * deals)
    spread = z * math.sqrt(share * (1 - share) / deals + (z / (2 * deals)) ** 2)
    scale = 1 + z * z / deals
    return max((centre - spread) / scale, 0.0), min((centre + spread) / scale, 1.0)


def _table(report: Report) -> str:
    last = report.first + report.deals - 1
    share = f"{report.percent:.3f}% (95%: {report.low:.3f} to {report.high:.3f}%)"
    times = (
        f"mean {report.mean_ms:.3f}, median {report.median_ms:.3f},"
        f" p99 {report.p99_ms:.3f}, worst {report.worst_ms:.1f}"
    )
    whole = f"CPU {report.cpu_seconds:.1f} s, wall {report.wall_seconds:.1f} s"
    lines = [
        f"{report.variant} ({report.play}), {report.source} {report.first} to {last}",
        f"  won      {report.won:>8}  {share}",
        f"  lost     {report.lost:>8}",
        f"  unknown  {report.unknown:>8}",
        f"  CPU ms per deal: {times}",
        f"  rows examined per deal: {report.mean_nodes:.0f}; {whole}",
    ]
    if report.play == "hidden":
        lines.append(f"  piles left: mean {report.mean_piles:.2f}")
    return "\n".join(lines)


def _require_plots() -> None:
    try:
        import matplotlib as mpl  # noqa: PLC0415 - an optional extra
    except ImportError:
        message = "--plot needs matplotlib: pip install 'accordion-service[plots]'"
        raise click.ClickException(message) from None
    mpl.use("Agg")


def _draw(report: Report, outcomes: Sequence[Outcome], file: Path) -> None:
    """Plot the share of deals solved within a CPU time."""
    from matplotlib import pyplot as plt  # noqa: PLC0415 - an optional extra

    times = sorted(one.milliseconds for one in outcomes)
    shares = [100 * (rank + 1) / len(times) for rank in range(len(times))]
    figure, axes = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
    axes.step(times, shares, where="post", label=f"{report.variant}, here")
    axes.axvline(
        report.mean_ms, linestyle=":", label=f"mean, here: {report.mean_ms:.2g} ms"
    )
    if report.variant == "accordion" and report.play == "open":
        axes.axvline(
            1000 * _SOLVITAIRE_SECONDS,
            color="tab:red",
            linestyle=":",
            label=f"mean, Solvitaire, as published: {_SOLVITAIRE_SECONDS} s",
        )
    axes.set_xscale("log")
    axes.set_xlabel("CPU milliseconds per deal")
    axes.set_ylabel("deals solved, %")
    axes.set_title(f"{report.deals} deals of {report.variant} ({report.play})")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(file, dpi=120)
    plt.close(figure)
