"""Known lines of a game, and how to follow them from similar rows.

A line is stored as pairs of cards: which card moves onto which. So it can be followed
from another row, too: each move is made if it is legal there, and skipped otherwise. A
covered card is replaced by the card on top of its pile.

All functions are for variants that stack or remove pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numba import njit

from service.solver.kernels.bits import bits
from service.solver.kernels.rules import MAX_ROW, REMOVE_PAIR

if TYPE_CHECKING:
    from service.solver.kernels.heuristic_state import HeuristicState
    from service.solver.kernels.rules import Cards, Ints, Rules

MAX_LINES: Final = 8
LATEST_LINE: Final = MAX_LINES
"""The index of the line of the latest pass of the whole row; it need not win."""


class KnownLines(NamedTuple):
    """Lines as pairs of cards, and scratch for following them.

    Attributes:
        origins: uint8[9, 52]; for each line, the card at the origin of each move.
        targets: uint8[9, 52]; for each line, the card at the target of each move.
        lengths: int64[9], the number of moves in each line.
        added: int64[1], the number of winning lines added so far; the latest
            ``MAX_LINES`` are stored, line n at the index n modulo ``MAX_LINES``.
        tops: uint8[52], scratch; for each card, itself or a card that covers it.
        row: uint8[52], scratch.
        places: int64[52], scratch; for each card, its place in the row from which a
            line is followed, or -1.
    """

    origins: Cards
    targets: Cards
    lengths: Ints
    added: Ints
    tops: Cards
    row: Cards
    places: Ints


def new_lines() -> KnownLines:
    """Allocate room for lines."""
    return KnownLines(
        origins=np.zeros((MAX_LINES + 1, MAX_ROW), np.uint8),
        targets=np.zeros((MAX_LINES + 1, MAX_ROW), np.uint8),
        lengths=np.zeros(MAX_LINES + 1, np.int64),
        added=np.zeros(1, np.int64),
        tops=np.zeros(MAX_ROW, np.uint8),
        row=np.zeros(MAX_ROW, np.uint8),
        places=np.zeros(MAX_ROW, np.int64),
    )


@njit(nogil=True)
def _make_move(row: Cards, size: int, origin: int, target: int, pairs: bool) -> int:  # noqa: FBT001
    """Make a move in place, and return the number of cards after it."""
    if not pairs:
        row[target] = row[origin]
        for place in range(origin, size - 1):
            row[place] = row[place + 1]
        return size - 1
    after = 0
    for place in range(size):
        if place != origin and place != target:  # noqa: PLR1714
            row[after] = row[place]
            after += 1
    return after


@njit(nogil=True)
def store_line(
    rules: Rules,
    row: Cards,
    size: int,
    state: HeuristicState,
    made: int,
    lines: KnownLines,
    index: int,
) -> None:
    """Store the moves of a state as a line.

    Args:
        rules: The variant.
        row: The row before the first move, uint8[>= size].
        size: The number of cards.
        state: Contains the moves.
        made: The number of moves.
        lines: Where to store the line.
        index: The index at which to store it.
    """
    pairs = rules.effect == REMOVE_PAIR
    lines.lengths[index] = made
    lines.row[:size] = row[:size]
    for move in range(made):
        origin, target = state.origins[move], state.targets[move]
        lines.origins[index, move] = lines.row[origin]
        lines.targets[index, move] = lines.row[target]
        size = _make_move(lines.row, size, origin, target, pairs)


@njit(nogil=True)
def start_from(
    rules: Rules,
    row: Cards,
    size: int,
    made: int,
    state: HeuristicState,
    lines: KnownLines,
) -> int:
    """Set the row of a state to the row after its first moves.

    Args:
        rules: The variant.
        row: The row before the first move, uint8[>= size].
        size: The number of cards.
        made: The number of moves.
        state: Contains the moves; its row is set.
        lines: Its scratch is set for ``follow_line``.

    Returns:
        The number of cards left.
    """
    pairs = rules.effect == REMOVE_PAIR
    state.row[:size] = row[:size]
    for card in range(MAX_ROW):
        lines.tops[card] = card
    for move in range(made):
        origin, target = state.origins[move], state.targets[move]
        lines.tops[state.row[target]] = state.row[origin]
        size = _make_move(state.row, size, origin, target, pairs)
    return size


@njit(nogil=True)
def _top(tops: Cards, card: int) -> int:
    while tops[card] != card:
        card = tops[card]
    return card


@njit(nogil=True)
def follow_line(
    rules: Rules,
    lines: KnownLines,
    index: int,
    state: HeuristicState,
    size: int,
    made: int,
    stop: int,
) -> tuple[int, int]:
    """Make those moves of a line that are legal, until at most ``stop`` cards are left.

    Args:
        rules: The variant.
        lines: The lines, with the scratch as set by ``start_from``.
        index: The index of the line.
        state: Contains the row; the moves are made in it and appended.
        size: The number of cards.
        made: The number of moves made before.
        stop: The number of cards at which to stop.

    Returns:
        The number of cards left, and the number of moves made.
    """
    row, tops, places, offsets = state.row, lines.tops, lines.places, rules.offsets
    pairs = rules.effect == REMOVE_PAIR
    # Until the end of the loop, piles keep the places that they have now; the bits of
    # `used` are the places that are not empty.
    first, used = size, (1 << size) - 1
    places[:] = -1
    for place in range(size):
        places[row[place]] = place
    for move in range(lines.lengths[index]):
        if size <= stop:
            break
        over = _top(tops, lines.origins[index, move])
        under = _top(tops, lines.targets[index, move])
        leaves, stays = places[over], places[under]
        fits = (rules.partners[under] >> over) & 1
        if not fits or leaves < 0 or stays < 0:
            continue
        origin = bits(used & ((1 << leaves) - 1))
        target = bits(used & ((1 << stays) - 1))
        is_legal = False
        for offset in offsets:
            is_legal = is_legal or origin - target == offset
        if not is_legal:
            continue
        used ^= 1 << leaves
        places[over], places[under] = stays, -1
        row[stays] = over
        size -= 1
        if pairs:
            used ^= 1 << stays
            places[over] = -1
            size -= 1
        else:
            tops[under] = over
        state.origins[made] = origin
        state.targets[made] = target
        made += 1
    kept = 0
    for place in range(first):
        if (used >> place) & 1:
            row[kept] = row[place]
            kept += 1
    return size, made
