"""Descents: from a long row to a short one by the best-valued moves, with noise.

The value of a row tells how near its cards are to being covered::

    - sum over the cards of 1 / (1 + right + reach * left / n^2)
    + open_weight * (number of cards that some move covers at once)

with ``right`` and ``left`` the cards on either side that could cover the card,
now or later, and n the length of the row. It was found by regression on rows
that were solved exactly; tools/tune.py tunes its weights. The terms of the sum
change by amounts that depend only on rank and suit of the card that goes, so
all candidates of a row are valued in one pass from the left and one from the
right, and a candidate costs the same in a row of 20 and of 50.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

from service.solver.tables import REMOVE_PAIR

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from service.solver.tables import Cards, Ints, Rules

_LONGEST = 52
_RANKS = 13
_SUITS = 4
_TAME = 0.3
"""Keeps the loss of a last coverer finite."""
_WORST = -1e9


class Weights(NamedTuple):
    """The weights of the value.

    Attributes:
        reach: How much a coverer to the left counts.
        open_weight: How much a card counts that can be covered at once.
        noise: The width of the noise added to a value, from the second
            descent on.
        stop: The cards at which a descent stops, at most 15.
    """

    reach: float
    open_weight: float
    noise: float
    stop: float


class Slope(NamedTuple):
    """The state of a descent.

    Attributes:
        row: uint8[52], the cards.
        right: int64[52], for each place the coverers to its right.
        left: int64[52], the same to its left.
        term: float64[52], for each place its term of the sum.
        fall: float64[52], for each place what the sum gains on cards to the
            left when its card goes.
        fall_right: float64[52], the same on cards to the right.
        by_rank: float64[13], scratch.
        by_suit: float64[4], scratch.
        open: int64[k], for each offset the places that a move of that offset
            covers, as bits.
        origins: int64[52], the moves made, first to last.
        targets: int64[52], the same.
        random: int64[1], the state of the random numbers, not 0.
    """

    row: Cards
    right: Ints
    left: Ints
    term: NDArray[np.float64]
    fall: NDArray[np.float64]
    fall_right: NDArray[np.float64]
    by_rank: NDArray[np.float64]
    by_suit: NDArray[np.float64]
    open: Ints
    origins: Ints
    targets: Ints
    random: Ints


def slope(offsets: int, seed: int) -> Slope:
    """Allocate the state of descents."""
    return Slope(
        row=np.zeros(_LONGEST, np.uint8),
        right=np.zeros(_LONGEST, np.int64),
        left=np.zeros(_LONGEST, np.int64),
        term=np.zeros(_LONGEST, np.float64),
        fall=np.zeros(_LONGEST, np.float64),
        fall_right=np.zeros(_LONGEST, np.float64),
        by_rank=np.zeros(_RANKS, np.float64),
        by_suit=np.zeros(_SUITS, np.float64),
        open=np.zeros(offsets, np.int64),
        origins=np.zeros(_LONGEST, np.int64),
        targets=np.zeros(_LONGEST, np.int64),
        random=np.array([88172645463325252 + 7919 * seed], np.int64),
    )


@njit(cache=True, nogil=True, inline="always")
def _noise(random: Ints) -> float:
    """Draw a number from 0 to 1 (xorshift)."""
    state = random[0]
    state ^= state << 13
    state ^= (state >> 7) & 0x1FFFFFFFFFFFFFF
    state ^= state << 17
    random[0] = state
    return (state & 0xFFFFFFFF) / 4294967296.0


@njit(cache=True, nogil=True, inline="always")
def _bits(word: int) -> int:
    """Count the bits of a word of at most 63."""
    word -= (word >> 1) & 0x5555555555555555
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (word * 0x0101010101010101) >> 56


@njit(cache=True, nogil=True, inline="always")
def _covers(rules: Rules, origin: int, target: int) -> int:
    """Whether one card may go onto another, as 1 or 0."""
    return (rules.partners[target] >> origin) & 1


@njit(cache=True, nogil=True)
def _survey(rules: Rules, at: Slope, size: int) -> None:
    """Count the coverers of every card."""
    row = at.row
    for place in range(size):
        at.left[place] = 0
        at.right[place] = 0
        for other in range(place):
            at.left[place] += _covers(rules, row[other], row[place])
        for other in range(place + 1, size):
            at.right[place] += _covers(rules, row[other], row[place])


@njit(cache=True, nogil=True, inline="always")
def _worse(at: Slope, place: int, reach: float) -> float:
    """What the sum gains on a card that loses a coverer to its right."""
    if at.right[place] == 0:
        return 0.0
    whole = 1.0 + at.right[place] + reach * at.left[place]
    return 1.0 / max(whole - 1.0, _TAME) - at.term[place]


@njit(cache=True, nogil=True)
def _prepare(rules: Rules, at: Slope, size: int, reach: float) -> None:
    """Value the cards of a row as they lie, and what the loss of each would do."""
    row = at.row
    at.by_rank[:] = 0.0
    at.by_suit[:] = 0.0
    for place in range(size):
        rank, suit = row[place] % _RANKS, row[place] // _RANKS
        at.fall[place] = at.by_rank[rank] + at.by_suit[suit]
        whole = 1.0 + at.right[place] + reach * at.left[place]
        at.term[place] = 1.0 / whole
        worse = _worse(at, place, reach)
        at.by_rank[rank] += worse
        at.by_suit[suit] += worse
    at.by_rank[:] = 0.0
    at.by_suit[:] = 0.0
    for place in range(size - 1, -1, -1):
        rank, suit = row[place] % _RANKS, row[place] // _RANKS
        at.fall_right[place] = at.by_rank[rank] + at.by_suit[suit]
        worse = reach * at.term[place] * at.term[place]
        at.by_rank[rank] += worse
        at.by_suit[suit] += worse
    for k in range(rules.offsets.shape[0]):
        offset = rules.offsets[k]
        word = 0
        for target in range(max(-offset, 0), min(size - offset, size)):
            word |= _covers(rules, row[target + offset], row[target]) << target
        at.open[k] = word


@njit(cache=True, nogil=True)
def _open_after(rules: Rules, at: Slope, size: int, origin: int, target: int) -> int:
    """Count the cards that a move would cover at once, after a stacking move."""
    row = at.row
    moved = row[origin]
    landed = target if target < origin else target - 1
    below = (1 << origin) - 1
    every = 0
    for k in range(rules.offsets.shape[0]):
        offset = rules.offsets[k]
        word = at.open[k]
        word = (word & below) | ((word >> 1) & ~below)
        span = abs(offset)
        low = origin - span if offset > 0 else origin
        for step in range(span + 2):
            if step < span:
                place = low + step
            elif step == span:
                place = landed
            else:
                place = landed - offset
            other = place + offset
            if place < 0 or place >= size - 1:
                continue
            fits = 0
            if 0 <= other < size - 1:
                under = row[place if place < origin else place + 1]
                over = row[other if other < origin else other + 1]
                if place == landed:
                    under = moved
                if other == landed:
                    over = moved
                fits = _covers(rules, over, under)
            word = (word & ~(1 << place)) | (fits << place)
        every |= word
    return _bits(every)


@njit(cache=True, nogil=True, inline="always")
def _counted(at: Slope, place: int, leftward: bool, reach: float) -> float:  # noqa: FBT001
    """What ``fall`` or ``fall_right`` counts for a card whose change is worked out."""
    if leftward:
        return reach * at.term[place] * at.term[place]
    return _worse(at, place, reach)


@njit(cache=True, nogil=True)
def _change(
    rules: Rules, at: Slope, origin: int, target: int, reach: float
) -> float:
    """What a stacking move adds to the sum."""
    row = at.row
    moved, covered = row[origin], row[target]
    leftward = target < origin
    added = at.fall[target] + at.fall_right[target]
    added -= _counted(at, origin, leftward, reach)
    right, left = at.right[origin], at.left[origin]
    if leftward:
        left -= 1
    else:
        right -= 1
    for place in range(min(origin, target) + 1, max(origin, target)):
        card = row[place]
        by_moved = _covers(rules, moved, card)
        by_covered = _covers(rules, covered, card)
        over = _covers(rules, card, moved)
        if leftward:
            right, left = right + over, left - over
            to_right, to_left = -by_moved, by_moved - by_covered
        else:
            right, left = right - over, left + over
            to_right, to_left = by_moved - by_covered, -by_moved
        if by_covered:
            added -= _counted(at, place, leftward, reach)
        if by_moved or by_covered:
            whole = 1.0 + at.right[place] + to_right
            whole += reach * (at.left[place] + to_left)
            added += 1.0 / whole - at.term[place]
    added += 1.0 / (1.0 + right + reach * left)
    return added - at.term[origin] - at.term[target]


@njit(cache=True, nogil=True)
def _move(rules: Rules, at: Slope, size: int, origin: int, target: int) -> int:
    """Make a move and keep the counts right; returns the length after."""
    row = at.row
    if rules.effect == REMOVE_PAIR:
        low, high = min(origin, target), max(origin, target)
        for place in range(high, size - 1):
            row[place] = row[place + 1]
        for place in range(low, size - 2):
            row[place] = row[place + 1]
        _survey(rules, at, size - 2)
        return size - 2
    moved, covered = row[origin], row[target]
    for place in range(size):
        card = row[place]
        gone = _covers(rules, covered, card)
        passed = _covers(rules, moved, card)
        if place < target:
            at.right[place] -= gone
        elif place > target:
            at.left[place] -= gone
        if target < place < origin:
            at.right[place] -= passed
            at.left[place] += passed
        elif origin < place < target:
            at.left[place] -= passed
            at.right[place] += passed
    right, left = at.right[origin], at.left[origin]
    for place in range(target + 1, origin):
        over = _covers(rules, row[place], moved)
        right, left = right + over, left - over
    for place in range(origin + 1, target):
        over = _covers(rules, row[place], moved)
        right, left = right - over, left + over
    row[target], at.right[target], at.left[target] = moved, right, left
    for place in range(origin, size - 1):
        row[place] = row[place + 1]
        at.right[place] = at.right[place + 1]
        at.left[place] = at.left[place + 1]
    return size - 1


@njit(cache=True, nogil=True)
def _pair_change(rules: Rules, at: Slope, origin: int, target: int) -> float:
    """What the removal of a pair adds to the sum, nearly."""
    added = at.fall[origin] + at.fall_right[origin] - at.term[origin]
    return added + at.fall[target] + at.fall_right[target] - at.term[target]


@njit(cache=True, nogil=True)
def descend(
    rules: Rules, weights: Weights, at: Slope, size: int, stop: int, noise: float
) -> tuple[int, int, int]:
    """Make the best-valued moves, for games that stack or remove pairs.

    Args:
        rules: The variant.
        weights: The weights of the value.
        at: The row to start from in ``row``; gets the row reached and the
            moves made.
        size: How many cards there are.
        stop: At how many to stop.
        noise: The width of the noise added to each value.

    Returns:
        How many cards are left, how many moves were made, and how many rows
        were valued.
    """
    _survey(rules, at, size)
    made = 0
    valued = 0
    while size > stop:
        reach = weights.reach / (size * size)
        _prepare(rules, at, size, reach)
        best, best_origin, best_target = _WORST, -1, -1
        for k in range(rules.offsets.shape[0]):
            offset = rules.offsets[k]
            word = at.open[k]
            for target in range(size):
                if not (word >> target) & 1:
                    continue
                origin = target + offset
                valued += 1
                if rules.effect == REMOVE_PAIR:
                    value = -_pair_change(rules, at, origin, target)
                else:
                    value = -_change(rules, at, origin, target, reach)
                    opened = _open_after(rules, at, size, origin, target)
                    value += weights.open_weight * opened
                value += noise * _noise(at.random)
                if value > best:
                    best, best_origin, best_target = value, origin, target
        if best_origin < 0:
            break
        at.origins[made] = best_origin
        at.targets[made] = best_target
        made += 1
        size = _move(rules, at, size, best_origin, best_target)
    return size, made, valued
