"""Moves on a row of cards: which are legal, and what each does.

These are the rules of the engine, written for kernels; tests compare the two for
every variant. A row is uint8[52], of which only the first ``size`` cards are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from service.solver.kernels.rules import (
    ANY,
    HIGHEST_TOTAL,
    REMOVE_BETWEEN,
    REMOVE_PAIR,
    REMOVE_RUN,
    STACK,
)

if TYPE_CHECKING:
    from service.solver.kernels.rules import Cards, Ints, Rules


@njit(nogil=True, inline="always")
def _do_cards_fit(rules: Rules, row: Cards, origin: int, target: int) -> bool:
    """Whether the cards allow a move whose distance is legal."""
    if rules.effect == REMOVE_RUN:
        total = 0
        for place in range(target, origin + 1):
            total += rules.values[row[place]]
        leaves: bool = total <= HIGHEST_TOTAL and (rules.totals >> total) & 1 == 1
        return leaves
    fits: bool = (rules.partners[row[target]] >> row[origin]) & 1 == 1
    return fits


@njit(nogil=True)
def legal_moves(
    rules: Rules, row: Cards, size: int, origins: Ints, targets: Ints
) -> int:
    """List the legal moves of a row.

    Args:
        rules: The variant.
        row: The cards, uint8[>= size].
        size: The number of cards.
        origins: int64[>= size * offsets]; set to the origin of each move.
        targets: int64[>= size * offsets]; set to the target of each move.

    Returns:
        The number of moves.
    """
    count = 0
    for origin in range(size):
        for offset in rules.offsets:
            target = origin - offset
            if 0 <= target < size and _do_cards_fit(rules, row, origin, target):
                origins[count] = origin
                targets[count] = target
                count += 1
    return count


@njit(nogil=True)
def apply_move(
    rules: Rules, row: Cards, size: int, origin: int, target: int, out: Cards
) -> int:
    """Make a legal move.

    Args:
        rules: The variant.
        row: The cards before, uint8[>= size].
        size: The number of cards.
        origin: The place of the pile that moves; in removal games, the right end.
        target: The place of the pile that it moves onto, or the left end.
        out: uint8[>= size], not ``row`` itself; set to the cards after the move.

    Returns:
        The number of cards after the move.
    """
    after = 0
    for place in range(size):
        card = row[place]
        if rules.effect == STACK:
            stays = place != origin
            if place == target:
                card = row[origin]
        elif rules.effect == REMOVE_BETWEEN:
            stays = place <= target or place >= origin
        elif rules.effect == REMOVE_PAIR:
            stays = place != origin and place != target  # noqa: PLR1714
        else:
            stays = place < target or place > origin
        if stays:
            out[after] = card
            after += 1
    return after


@njit(nogil=True)
def is_won(rules: Rules, row: Cards, size: int) -> bool:
    """Whether a row is won, with all cards dealt."""
    return (
        size == rules.goal_length
        and (rules.first == ANY or row[0] == rules.first)
        and (rules.last == ANY or row[size - 1] == rules.last)
    )


@njit(nogil=True)
def wins(rules: Rules, row: Cards, size: int, line: Cards) -> bool:
    """Whether a line of moves is legal and wins.

    Args:
        rules: The variant.
        row: The cards before the first move, uint8[>= size].
        size: The number of cards.
        line: uint8[k, 2], the origin and the target of each move.
    """
    before, after = row.copy(), row.copy()
    for move in range(line.shape[0]):
        origin, target = int(np.int64(line[move, 0])), int(np.int64(line[move, 1]))
        is_legal = False
        for offset in rules.offsets:
            is_legal = is_legal or origin - target == offset
        if not is_legal or max(origin, target) >= size:
            return False
        if not _do_cards_fit(rules, before, origin, target):
            return False
        size = apply_move(rules, before, size, origin, target, after)
        before, after = after, before
    return is_won(rules, before, size)
