"""Removal games in which adjacent cards leave: solved exactly, in polynomial time.

Number the cards by their first places. A move removes adjacent cards. So the cards
that are missing between two cards of the row left by moves made entirely between
those two: a move across one of them would have removed it as well. Moves on either
side of a card that is never removed are therefore independent, and whether an
interval can be cleared depends only on the cards of that interval. Both kernels
work from short intervals to long ones, and a row that they cannot clear is proved
lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from service.engine.position import Move
from service.solver.kernels.rules import ANY, HIGHEST_TOTAL, MAX_ROW, REMOVE_BETWEEN

if TYPE_CHECKING:
    from service.solver.kernels.rules import Cards, Ints, Rules


@njit(nogil=True)
def find_closable(rules: Rules, row: Cards, size: int, chains: Ints) -> None:
    """Find the pairs of cards that can become adjacent (``REMOVE_BETWEEN``).

    A pair can become adjacent (it closes) if it is adjacent at the start, or if the
    two match and can be left with exactly d - 1 cards between them, for a legal
    offset d: a chain of d links from the one to the other, each link a pair that
    closes.

    Args:
        rules: The variant.
        row: The cards, uint8[>= size].
        size: The number of cards.
        chains: int64[links + 1, 52], zeros, with links the largest offset. Bit a
            of ``chains[k, b]`` is set if there is a chain of k links from a to b;
            so ``chains[1, b]`` has the pairs that close.
    """
    most = chains.shape[0] - 1
    starts = np.zeros(MAX_ROW, np.int64)  # bit b of starts[a]: the pair closes
    for width in range(1, size):
        for a in range(size - width):
            b = a + width
            closes = width == 1
            for links in range(2, most + 1):
                if starts[a] & chains[links - 1, b]:
                    chains[links, b] |= 1 << a
            if (rules.partners[row[a]] >> row[b]) & 1:
                for links in rules.offsets:
                    closes = closes or (chains[links, b] >> a) & 1 == 1
            if closes:
                starts[a] |= 1 << b
                chains[1, b] |= 1 << a


@njit(nogil=True)
def find_run_sums(
    rules: Rules, row: Cards, size: int, start: int, cleared: Ints, sums: Ints
) -> None:
    """Find the sums of the runs that start with a given card (``REMOVE_RUN``).

    Args:
        rules: The variant.
        row: The cards, uint8[>= size].
        size: The number of cards.
        start: The first card of the runs.
        cleared: int64[53]; bit b of ``cleared[a]`` is set if the cards from a to
            b - 1 can all leave. Read for a > start only.
        sums: int64[most + 1, 52], with most the number of cards in the longest
            run; overwritten. Bit s of ``sums[k, x]`` is set if k cards, the first
            of them ``start`` and the last x, can become adjacent and have the sum s.
    """
    most = sums.shape[0] - 1
    sums[:] = 0
    sums[1, start] = 1 << rules.values[row[start]]
    for x in range(start + 1, size):
        value = rules.values[row[x]]
        for y in range(start, x):
            if (cleared[y + 1] >> x) & 1:
                for count in range(2, min(most, x - start + 1) + 1):
                    sums[count, x] |= sums[count - 1, y] << value
        for count in range(2, most + 1):
            sums[count, x] &= (1 << (HIGHEST_TOTAL + 1)) - 1


@njit(nogil=True)
def completed_run_length(rules: Rules, sums: Ints, x: int) -> int:
    """Return the number of cards in a run that ends at ``x`` and can leave, or 0."""
    for offset in rules.offsets:
        if sums[offset + 1, x] & rules.totals:
            return int(offset) + 1
    return 0


@njit(nogil=True)
def find_clearable(
    rules: Rules, row: Cards, size: int, cleared: Ints, sums: Ints
) -> None:
    """Find the intervals of which every card can leave (``REMOVE_RUN``).

    The first card of an interval leaves in some run; the cards between those of
    the run left before it, and the cards after its last one can leave as well.

    Args:
        rules: The variant.
        row: The cards, uint8[>= size].
        size: The number of cards.
        cleared: int64[53], zeros; bit b of ``cleared[a]`` is set if the cards from
            a to b - 1 can all leave.
        sums: Scratch for ``find_run_sums``.
    """
    for start in range(size, -1, -1):
        cleared[start] = 1 << start
        if start == size:
            continue
        find_run_sums(rules, row, size, start, cleared, sums)
        for x in range(start, size):
            if completed_run_length(rules, sums, x):
                cleared[start] |= cleared[x + 1]


def clear_row(rules: Rules, row: Cards, size: int) -> list[Move] | None:
    """Solve a row of a removal game in which adjacent cards leave.

    Returns:
        The moves that win, or None: it is proved that no moves win.
    """
    if rules.effect == REMOVE_BETWEEN:
        blocks = _close_ends(rules, row, size)
    else:
        blocks = _clear_all(rules, row, size)
    return None if blocks is None else _moves_of_blocks(blocks, size, rules.effect)


def _close_ends(rules: Rules, row: Cards, size: int) -> list[tuple[int, int]] | None:
    """Find the blocks that make the first and the last card adjacent."""
    if size < rules.goal_length:
        return None
    ends = ((row[0], rules.first), (row[size - 1], rules.last))
    if any(pin not in (ANY, card) for card, pin in ends):
        return None
    chains = np.zeros((int(rules.offsets.max()) + 1, MAX_ROW), np.int64)
    find_closable(rules, row, size, chains)
    if not chains[1, size - 1] & 1:
        return None
    blocks: list[tuple[int, int]] = []

    def close(a: int, b: int) -> None:
        if b == a + 1:
            return
        links = next(int(d) for d in rules.offsets if chains[d, b] >> a & 1)
        blocks.append((a, b))
        while links > 1:
            x = next(
                x
                for x in range(a + 1, b)
                if chains[1, x] >> a & 1 and chains[links - 1, b] >> x & 1
            )
            close(a, x)
            a, links = x, links - 1
        close(a, b)

    close(0, size - 1)
    return blocks[::-1]


def _clear_all(rules: Rules, row: Cards, size: int) -> list[tuple[int, int]] | None:
    """Find the blocks that clear the whole row."""
    sums = np.zeros((int(rules.offsets.max()) + 2, MAX_ROW), np.int64)
    cleared = np.zeros(MAX_ROW + 1, np.int64)
    find_clearable(rules, row, size, cleared, sums)
    if not cleared[0] >> size & 1:
        return None
    blocks: list[tuple[int, int]] = []

    def clear(a: int, b: int) -> None:
        while a < b:
            find_run_sums(rules, row, size, a, cleared, sums)
            reached = sums.copy()
            end = next(
                x
                for x in range(a, b)
                if completed_run_length(rules, reached, x) and cleared[x + 1] >> b & 1
            )
            blocks.append((a, end))
            count, gaps, x = completed_run_length(rules, reached, end), [], end
            total = next(
                s
                for s in range(63)
                if reached[count, x] & rules.totals >> s << s & 1 << s
            )
            while count > 1:
                total -= int(rules.values[row[x]])
                before = next(
                    y
                    for y in range(a, x)
                    if cleared[y + 1] >> x & 1 and reached[count - 1, y] >> total & 1
                )
                gaps.append((before + 1, x))
                count, x = count - 1, before
            for gap in gaps:
                clear(*gap)
            a = end + 1

    clear(0, size)
    return blocks[::-1]


def _moves_of_blocks(
    blocks: list[tuple[int, int]], size: int, effect: int
) -> list[Move]:
    """Convert blocks to moves.

    The two ends of a block are places in the row before the first move; those of a
    move are places in the row just before that move.
    """
    left = list(range(size))
    moves = []
    for first, last in blocks:
        target, origin = left.index(first), left.index(last)
        moves.append(Move(origin, target))
        if effect == REMOVE_BETWEEN:
            del left[target + 1 : origin]
        else:
            del left[target : origin + 1]
    return moves
