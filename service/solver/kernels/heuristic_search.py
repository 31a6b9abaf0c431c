"""Descents: from a long row to a short one by the best-valued moves, with noise.

The value of a row tells how near its cards are to being covered::

    - sum over the cards of 1 / (1 + right + reach * left / n^2)
    + open_weight * (number of cards that some move covers at once)

with ``right`` and ``left`` the cards on either side that match the card and so
could cover it, now or later, and n the length of the row. A goal card, which
must cover all others, counts goal_weight / (1 + right + left) instead. This
value was found by regression on rows that were solved exactly; tools/tune.py
tunes its weights. The terms of the sum change by amounts that depend only on
rank and suit of the card that goes, so all candidates of a row are valued in
one pass from the left and one from the right, and a candidate costs the same
in a row of 20 and of 50.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numba import njit

from service.solver.kernels.bits import bits
from service.solver.kernels.heuristic_state import (
    LEFT,
    MASS,
    NO_LEFT,
    NO_RIGHT,
    ON_LEFT,
    ON_RIGHT,
    PULL,
    RANKS,
    RIGHT,
    TERM,
)
from service.solver.kernels.rules import REMOVE_PAIR

if TYPE_CHECKING:
    from service.solver.kernels.heuristic_state import Slope, Weights
    from service.solver.kernels.rules import Cards, Floats, Ints, Rules

_TAME = 0.3
"""Keeps the loss of a last coverer finite."""
_WORST = -1e9


@njit(cache=True, nogil=True, inline="always")
def _noise(random: Ints) -> float:
    """Draw a number from 0 to 1 (xorshift)."""
    state = random[0]
    state ^= state << 13
    state ^= (state >> 7) & 0x1FFFFFFFFFFFFFF
    state ^= state << 17
    random[0] = state
    drawn: float = (state & 0xFFFFFFFF) / 4294967296.0
    return drawn


@njit(cache=True, nogil=True, inline="always")
def _covers(partners: Ints, origin: int, target: int) -> int:
    """Whether one card may go onto another, as 1 or 0."""
    fits: int = (partners[target] >> origin) & 1
    return fits


@njit(cache=True, nogil=True)
def _survey(matches: Ints, row: Cards, counts: Ints, size: int) -> None:
    """Count the cards on either side of each that match it."""
    for place in range(size):
        counts[LEFT, place] = 0
        counts[RIGHT, place] = 0
        for other in range(place):
            counts[LEFT, place] += _covers(matches, row[other], row[place])
        for other in range(place + 1, size):
            counts[RIGHT, place] += _covers(matches, row[other], row[place])


@njit(cache=True, nogil=True, inline="always")
def _term(right: int, left: int, reach: float) -> float:
    """The term in the sum of a card with so many coverers on either side."""
    return 1.0 / (1.0 + right + reach * left)


@njit(cache=True, nogil=True, inline="always")
def _without_right(right: int, left: int, reach: float) -> float:
    """What the term gains when a coverer on the right goes."""
    if right == 0:
        return 0.0
    whole = right + reach * left
    gain: float = 1.0 / max(whole, _TAME) - 1.0 / (1.0 + whole)
    return gain


@njit(cache=True, nogil=True, inline="always")
def _without_left(right: int, left: int, reach: float) -> float:
    """What the term gains when a coverer on the left goes, nearly."""
    term = _term(right, left, reach)
    return reach * term * term


@njit(cache=True, nogil=True)
def _prepare(
    row: Cards,
    counts: Ints,
    sums: Floats,
    tally: Floats,
    size: int,
    reach: float,
    goal: int,
    goal_weight: float,
) -> None:
    """Value the cards of a row as they lie, and what the loss of each would do."""
    tally[:] = 0.0
    for place in range(size):
        suit = row[place] // RANKS
        rank = row[place] - RANKS * suit
        suit += RANKS
        pull, mass = reach, 1.0
        if row[place] == goal:
            pull, mass = 1.0, goal_weight
        right, left = counts[RIGHT, place], counts[LEFT, place]
        sums[PULL, place] = pull
        sums[MASS, place] = mass
        sums[TERM, place] = mass * _term(right, left, pull)
        sums[NO_RIGHT, place] = mass * _without_right(right, left, pull)
        sums[NO_LEFT, place] = mass * _without_left(right, left, pull)
        sums[ON_LEFT, place] = tally[rank] + tally[suit]
        tally[rank] += sums[NO_RIGHT, place]
        tally[suit] += sums[NO_RIGHT, place]
    tally[:] = 0.0
    for place in range(size - 1, -1, -1):
        suit = row[place] // RANKS
        rank = row[place] - RANKS * suit
        suit += RANKS
        sums[ON_RIGHT, place] = tally[rank] + tally[suit]
        tally[rank] += sums[NO_LEFT, place]
        tally[suit] += sums[NO_LEFT, place]


@njit(cache=True, nogil=True)
def _open(partners: Ints, offsets: Ints, row: Cards, size: int, opened: Ints) -> None:
    """Find what can be covered at once."""
    for k in range(offsets.shape[0]):
        offset = offsets[k]
        word = 0
        for target in range(max(-offset, 0), min(size - offset, size)):
            word |= _covers(partners, row[target + offset], row[target]) << target
        opened[k] = word


@njit(cache=True, nogil=True)
def _open_after(
    partners: Ints,
    offsets: Ints,
    row: Cards,
    size: int,
    opened: Ints,
    origin: int,
    target: int,
) -> int:
    """Count the cards that could be covered at once after a stacking move."""
    moved = row[origin]
    landed = target if target < origin else target - 1
    below = (1 << origin) - 1
    every = 0
    for k in range(offsets.shape[0]):
        offset = offsets[k]
        word = opened[k]
        word = (word & below) | ((word >> 1) & ~below)
        span = abs(offset)
        low = origin - span if offset > 0 else origin
        for step in range(span + 2):
            place = low + step
            if step == span:
                place = landed
            elif step > span:
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
                fits = _covers(partners, over, under)
            word = (word & ~(1 << place)) | (fits << place)
        every |= word
    return bits(every)


@njit(cache=True, nogil=True)
def _change(
    matches: Ints,
    row: Cards,
    counts: Ints,
    sums: Floats,
    origin: int,
    target: int,
) -> float:
    """What a stacking move adds to the sum."""
    moved, covered = row[origin], row[target]
    leftward = target < origin
    counted = NO_LEFT if leftward else NO_RIGHT
    added: float = sums[ON_LEFT, target] + sums[ON_RIGHT, target]
    added -= sums[counted, origin]
    right, left = counts[RIGHT, origin], counts[LEFT, origin]
    if leftward:
        left -= 1
    else:
        right -= 1
    for place in range(min(origin, target) + 1, max(origin, target)):
        by_moved = _covers(matches, moved, row[place])
        by_covered = _covers(matches, covered, row[place])
        if by_covered:
            added -= sums[counted, place]
        if not (by_moved or by_covered):
            continue
        to_right, to_left = counts[RIGHT, place], counts[LEFT, place]
        if leftward:
            right, left = right + by_moved, left - by_moved
            to_right, to_left = to_right - by_moved, to_left + by_moved - by_covered
        else:
            right, left = right - by_moved, left + by_moved
            to_right, to_left = to_right + by_moved - by_covered, to_left - by_moved
        changed = sums[MASS, place] * _term(to_right, to_left, sums[PULL, place])
        added += changed - sums[TERM, place]
    added += sums[MASS, origin] * _term(right, left, sums[PULL, origin])
    added -= sums[TERM, origin] + sums[TERM, target]
    return added


@njit(cache=True, nogil=True)
def _pair_change(sums: Floats, origin: int, target: int) -> float:
    """What the removal of a pair adds to the sum, nearly."""
    added = 0.0
    for place in (origin, target):
        added += sums[ON_LEFT, place] + sums[ON_RIGHT, place] - sums[TERM, place]
    return added


@njit(cache=True, nogil=True)
def _stack(
    matches: Ints, row: Cards, counts: Ints, size: int, origin: int, target: int
) -> int:
    """Make a stacking move and keep the counts right; returns the length after."""
    moved, covered = row[origin], row[target]
    for place in range(size):
        card = row[place]
        gone = _covers(matches, covered, card)
        if place < target:
            counts[RIGHT, place] -= gone
        elif place > target:
            counts[LEFT, place] -= gone
    right, left = counts[RIGHT, origin], counts[LEFT, origin]
    step = 1 if target < origin else -1
    for place in range(target + step, origin, step):
        passed = step * _covers(matches, moved, row[place])
        right, left = right + passed, left - passed
        counts[RIGHT, place] -= passed
        counts[LEFT, place] += passed
    row[target], counts[RIGHT, target], counts[LEFT, target] = moved, right, left
    for place in range(origin, size - 1):
        row[place] = row[place + 1]
        counts[RIGHT, place] = counts[RIGHT, place + 1]
        counts[LEFT, place] = counts[LEFT, place + 1]
    return size - 1


@njit(cache=True, nogil=True)
def _remove_pair(
    matches: Ints, row: Cards, counts: Ints, size: int, origin: int, target: int
) -> int:
    """Remove a pair and count anew; returns the length after."""
    for place in range(max(origin, target), size - 1):
        row[place] = row[place + 1]
    for place in range(min(origin, target), size - 2):
        row[place] = row[place + 1]
    _survey(matches, row, counts, size - 2)
    return size - 2


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
    # A tuple of arrays handed to an inner kernel costs more than its work.
    partners, offsets, pairs = (
        rules.partners,
        rules.offsets,
        rules.effect == REMOVE_PAIR,
    )
    row, counts, sums, opened = at.row, at.counts, at.sums, at.open
    tally, random, origins, targets = at.tally, at.random, at.origins, at.targets
    matches, goal = rules.matches, rules.first
    open_weight, goal_weight = weights.open_weight, weights.goal_weight
    _survey(matches, row, counts, size)
    made = 0
    valued = 0
    while size > stop:
        reach = weights.reach / (size * size)
        _prepare(row, counts, sums, tally, size, reach, goal, goal_weight)
        _open(partners, offsets, row, size, opened)
        best, best_origin, best_target = _WORST, -1, -1
        for k in range(offsets.shape[0]):
            word = opened[k]
            while word:
                target = bits((word & -word) - 1)
                word &= word - 1
                origin = target + offsets[k]
                valued += 1
                value = noise * _noise(random)
                if pairs:
                    value -= _pair_change(sums, origin, target)
                else:
                    value -= _change(matches, row, counts, sums, origin, target)
                    value += open_weight * _open_after(
                        partners, offsets, row, size, opened, origin, target
                    )
                if value > best:
                    best, best_origin, best_target = value, origin, target
        if best_origin < 0:
            break
        origins[made] = best_origin
        targets[made] = best_target
        made += 1
        if pairs:
            size = _remove_pair(matches, row, counts, size, best_origin, best_target)
        else:
            size = _stack(matches, row, counts, size, best_origin, best_target)
    return size, made, valued
