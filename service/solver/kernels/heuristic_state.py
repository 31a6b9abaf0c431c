"""The state of a heuristic search, and the weights of its values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from service.solver.kernels.rules import MAX_ROW

if TYPE_CHECKING:
    from service.solver.kernels.rules import Cards, Floats, Ints

RANK_COUNT: Final = 13
SUIT_COUNT: Final = 4


# The rows of `counts`, and of `powers` for all cards but a goal card.
RIGHT: Final = 0
LEFT: Final = 1
# Added to RIGHT and LEFT for the rows of `powers` for a goal card.
GOAL: Final = 2
# The rows of `sums`.
TERM: Final = 0
ON_LEFT: Final = 1
ON_RIGHT: Final = 2
NO_RIGHT: Final = 3
NO_LEFT: Final = 4


class Weights(NamedTuple):
    """The weights of the value; the formula is in ``heuristic_search``.

    Attributes:
        right: The factor of a term for each matching card to the right.
        reach: The weight of a matching card to the left.
        open_weight: The weight of a card that can be covered in the next move; used
            only in games that stack.
        noise: The width of the random noise added to a value, from the second pass
            on.
        stop: The number of cards at which a pass stops, at most ``MAX_ENDGAME_LENGTH``.
        limit: The number of rows that the exhaustive search after the first pass
            may examine.
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
        counts: int64[2, 52]; for each place, the number of cards to its right
            (``RIGHT``) and to its left (``LEFT``) that match its card.
        sums: float64[5, 52]; for each place,
            ``TERM``: the term of its card in the sum;
            ``ON_LEFT``, ``ON_RIGHT``: the increase of the terms of the cards to its
            left and to its right when its card is covered;
            ``NO_RIGHT``, ``NO_LEFT``: the increase of its own term when a matching
            card to its right or to its left is covered.
        powers: float64[4, 16]; the factor of a term by the number of matching cards
            to the right (``RIGHT``) and to the left (``LEFT``); for a goal card, add
            ``GOAL`` to the index.
        tally: float64[17], scratch, by rank and by suit.
        open: int64[2, k]; for each offset, the places that a move of that offset can
            cover, as bits, and those that a move one pile longer could cover.
        origins: int64[52], the origins of the moves made, first to last.
        targets: int64[52], their targets.
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
    """Allocate a state, for a number of ``offsets`` and a seed of at least 0."""
    return HeuristicState(
        row=np.zeros(MAX_ROW, np.uint8),
        counts=np.zeros((2, MAX_ROW), np.int64),
        sums=np.zeros((5, MAX_ROW), np.float64),
        powers=np.zeros((4, RANK_COUNT + SUIT_COUNT - 1), np.float64),
        tally=np.zeros(RANK_COUNT + SUIT_COUNT, np.float64),
        open=np.zeros((2, offsets), np.int64),
        origins=np.zeros(MAX_ROW, np.int64),
        targets=np.zeros(MAX_ROW, np.int64),
        random=np.array([88172645463325252 + 7919 * (seed % 2**32)], np.int64),
    )


def set_moves(state: HeuristicState, line: bytes) -> int:
    """Set the moves of a state to a line of the engine, and return their number."""
    moves = np.frombuffer(line, np.uint8).reshape(-1, 2)
    state.origins[: len(moves)] = moves[:, 0]
    state.targets[: len(moves)] = moves[:, 1]
    return len(moves)
