"""Simulated players, which play an open row to the end without looking ahead.

There are three skills, from the weakest to the strongest:

``RANDOM``
    Makes each legal move with the same probability.
``GREEDY``
    Makes the move that leaves the most legal moves; noise breaks ties.
``SWEEPERS``
    Makes the move that leaves the highest value, with noise added: ``_PER_MOVE``
    for each legal move, plus the weight of the best rank. Each card of a rank adds
    to its weight ``_PER_CARD``, and ``_PER_PLACE`` times its place, counted from 1,
    divided by the length of the row. So the cards of one rank stay uncovered near
    the right end, and cover the others at the end of the game. In games that do not
    stack, it plays as ``GREEDY``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numba import njit

from service.solver.kernels.heuristic_search import random_number
from service.solver.kernels.moves import apply_move, legal_moves
from service.solver.kernels.rules import HIGHEST_TOTAL, MAX_ROW, REMOVE_RUN, STACK

if TYPE_CHECKING:
    from service.solver.kernels.rules import Cards, Ints, Rules

RANDOM: Final = 0
GREEDY: Final = 1
SWEEPERS: Final = 2

_RANKS: Final = 13
_PER_MOVE: Final = 0.16
_PER_CARD: Final = 0.7
_PER_PLACE: Final = 2.0
_FIRST_DRAWS: Final = 64
"""Random numbers discarded before the first game: those of near seeds are alike."""
_NOISE: Final = 0.5
"""The width of the noise: less than one legal move for ``GREEDY``."""


@njit(nogil=True, inline="always")
def _fits(rules: Rules, offset: int, low: int, high: int) -> int:
    """Whether the cards allow a move between the left card and the right one: 1 or 0.

    If the offset is positive, the right card moves (``high``), else the left (``low``).
    """
    origin, target = (high, low) if offset > 0 else (low, high)
    fits: int = (rules.partners[target] >> origin) & 1
    return fits


@njit(nogil=True, inline="always")
def _after(row: Cards, origin: int, landed: int, place: int) -> int:
    """Return the card at a place after the pile at ``origin`` moved to ``landed``."""
    if place == landed:
        place = origin
    elif place >= origin:
        place += 1
    card: int = row[place]
    return card


@njit(nogil=True)
def _moves_gained(rules: Rules, row: Cards, size: int, origin: int, target: int) -> int:
    """Count the legal moves that a stacking move adds, less those it removes.

    Only pairs that include one of its two piles, or that have the gap between them,
    change.
    """
    landed = target if target < origin else target - 1
    gained = 0
    for offset in rules.offsets:
        span = abs(offset)
        first = max(origin - span, 0)
        for low in range(first, min(origin + 1, size - span)):
            gained -= _fits(rules, offset, row[low], row[low + span])
        for low in range(first, min(origin, size - 1 - span)):
            left = _after(row, origin, landed, low)
            right = _after(row, origin, landed, low + span)
            gained += _fits(rules, offset, left, right)
        for low in (target - span, target):
            apart = low < origin - span or low > origin
            if apart and 0 <= low < size - span:
                gained -= _fits(rules, offset, row[low], row[low + span])
        for low in (landed - span, landed):
            apart = low < origin - span or low >= origin
            if apart and 0 <= low < size - 1 - span:
                left = _after(row, origin, landed, low)
                right = _after(row, origin, landed, low + span)
                gained += _fits(rules, offset, left, right)
    return gained


@njit(nogil=True, inline="always")
def _runs_from(rules: Rules, row: Cards, size: int, low: int, first: int) -> int:
    """Count the runs that start at ``low``, end at ``first`` or later and can leave."""
    shortest, longest = rules.offsets[0], rules.offsets[-1]
    total = runs = 0
    for high in range(low, min(low + longest + 1, size)):
        total += rules.values[row[high]]
        if total > HIGHEST_TOTAL:
            break
        if high >= first and high - low >= shortest:
            runs += (rules.totals >> total) & 1
    return runs


@njit(nogil=True)
def _runs_gained(
    rules: Rules, row: Cards, after: Cards, size: int, origin: int, target: int
) -> int:
    """Count the legal moves that are added when a run leaves, less those removed.

    Only runs that include one of its cards, or that extend across the gap, change.
    """
    gained = 0
    first = max(target - rules.offsets[-1], 0)
    for low in range(first, origin + 1):
        gained -= _runs_from(rules, row, size, low, target)
    left = size - (origin - target + 1)
    for low in range(first, target):
        gained += _runs_from(rules, after, left, low, target)
    return gained


@njit(nogil=True)
def _count_ranks(
    row: Cards, size: int, cards: Ints, places: Ints, beyond: Ints
) -> None:
    """Count the cards of each rank.

    Args:
        row: The cards, uint8[>= size].
        size: The number of cards.
        cards: int64[13]; set to the number of cards of each rank.
        places: int64[13]; set to the sum of their places, counted from 1.
        beyond: int64[52, 13]; set, for each place, to the number of cards of each
            rank to its right.
    """
    cards[:] = 0
    places[:] = 0
    for place in range(size - 1, -1, -1):
        beyond[place] = cards
        rank = row[place] % _RANKS
        cards[rank] += 1
        places[rank] += place + 1


@njit(nogil=True)
def _best_rank(
    row: Cards,
    size: int,
    cards: Ints,
    places: Ints,
    beyond: Ints,
    origin: int,
    target: int,
) -> float:
    """Return the weight of the best rank after a stacking move."""
    moved, covered = row[origin] % _RANKS, row[target] % _RANKS
    scale = _PER_PLACE / (size - 1)
    best = 0.0
    for rank in range(_RANKS):
        count, place = cards[rank], places[rank] - beyond[origin, rank]
        if rank == covered:
            count -= 1
            place -= target + 1 - (target > origin)
        if rank == moved:
            place -= origin - (target if target < origin else target - 1)
        best = max(best, _PER_CARD * count + scale * place)
    return best


@njit(nogil=True)
def play_out(
    rules: Rules,
    row: Cards,
    size: int,
    stop: int,
    skill: int,
    random: Ints,
    line: Ints,
) -> tuple[int, int]:
    """Play a row until no move is legal or at most ``stop`` cards are left.

    Args:
        rules: The variant.
        row: The cards, uint8[>= size]; set to those at the end.
        size: The number of cards.
        stop: The number of cards at which to stop.
        skill: ``RANDOM``, ``GREEDY`` or ``SWEEPERS``.
        random: int64[1], the state of the random number generator, not 0; updated.
        line: int64[52, 2]; set to the origin and the target of each move.

    Returns:
        The number of cards left, and the number of moves made.
    """
    most = MAX_ROW * rules.offsets.shape[0]
    origins, targets = np.zeros(most, np.int64), np.zeros(most, np.int64)
    unused, unused_too = np.zeros(most, np.int64), np.zeros(most, np.int64)
    cards, places = np.zeros(_RANKS, np.int64), np.zeros(_RANKS, np.int64)
    beyond = np.zeros((MAX_ROW, _RANKS), np.int64)
    after = np.zeros(MAX_ROW, np.uint8)
    stacks = rules.effect == STACK
    made = 0
    while True:
        count = legal_moves(rules, row, size, origins, targets)
        if count == 0 or size <= stop:
            return size, made
        if skill == SWEEPERS and stacks:
            _count_ranks(row, size, cards, places, beyond)
        best, chosen = -1e9, 0
        for move in range(count):
            origin, target = origins[move], targets[move]
            noise = _NOISE * random_number(random)
            if skill == RANDOM:
                value = noise
            elif stacks:
                gained = _moves_gained(rules, row, size, origin, target)
                value = noise + gained
                if skill == SWEEPERS:
                    value = noise + _PER_MOVE * gained
                    value += _best_rank(
                        row, size, cards, places, beyond, origin, target
                    )
            elif rules.effect == REMOVE_RUN:
                apply_move(rules, row, size, origin, target, after)
                value = noise + _runs_gained(rules, row, after, size, origin, target)
            else:
                left = apply_move(rules, row, size, origin, target, after)
                value = noise + legal_moves(rules, after, left, unused, unused_too)
            if value > best:
                best, chosen = value, move
        line[made, 0], line[made, 1] = origins[chosen], targets[chosen]
        made += 1
        size = apply_move(rules, row, size, origins[chosen], targets[chosen], after)
        row[:size] = after[:size]


@njit(nogil=True)
def play_all(
    rules: Rules, rows: Cards, sizes: Ints, stop: int, skill: int, seed: int
) -> None:
    """Play several rows, each as ``play_out`` does.

    Args:
        rules: The variant.
        rows: uint8[games, 52], the row of each game; set to those at the end.
        sizes: int64[games], the number of cards in each row; updated.
        stop: The number of cards at which to stop.
        skill: ``RANDOM``, ``GREEDY`` or ``SWEEPERS``.
        seed: Seeds the noise, at least 0.
    """
    random = np.full(1, 2 * seed + 1, np.int64)
    for _ in range(_FIRST_DRAWS):
        random_number(random)
    line = np.zeros((MAX_ROW, 2), np.int64)
    for game in range(rows.shape[0]):
        sizes[game], _ = play_out(
            rules, rows[game], sizes[game], stop, skill, random, line
        )
