"""Tune the weights of the solver's heuristic search for a variant.

    python -m tools.tune_weights accordion --rounds 60 --deals 2000

A random search: the best weights so far are changed a little, and the change is kept if
the mean work per deal falls. Work is the number of rows examined, which does not depend
on the machine; a deal that is not won counts as the whole budget. The last line is
measured on deals that the search has not used.
"""

from __future__ import annotations

import argparse
import random
from typing import TYPE_CHECKING

from service.engine.deals import deal
from service.engine.variants import find_variant
from service.solver.kernels.outcomes import WON
from service.solver.kernels.rules import rules_of
from service.solver.restarts import HeuristicSearch
from service.solver.weights import DEFAULT, TUNED

if TYPE_CHECKING:
    from service.engine.deals import Dealt
    from service.engine.ruleset import Ruleset
    from service.solver.kernels.heuristic_state import Weights

_FIRST_UNSEEN = 900_000
_BOUNDS = {
    "right": (0.01, 0.9),
    "reach": (0.0, 2000.0),
    "open_weight": (0.0, 2.0),
    "noise": (0.01, 5.0),
    "stop": (8.0, 15.0),
    "limit": (50.0, 4000.0),
    "goal_weight": (0.0, 20.0),
}
_SPREAD = 0.35


def work(
    ruleset: Ruleset, deals: list[Dealt], weights: Weights, budget: int
) -> tuple[float, int]:
    """Return the mean number of rows examined per deal, and the deals not won."""
    spent, missed = 0, 0
    for dealt in deals:
        rules = rules_of(ruleset, dealt.goal)
        outcome, nodes = HeuristicSearch(rules, weights, dealt.cards, seed=0).advance(
            budget
        )
        spent += nodes if outcome == WON else budget
        missed += outcome != WON
    return spent / len(deals), missed


def change(weights: Weights, rng: random.Random) -> Weights:
    """Change one or two of the weights."""
    names = rng.sample(sorted(_BOUNDS), rng.randint(1, 2))
    changed = {
        name: getattr(weights, name) * rng.lognormvariate(0, _SPREAD) for name in names
    }
    bounded = {
        name: min(max(value, _BOUNDS[name][0]), _BOUNDS[name][1])
        for name, value in changed.items()
    }
    if "stop" in bounded:
        bounded["stop"] = float(round(bounded["stop"]))
    return weights._replace(**bounded)


def main() -> None:
    """Run the search."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--budget", type=int, default=300_000, help="rows per deal")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    ruleset = find_variant(options.variant)
    rng = random.Random(options.seed)
    first = _FIRST_UNSEEN - options.deals * 2
    deals = [deal(ruleset, str(first + n)) for n in range(options.deals)]
    unseen = [deal(ruleset, str(_FIRST_UNSEEN + n)) for n in range(options.deals)]
    best = TUNED.get(ruleset.key, DEFAULT)
    least, missed = work(ruleset, deals, best, options.budget)
    print(f"{least:.0f} rows per deal, {missed} not won, {best}", flush=True)
    for _ in range(options.rounds):
        trial = change(best, rng)
        mean, missed = work(ruleset, deals, trial, options.budget)
        if mean < least:
            best, least = trial, mean
            print(f"{least:.0f} rows per deal, {missed} not won, {best}", flush=True)
    mean, missed = work(ruleset, unseen, best, options.budget)
    print(f"unseen deals: {mean:.0f} rows per deal, {missed} not won, {best}")


if __name__ == "__main__":
    main()
