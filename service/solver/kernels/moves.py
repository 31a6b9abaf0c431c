"""Moves on a row of cards: what is legal, and what it does.

The kernels' reading of the rules; the tests hold it against the engine's for
every variant. A row is uint8[52] of which the first ``size`` cards count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from numba import njit

from service.solver.kernels.rules import (
    ANY,
    REMOVE_BETWEEN,
    REMOVE_PAIR,
    REMOVE_RUN,
    STACK,
)

if TYPE_CHECKING:
    from service.solver.kernels.rules import Cards, Ints, Rules

_SUMS: Final = 63
"""Sums below this can be totals."""


@njit(cache=True, nogil=True)
def legal_moves(
    rules: Rules, row: Cards, size: int, origins: Ints, targets: Ints
) -> int:
    """List the legal moves of a row.

    Args:
        rules: The variant.
        row: The cards, uint8[>= size].
        size: How many there are.
        origins: Gets the origin of each move; int64, of one entry at least for
            each card and offset.
        targets: Gets the target of each move; the same.

    Returns:
        How many moves there are.
    """
    count = 0
    for origin in range(size):
        for offset in rules.offsets:
            target = origin - offset
            if target < 0 or target >= size:
                continue
            if rules.effect == REMOVE_RUN:
                total = 0
                for place in range(target, origin + 1):
                    total += rules.values[row[place]]
                fits = total < _SUMS and (rules.totals >> total) & 1
            else:
                fits = (rules.partners[row[target]] >> row[origin]) & 1
            if fits:
                origins[count] = origin
                targets[count] = target
                count += 1
    return count


@njit(cache=True, nogil=True)
def apply_move(
    rules: Rules, row: Cards, size: int, origin: int, target: int, out: Cards
) -> int:
    """Make a legal move.

    Args:
        rules: The variant.
        row: The cards before, uint8[>= size].
        size: How many there are.
        origin: Where the move starts.
        target: Where it ends.
        out: Gets the cards after; not the same array as ``row``.

    Returns:
        How many cards there are after.
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


@njit(cache=True, nogil=True)
def is_won(rules: Rules, row: Cards, size: int) -> bool:
    """Whether a row with nothing left to be dealt is won."""
    return (
        size == rules.goal_length
        and (rules.first == ANY or row[0] == rules.first)
        and (rules.last == ANY or row[size - 1] == rules.last)
    )
