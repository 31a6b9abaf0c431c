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
    uncovered near the right end, whose cards cover the rest at last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numba import njit

from service.solver.kernels.moves import apply_move, legal_moves

from service.solver.kernels.rules import STACK

if TYPE_CHECKING:
    from service.engine.position import Move
    from service.solver.kernels.rules import Cards, Floats, Ints, Rules

RANDOM: Final = 0
GREEDY: Final = 1
SWEEPERS: Final = 2

_LONGEST: Final = 52
_RANKS: Final = 13
_PER_MOVE: Final = 0.16
_PER_CARD: Final = 0.7
_PER_PLACE: Final = 2.0
_NOISE: Final = 0.5
"""The width of the noise: less than a legal move for ``GREEDY``."""


@njit(cache=True, nogil=True)
def _draw(random: Ints) -> float:
    """Draw a number from 0 to 1 (xorshift)."""
    state = random[0]
    state ^= state << 13
    state ^= (state >> 7) & 0x1FFFFFFFFFFFFFF
    state ^= state << 17
    random[0] = state
    drawn: float = (state & 0xFFFFFFFF) / 4294967296.0
    return drawn


@njit(cache=True, nogil=True, inline="always")
def _fits(rules: Rules, offset: int, low: int, high: int) -> int:
    """Whether the card at the right may go onto that at the left, or the reverse."""
    origin, target = (high, low) if offset > 0 else (low, high)
    return (rules.partners[target] >> origin) & 1


@njit(cache=True, nogil=True)
def _moves_gained(rules: Rules, row: Cards, after: Cards, size: int, move: Move) -> int:
    """Count the legal moves that a stacking move adds, less those it takes away.

    Only pairs with one of its two piles, or on either side of the gap, change.
    """
    origin, target = move
    landed = target if target < origin else target - 1
    gained = 0
    for offset in rules.offsets:
        span = abs(offset)
        for low in range(max(origin - span, 0), min(origin + 1, size - span)):
            gained -= _fits(rules, offset, row[low], row[low + span])
        for low in range(max(origin - span, 0), min(origin, size - 1 - span)):
            gained += _fits(rules, offset, after[low], after[low + span])
        for low in (target - span, target):
            near = origin - span <= low <= origin
            if not near and 0 <= low < size - span:
                gained -= _fits(rules, offset, row[low], row[low + span])
        for low in (landed - span, landed):
            near = origin - span <= low < origin
            if not near and 0 <= low < size - 1 - span:
                gained += _fits(rules, offset, after[low], after[low + span])
    return gained


@njit(cache=True, nogil=True)
def _best_rank(row: Cards, size: int, ranks: Floats) -> float:
    """Weigh each rank of a row; returns the weight of the best."""
    ranks[:] = 0.0
    for place in range(size):
        ranks[row[place] % _RANKS] += _PER_CARD + _PER_PLACE * (place + 1) / size
    best: float = ranks.max()
    return best


@njit(cache=True, nogil=True)
def play_out(
    rules: Rules, row: Cards, size: int, skill: int, random: Ints, line: Ints
) -> tuple[int, int]:
    """Play a row to its end.

    Args:
        rules: The variant.
        row: The cards, uint8[>= size]; gets the row at the end.
        size: How many there are.
        skill: ``RANDOM``, ``GREEDY`` or ``SWEEPERS``.
        random: int64[1], the state of the noise, not 0; kept up.
        line: int64[52, 2], gets the origin and the target of each move.

    Returns:
        How many cards are left, and how many moves were made.
    """
    most = _LONGEST * rules.offsets.shape[0]
    origins, targets = np.zeros(most, np.int64), np.zeros(most, np.int64)
    unused, unused_too = np.zeros(most, np.int64), np.zeros(most, np.int64)
    after, ranks = np.zeros(_LONGEST, np.uint8), np.zeros(_RANKS, np.float64)
    made = 0
    while True:
        count = legal_moves(rules, row, size, origins, targets)
        if count == 0:
            return size, made
        best, chosen = -1e9, 0
        for index in range(count):
            value = _NOISE * _draw(random)
            if skill != RANDOM:
                move = origins[index], targets[index]
                left = apply_move(rules, row, size, move[0], move[1], after)
                if rules.effect == STACK:
                    open_moves = count + _moves_gained(rules, row, after, size, move)
                else:
                    open_moves = legal_moves(rules, after, left, unused, unused_too)
                if skill == GREEDY:
                    value += open_moves
                else:
                    value += _PER_MOVE * open_moves + _best_rank(after, left, ranks)
            if value > best:
                best, chosen = value, index
        line[made, 0], line[made, 1] = origins[chosen], targets[chosen]
        made += 1
        size = apply_move(rules, row, size, origins[chosen], targets[chosen], after)
        row[:size] = after[:size]


@njit(cache=True, nogil=True)
def tally(rules: Rules, row: Cards, skill: int, games: int, seed: int) -> Ints:
    """Play a row many times.

    Args:
        rules: The variant.
        row: The cards, uint8[n].
        skill: ``RANDOM``, ``GREEDY`` or ``SWEEPERS``.
        games: How many games are played.
        seed: Seeds the noise, at least 0.

    Returns:
        int64[53], how many games ended on each number of cards.
    """
    ended = np.zeros(_LONGEST + 1, np.int64)
    random = np.full(1, 2 * seed + 1, np.int64)
    for _ in range(64):
        _draw(random)
    played = np.zeros(_LONGEST, np.uint8)
    line = np.zeros((_LONGEST, 2), np.int64)
    for _ in range(games):
        played[: row.shape[0]] = row
        left, _ = play_out(rules, played, row.shape[0], skill, random, line)
        ended[left] += 1
    return ended
