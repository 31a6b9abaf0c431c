"""A pass of the heuristic search: the best-valued moves, with noise, to a short row.

The value of a row estimates how easily its cards can be covered::

    - sum over the cards of right^r * (1 + reach / n^2)^-l
    + open_weight * (number of cards that can be covered in the next move)

where r and l are the numbers of cards to the right and to the left that match the card,
and so could cover it now or later, and n is the length of the row. The term of a goal
card, which must cover all others, is goal_weight * _GOAL_FACTOR^(r + l) instead. Where
pairs are removed, open_weight is not used, and the change of the sum is approximate.

The formula was found by regression on rows that were solved exactly;
tools/tune_weights.py tunes its weights. When a card is covered, the terms of the others
change by amounts that depend only on its rank and suit. So one loop over the row from
each end prepares the values of all moves, and the time to value a move does not depend
on the length of the row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numba import njit

from service.solver.kernels.bits import bits
from service.solver.kernels.heuristic_state import (
    GOAL,
    LEFT,
    NO_LEFT,
    NO_RIGHT,
    ON_LEFT,
    ON_RIGHT,
    RANK_COUNT,
    RIGHT,
    TERM,
)
from service.solver.kernels.outcomes import cuts_off, find_card
from service.solver.kernels.rules import REMOVE_PAIR

if TYPE_CHECKING:
    from service.solver.kernels.heuristic_state import HeuristicState, Weights
    from service.solver.kernels.rules import Cards, Floats, Ints, Rules

_GOAL_FACTOR = 0.6
"""The factor, per matching card, of the term of a goal card."""
_LOWEST = -1e9


@njit(nogil=True, inline="always")
def random_number(random: Ints) -> float:
    """Draw a random number, at least 0 and less than 1 (xorshift)."""
    state = random[0]
    state ^= state << 13
    state ^= (state >> 7) & 0x1FFFFFFFFFFFFFF
    state ^= state << 17
    random[0] = state
    drawn: float = (state & 0xFFFFFFFF) / 4294967296.0
    return drawn


@njit(nogil=True, inline="always")
def _covers(partners: Ints, origin: int, target: int) -> int:
    """Whether one card may cover another (or, given ``matches``, match it): 1 or 0."""
    fits: int = (partners[target] >> origin) & 1
    return fits


@njit(nogil=True)
def _count_coverers(matches: Ints, row: Cards, counts: Ints, size: int) -> None:
    """Count, for each card, the cards on either side that match it."""
    for place in range(size):
        counts[LEFT, place] = 0
        counts[RIGHT, place] = 0
        for other in range(place):
            counts[LEFT, place] += _covers(matches, row[other], row[place])
        for other in range(place + 1, size):
            counts[RIGHT, place] += _covers(matches, row[other], row[place])


@njit(nogil=True, inline="always")
def _set_powers(powers: Floats, factor: float, first: float) -> None:
    """Set an array to ``first * factor**k``, with k the index."""
    for count in range(powers.shape[0]):
        powers[count] = first
        first *= factor


@njit(nogil=True)
def _value_cards(
    row: Cards,
    counts: Ints,
    sums: Floats,
    powers: Floats,
    tally: Floats,
    size: int,
    goal: int,
) -> None:
    """Set the term of each card, and the increase of the others when it is covered."""
    tally[:] = 0.0
    for place in range(size):
        suit = row[place] // RANK_COUNT
        rank = row[place] - RANK_COUNT * suit
        suit += RANK_COUNT
        kind = GOAL if row[place] == goal else 0
        term = powers[kind + RIGHT, counts[RIGHT, place]]
        term *= powers[kind + LEFT, counts[LEFT, place]]
        sums[TERM, place] = term
        without = term / powers[kind + LEFT, 1] - term
        sums[NO_LEFT, place] = without
        without = term * powers[kind + RIGHT, 0] / powers[kind + RIGHT, 1] - term
        sums[NO_RIGHT, place] = without
        sums[ON_LEFT, place] = tally[rank] + tally[suit]
        tally[rank] += without
        tally[suit] += without
    tally[:] = 0.0
    for place in range(size - 1, -1, -1):
        suit = row[place] // RANK_COUNT
        rank = row[place] - RANK_COUNT * suit
        suit += RANK_COUNT
        sums[ON_RIGHT, place] = tally[rank] + tally[suit]
        tally[rank] += sums[NO_LEFT, place]
        tally[suit] += sums[NO_LEFT, place]


@njit(nogil=True)
def _find_coverable(
    partners: Ints, offsets: Ints, row: Cards, size: int, coverable: Ints
) -> None:
    """Find the places that moves can cover, by offset, and by offsets one longer."""
    for k in range(offsets.shape[0]):
        longer = 1 if offsets[k] > 0 else -1
        for extra in range(2):
            offset = offsets[k] + extra * longer
            word = 0
            for target in range(max(-offset, 0), min(size - offset, size)):
                word |= _covers(partners, row[target + offset], row[target]) << target
            coverable[extra, k] = word


@njit(nogil=True, inline="always")
def _coverable_without(coverable: Ints, k: int, offset: int, origin: int) -> int:
    """Return the places that moves of an offset can cover without the pile at a place.

    Two piles with that place between them are now one place closer to each other.
    """
    same, longer = coverable[0, k], coverable[1, k]
    below = (1 << origin) - 1
    if offset > 0:
        low = (1 << max(origin - offset, 0)) - 1
        word: int = (same & low) | (longer & (below ^ low)) | (same >> 1 & ~below)
    else:
        high = (1 << (origin - offset)) - 1
        word = (same & below) | (longer >> 1 & (high ^ below)) | (same >> 1 & ~high)
    return word


@njit(nogil=True)
def _count_coverable_after(
    partners: Ints,
    offsets: Ints,
    row: Cards,
    size: int,
    coverable: Ints,
    origin: int,
    target: int,
) -> int:
    """Count the cards that can be covered in the move after a stacking move."""
    moved = row[origin]
    landed = target if target < origin else target - 1
    every = 0
    for k in range(offsets.shape[0]):
        offset = offsets[k]
        word = _coverable_without(coverable, k, offset, origin)
        word &= ~(1 << landed)
        over, under = landed + offset, landed - offset
        if 0 <= over < size - 1:
            card = row[over + (over >= origin)]
            word |= _covers(partners, card, moved) << landed
        if 0 <= under < size - 1:
            card = row[under + (under >= origin)]
            word = word & ~(1 << under) | _covers(partners, moved, card) << under
        every |= word
    return bits(every)


@njit(nogil=True)
def _stack_change(
    matches: Ints,
    row: Cards,
    counts: Ints,
    sums: Floats,
    powers: Floats,
    goal: int,
    origin: int,
    target: int,
) -> float:
    """Return the change of the sum that a stacking move causes."""
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
        kind = GOAL if row[place] == goal else 0
        changed = powers[kind + RIGHT, to_right] * powers[kind + LEFT, to_left]
        added += changed - sums[TERM, place]
    kind = GOAL if moved == goal else 0
    added += powers[kind + RIGHT, right] * powers[kind + LEFT, left]
    added -= sums[TERM, origin] + sums[TERM, target]
    return added


@njit(nogil=True)
def _pair_change(sums: Floats, origin: int, target: int) -> float:
    """Return the approximate change of the sum that the removal of a pair causes."""
    added = 0.0
    for place in (origin, target):
        added += sums[ON_LEFT, place] + sums[ON_RIGHT, place] - sums[TERM, place]
    return added


@njit(nogil=True)
def _stack(
    matches: Ints, row: Cards, counts: Ints, size: int, origin: int, target: int
) -> int:
    """Make a stacking move, update the counts, and return the new length."""
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


@njit(nogil=True)
def _remove_pair(
    matches: Ints, row: Cards, counts: Ints, size: int, origin: int, target: int
) -> int:
    """Remove a pair, count again, and return the new length."""
    for place in range(max(origin, target), size - 1):
        row[place] = row[place + 1]
    for place in range(min(origin, target), size - 2):
        row[place] = row[place + 1]
    _count_coverers(matches, row, counts, size - 2)
    return size - 2


@njit(nogil=True)
def make_best_moves(
    rules: Rules,
    weights: Weights,
    state: HeuristicState,
    size: int,
    made: int,
    stop: int,
    noise: float,
) -> tuple[int, int, int]:
    """Make the best-valued moves until a row is short.

    Args:
        rules: The variant; one that stacks or removes pairs.
        weights: The weights of the value.
        state: Contains the row; the moves are made in it and appended.
        size: The number of cards.
        made: The number of moves made before.
        stop: The number of cards at which to stop.
        noise: The width of the noise added to each value.

    Returns:
        The number of cards left, of moves made, and of rows valued.
    """
    # Passing a tuple of arrays to an inner kernel takes longer than running it.
    partners, offsets, pairs = (
        rules.partners,
        rules.offsets,
        rules.effect == REMOVE_PAIR,
    )
    row, counts, sums, coverable = state.row, state.counts, state.sums, state.open
    powers, tally, random, origins, targets = (
        state.powers,
        state.tally,
        state.random,
        state.origins,
        state.targets,
    )
    matches, goal, least = rules.matches, rules.first, rules.goal_place
    open_weight = weights.open_weight
    valued = 0
    _set_powers(powers[RIGHT], weights.right, 1.0)
    _set_powers(powers[GOAL + RIGHT], _GOAL_FACTOR, weights.goal_weight)
    _set_powers(powers[GOAL + LEFT], _GOAL_FACTOR, 1.0)
    if size > stop:
        _count_coverers(matches, row, counts, size)
    while size > stop:
        _set_powers(powers[LEFT], 1.0 / (1.0 + weights.reach / (size * size)), 1.0)
        _value_cards(row, counts, sums, powers, tally, size, goal)
        _find_coverable(partners, offsets, row, size, coverable)
        at_goal = find_card(row, size, goal) if least > 0 else -1
        best, best_origin, best_target = _LOWEST, -1, -1
        for k in range(offsets.shape[0]):
            word = coverable[0, k]
            while word:
                target = bits((word & -word) - 1)
                word &= word - 1
                origin = target + offsets[k]
                valued += 1
                value = noise * random_number(random)
                if pairs:
                    value -= _pair_change(sums, origin, target)
                else:
                    value -= _stack_change(
                        matches, row, counts, sums, powers, goal, origin, target
                    )
                    value += open_weight * _count_coverable_after(
                        partners, offsets, row, size, coverable, origin, target
                    )
                if least > 0 and cuts_off(at_goal, origin, target, size, least):
                    continue
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
