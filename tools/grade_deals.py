"""Measure the difficulty of deals, and show how it is distributed.

python -m tools.grade_deals --deals 10000 --from 1 --out first.jsonl
python -m tools.grade_deals --deals 10000 --from 10001 --out second.jsonl
python -m tools.grade_deals --show first.jsonl second.jsonl --plot FILE.png
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import mean
from typing import Any

from service.engine.deals import deal
from service.engine.position import lay_out
from service.engine.ruleset import Layout
from service.engine.variants import VARIANTS
from service.solver import Verdict, solve, warm
from service.solver.grading import GRADING, grade_of, grades_of, measure

COLOURS = ("tab:green", "tab:orange", "tab:red")


def measure_deals(variant: str, first: int, deals: int, out: Path) -> None:
    """Measure deals that can be won, and write a line of JSON for each."""
    ruleset = VARIANTS[variant]
    warm()
    with out.open("w") as file:
        for seed in range(first, first + deals):
            dealt = deal(ruleset, str(seed))
            position = lay_out(ruleset, dealt.cards, Layout.OPEN, dealt.goal)
            if solve(position).verdict is not Verdict.WINNABLE:
                continue
            found = measure(position)
            figures = [*found.won, *found.few, found.safe, found.narrow]
            file.write(json.dumps([seed, found.ease, *figures]) + "\n")


def read(file: Path) -> list[list[float]]:
    """Read what ``measure_deals`` wrote."""
    return [json.loads(line) for line in file.read_text().splitlines()]


def show(variant: str, file: Path) -> None:
    """Print for each grade its share of the deals, and the means of its figures."""
    rows = read(file)
    ruleset = VARIANTS[variant]
    print(f"{file.name}: {len(rows)} deals, mean ease {mean(r[1] for r in rows):.2f}")
    for grade in (*grades_of(ruleset), None):
        of_grade = [row for row in rows if grade_of(ruleset, row[1]) is grade]
        if of_grade:
            means = [mean(column) for column in zip(*of_grade, strict=True)][1:]
            share = 100 * len(of_grade) / len(rows)
            figures = " | ".join(f"{value:.3f}" for value in means[1:])
            print(f"| {grade} | {share:.1f} | {means[0]:.1f} | {figures} |")


def plot(variant: str, files: list[Path], image: Path) -> None:
    """Draw the distribution of the ease, and the grades."""
    import matplotlib as mpl  # noqa: PLC0415 - an optional extra

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415 - an optional extra

    figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
    bins: Any = [half / 2 for half in range(201)]
    eases: list[float] = []
    for file in files:
        rows = read(file)
        values = [row[1] for row in rows]
        eases += values
        label = f"{len(values)} deals from {int(rows[0][0])}"
        axes.hist(values, bins, density=True, histtype="step", label=label)
    for (grade, (low, high)), colour in zip(
        grades_of(VARIANTS[variant]).items(), COLOURS, strict=True
    ):
        axes.axvspan(low, min(high, bins[-1]), color=colour, alpha=0.15, label=grade)
    axes.set_xlim(min(eases) - 1, max(eases) + 1)
    axes.set_xlabel("ease")
    axes.set_ylabel("share of deals per unit of ease")
    axes.set_title(f"{variant}, {GRADING}")
    axes.legend()
    figure.savefig(image, dpi=120)


def main() -> None:
    """Measure, show or draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", choices=VARIANTS, default="accordion")
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--from", dest="first", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", type=Path, nargs="*", default=[])
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    if options.out:
        measure_deals(options.variant, options.first, options.deals, options.out)
    for file in options.show:
        show(options.variant, file)
    if options.plot:
        plot(options.variant, options.show, options.plot)


if __name__ == "__main__":
    main()
