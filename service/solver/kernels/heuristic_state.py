"""The state of a heuristic search, and the weights of its values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from service.solver.kernels.rules import Cards, Floats, Ints

_LONGEST: Final = 52
RANK_COUNT: Final = 13
SUIT_COUNT: Final = 4


# The rows of `counts`, and of `powers` for all cards but a goal card.
RIGHT: Final = 0
LEFT: Final = 1
# What is added to these for the rows of `powers` for a goal card.
GOAL: Final = 2
# The rows of `sums`.
TERM: Final = 0
ON_LEFT: Final = 1
ON_RIGHT: Final = 2
NO_RIGHT: Final = 3
NO_LEFT: Final = 4


class Weights(NamedTuple):
    """The weights of the value; ``heuristic_search`` has the formula.

    Attributes:
        right: The factor of a term for each matching card on the right.
        reach: The weight of a matching card on the left.
        open_weight: The weight of a card that some move covers at once.
        noise: The width of the random noise added to a value, from the second
            pass on.
        stop: The number of cards at which a pass stops, at most
            ``LONGEST_ENDGAME``.
        limit: The rows that the exhaustive search after the first pass may
            examine.
        goal_weight: The weight of the term of a goal card.
    """

    right: float
    reach: float
    open_weight: float
    noise: float
    stop: float
    limit: float
    goal_weight: float


class HeuristicState(NamedTuple):
    """The state of a heuristic search.

    Attributes:
        row: uint8[52], the cards.
        counts: int64[2, 52]; for each place the number of cards on its right
            (``RIGHT``) and on its left (``LEFT``) that match its card.
        sums: float64[5, 52]; for each place
            ``TERM``: the term of its card in the sum;
            ``ON_LEFT``, ``ON_RIGHT``: the gain in the terms of the cards to its
            left and to its right when its card is covered;
            ``NO_RIGHT``, ``NO_LEFT``: the gain in its own term when a matching
            card on its right or on its left is covered.
        powers: float64[4, 16]; the factor of a term by the number of matching cards
            on the right (``RIGHT``) and on the left (``LEFT``), and the same for a
            goal card (``GOAL`` added).
        tally: float64[17], scratch, by rank and by suit.
        open: int64[2, k]; for each offset, the places that a move of that offset
            covers, as bits, and the places that a move of an offset one longer
            would cover.
        origins: int64[52], the moves made, first to last.
        targets: int64[52], the same.
        random: int64[1], the state of the random number generator, not 0.
    """

    row: Cards
    counts: Ints
    sums: Floats
    powers: Floats
    tally: Floats
    open: Ints
    origins: Ints
    targets: Ints
    random: Ints


def new_state(offsets: int, seed: int) -> HeuristicState:
    """Allocate a state.

    Args:
        offsets: The number of offsets of the variant.
        seed: Seeds the random numbers, at least 0.
    """
    return HeuristicState(
        row=np.zeros(_LONGEST, np.uint8),
        counts=np.zeros((2, _LONGEST), np.int64),
        sums=np.zeros((5, _LONGEST), np.float64),
        powers=np.zeros((4, RANK_COUNT + SUIT_COUNT - 1), np.float64),
        tally=np.zeros(RANK_COUNT + SUIT_COUNT, np.float64),
        open=np.zeros((2, offsets), np.int64),
        origins=np.zeros(_LONGEST, np.int64),
        targets=np.zeros(_LONGEST, np.int64),
        random=np.array([88172645463325252 + 7919 * (seed % 2**32)], np.int64),
    )


def set_moves(state: HeuristicState, line: bytes) -> int:
    """Set the moves of a state to those of a line of the engine; returns how many."""
    moves = np.frombuffer(line, np.uint8).reshape(-1, 2)
    state.origins[: len(moves)] = moves[:, 0]
    state.targets[: len(moves)] = moves[:, 1]
    return len(moves)
