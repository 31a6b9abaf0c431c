"""The state of a descent, and the weights of its values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from service.solver.kernels.rules import Cards, Floats, Ints

_LONGEST: Final = 52
RANKS: Final = 13
SUITS: Final = 4


# The rows of `counts`, and those of `sums`.
RIGHT: Final = 0
LEFT: Final = 1
TERM: Final = 0
ON_LEFT: Final = 1
ON_RIGHT: Final = 2
NO_RIGHT: Final = 3
NO_LEFT: Final = 4
PULL: Final = 5
MASS: Final = 6


class Weights(NamedTuple):
    """The weights of the value.

    Attributes:
        reach: How much a coverer to the left counts.
        open_weight: How much a card counts that can be covered at once.
        noise: The width of the noise added to a value, from the second
            descent on.
        stop: The cards at which a descent stops, at most 15.
        limit: The rows looked at in the end of a descent, at first.
        goal_weight: How much the term of a goal card counts.
    """

    reach: float
    open_weight: float
    noise: float
    stop: float
    limit: float
    goal_weight: float


class Slope(NamedTuple):
    """The state of a descent.

    Attributes:
        row: uint8[52], the cards.
        counts: int64[2, 52]; for each place the coverers on its right, and on
            its left.
        sums: float64[7, 52]; for each place its term of the sum, what the sum
            gains on cards to its left and on cards to its right when its card
            goes, what its term gains when a coverer on its right or on its
            left goes, and how much a coverer to the left and the term count.
        tally: float64[17], scratch, by rank and by suit.
        open: int64[k]; for each offset, the places that a move of that offset
            covers, as bits.
        origins: int64[52], the moves made, first to last.
        targets: int64[52], the same.
        random: int64[1], the state of the random numbers, not 0.
    """

    row: Cards
    counts: Ints
    sums: Floats
    tally: Floats
    open: Ints
    origins: Ints
    targets: Ints
    random: Ints


def slope(offsets: int, seed: int) -> Slope:
    """Allocate the state of descents."""
    return Slope(
        row=np.zeros(_LONGEST, np.uint8),
        counts=np.zeros((2, _LONGEST), np.int64),
        sums=np.zeros((7, _LONGEST), np.float64),
        tally=np.zeros(RANKS + SUITS, np.float64),
        open=np.zeros(offsets, np.int64),
        origins=np.zeros(_LONGEST, np.int64),
        targets=np.zeros(_LONGEST, np.int64),
        random=np.array([88172645463325252 + 7919 * (seed % 2**32)], np.int64),
    )
