"""Compare the solver with a plain search (`simple_solver.py`) on the same deals.

    python -m tools.compare_solvers --deals 2000

Prints the CPU time per deal of each, and the ratio of the means. The solver's time is
given with and without checking the line it found, which the plain search does not do.
"""

from __future__ import annotations

import argparse
from time import thread_time_ns
from typing import TYPE_CHECKING

import numpy as np

from service.engine.deals import deal
from service.engine.position import lay_out
from service.engine.ruleset import Layout
from service.engine.variants import find_variant
from service.solver import Verdict, solve, warm
from service.solver.kernels.outcomes import WON
from service.solver.kernels.rules import rules_of
from service.solver.restarts import HeuristicSearch
from service.solver.weights import TUNED
from tools.simple_solver import SimpleSolver

if TYPE_CHECKING:
    from collections.abc import Callable

_TRIES = 100_000
_NODES = 10**9


def timed(work: Callable[[], bool]) -> tuple[bool, float]:
    """Run a search; return its result and its CPU milliseconds."""
    started = thread_time_ns()
    answer = work()
    return answer, (thread_time_ns() - started) / 1e6


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--from", dest="first", type=int, default=1)
    options = parser.parse_args()
    ruleset = find_variant("accordion")
    rules, weights = rules_of(ruleset, None), TUNED["accordion"]
    simple = SimpleSolver()
    warm()
    simple.win(deal(ruleset, "warm").cards, 1, 10)
    won = np.zeros(3, np.int64)
    times = np.zeros((options.deals, 3))
    for index in range(options.deals):
        cards = deal(ruleset, str(options.first + index)).cards
        position = lay_out(ruleset, cards, Layout.OPEN)
        searches = (
            lambda: simple.win(cards, 1, _TRIES),  # noqa: B023 - called at once
            lambda: HeuristicSearch(rules, weights, cards, 0).advance(_NODES)[0] == WON,  # noqa: B023
            lambda: solve(position).verdict is Verdict.WINNABLE,  # noqa: B023
        )
        for column, search in enumerate(searches):
            answer, times[index, column] = timed(search)
            won[column] += answer
    for column, name in enumerate(("simple solver", "search alone", "with the check")):
        own = times[:, column]
        print(
            f"{name:<20} won {won[column]} of {options.deals}, ms a deal:"
            f" mean {own.mean():.3f}, median {np.median(own):.3f},"
            f" p99 {np.percentile(own, 99):.2f}, worst {own.max():.1f};"
            f" ratio {times[:, 0].mean() / own.mean():.1f}"
        )


if __name__ == "__main__":
    main()
