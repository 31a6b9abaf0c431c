"""Simulated players: they play an open row to its end without looking ahead.

Three skills, from the weakest to the strongest:

``RANDOM``
    Every legal move is as likely as any other.
``GREEDY``
    The move that leaves the most legal moves; the noise decides between equals.
``SWEEPERS``
    The move that leaves the highest sum of ``_PER_MOVE`` for each legal move
    and of the weight of the best rank: for each of its cards ``_PER_CARD``,
    and up to ``_PER_PLACE`` the further right it lies. So it keeps a rank
    uncovered near the right end, whose cards cover the rest at last. In games
    that do not stack it plays as ``GREEDY``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numba import njit

from service.solver.kernels.heuristic_search import random_number
from service.solver.kernels.moves import apply_move, legal_moves
from service.solver.kernels.rules import HIGHEST_TOTAL, REMOVE_RUN, STACK

if TYPE_CHECKING:
    from service.solver.kernels.rules import Cards, Ints, Rules

RANDOM: Final = 0
GREEDY: Final = 1
SWEEPERS: Final = 2

_LONGEST: Final = 52
_RANKS: Final = 13
_PER_MOVE: Final = 0.16
_PER_CARD: Final = 0.7
_PER_PLACE: Final = 2.0
_FIRST_DRAWS: Final = 64
"""Numbers drawn before the first game, since those of near seeds are alike."""
_NOISE: Final = 0.5
"""The width of the noise: less than a legal move for ``GREEDY``."""


@njit(nogil=True, inline="always")
def _fits(rules: Rules, offset: int, low: int, high: int) -> int:
    """Whether the card at the right may go onto that at the left, or the reverse."""
    origin, target = (high, low) if offset > 0 else (low, high)
    fits: int = (rules.partners[target] >> origin) & 1
    return fits


@njit(nogil=True, inline="always")
def _after(row: Cards, origin: int, landed: int, place: int) -> int:
    """Return the card at a place once a pile has moved."""
    if place == landed:
        place = origin
    elif place >= origin:
        place += 1
    card: int = row[place]
    return card


@njit(nogil=True)
def _moves_gained(rules: Rules, row: Cards, size: int, origin: int, target: int) -> int:
    """Count the legal moves that a stacking move adds, less those it takes away.

    Only pairs with one of its two piles, or on either side of the gap, change.
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
    """Count the runs from a place that can leave, and end at ``first`` or beyond."""
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
    """Count the legal moves that a run adds as it leaves, less those it takes away.

    Only runs with one of its cards, or across the gap, change.
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
def _survey(row: Cards, size: int, cards: Ints, places: Ints, beyond: Ints) -> None:
    """Count the cards of each rank.

    Args:
        row: The cards, uint8[>= size].
        size: How many there are.
        cards: int64[13], gets how many each rank has.
        places: int64[13], gets the sum of their places, counted from 1.
        beyond: int64[52, 13], gets how many lie to the right of each place.
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
    """Play a row until no move is legal, or few enough cards are left.

    Args:
        rules: The variant.
        row: The cards, uint8[>= size]; gets the row at the end.
        size: How many there are.
        stop: At how many the game is left.
        skill: ``RANDOM``, ``GREEDY`` or ``SWEEPERS``.
        random: int64[1], the state of the noise, not 0; kept up.
        line: int64[52, 2], gets the origin and the target of each move.

    Returns:
        How many cards are left, and how many moves were made.
    """
    most = _LONGEST * rules.offsets.shape[0]
    origins, targets = np.zeros(most, np.int64), np.zeros(most, np.int64)
    unused, unused_too = np.zeros(most, np.int64), np.zeros(most, np.int64)
    cards, places = np.zeros(_RANKS, np.int64), np.zeros(_RANKS, np.int64)
    beyond = np.zeros((_LONGEST, _RANKS), np.int64)
    after = np.zeros(_LONGEST, np.uint8)
    stacks = rules.effect == STACK
    made = 0
    while True:
        count = legal_moves(rules, row, size, origins, targets)
        if count == 0 or size <= stop:
            return size, made
        if skill == SWEEPERS and stacks:
            _survey(row, size, cards, places, beyond)
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
    """Play several rows on.

    Args:
        rules: The variant.
        rows: uint8[games, 52], the row of each game; gets those at the end.
        sizes: int64[games], how many cards each row has; kept up.
        stop: At how many cards a game is left.
        skill: ``RANDOM``, ``GREEDY`` or ``SWEEPERS``.
        seed: Seeds the noise, at least 0.
    """
    random = np.full(1, 2 * seed + 1, np.int64)
    for _ in range(_FIRST_DRAWS):
        random_number(random)
    line = np.zeros((_LONGEST, 2), np.int64)
    for game in range(rows.shape[0]):
        sizes[game], _ = play_out(
            rules, rows[game], sizes[game], stop, skill, random, line
        )
