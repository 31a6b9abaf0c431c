"""Play compulsory Accordion with two fixed strategies, as a comparison for hints.

    python -m tools.compulsory_strategies --deals 100000

A strategy examines the piles from the left and makes the first legal move: ``nearest``
tries the pile next to it before the third pile, ``third`` the other way round. It deals
a card when there is no legal move.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from service.engine.deals import deal
from service.engine.variants import find_variant

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STRATEGIES = {"nearest": (1, 3), "third": (3, 1)}


@njit(cache=True)
def play(deck: NDArray[np.uint8], offsets: NDArray[np.int64]) -> int:
    """Play a deal, uint8[52], to its end; return the number of piles left."""
    row = np.zeros(52, np.uint8)
    size = 0
    for card in deck:
        row[size] = card
        size += 1
        moving = True
        while moving:
            moving = False
            for origin in range(1, size):
                for offset in offsets:
                    target = origin - offset
                    if target >= 0 and (
                        row[origin] % 13 == row[target] % 13
                        or row[origin] // 13 == row[target] // 13
                    ):
                        row[target] = row[origin]
                        for place in range(origin, size - 1):
                            row[place] = row[place + 1]
                        size -= 1
                        moving = True
                        break
                if moving:
                    break
    return size


def main() -> None:
    """Play the deals with both strategies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=100_000)
    options = parser.parse_args()
    ruleset = find_variant("accordion")
    decks = [
        np.frombuffer(deal(ruleset, str(seed)).cards, np.uint8)
        for seed in range(1, options.deals + 1)
    ]
    for name, offsets in _STRATEGIES.items():
        left = np.array([play(deck, np.array(offsets)) for deck in decks])
        won = int((left == 1).sum())
        print(
            f"{name:<8} won {won} of {options.deals}"
            f" ({100 * won / options.deals:.3f}%), mean {left.mean():.2f} piles"
        )


if __name__ == "__main__":
    main()
