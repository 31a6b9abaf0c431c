"""Measure the CPU time of choosing the deals of a day, for each variant.

Only the first request for the deal of a day chooses it; later requests read it::

    python tools/daily_cost.py --days 400
"""

from __future__ import annotations

import argparse
from datetime import date, timedelta
from statistics import mean, median
from time import process_time
from typing import TYPE_CHECKING

from service.engine.variants import VARIANTS
from service.games.daily import first_won
from service.solver import warm

if TYPE_CHECKING:
    from service.engine.ruleset import Ruleset

_LAST = date(2026, 12, 1)


def main() -> None:
    """Choose the deals of many days and print the milliseconds per day."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=100)
    days = parser.parse_args().days
    warm()
    total = 0.0
    for ruleset in VARIANTS.values():
        times = [_time(ruleset, _LAST - timedelta(days=back)) for back in range(days)]
        total += mean(times)
        figures = f"mean {mean(times):.1f}  median {median(times):.1f}"
        print(f"{ruleset.key:25}{figures}  most {max(times):.1f}")
    print(f"{'all variants':25}mean {total:.1f}")


def _time(ruleset: Ruleset, day: date) -> float:
    began = process_time()
    first_won(b"secret", ruleset, day)
    return (process_time() - began) * 1000


if __name__ == "__main__":
    main()
