"""Removal games in which what leaves is a block: solved outright, in polynomial time.

Let the cards be numbered by their first places. A move takes away neighbours,
so at any time the cards that are gone between two cards still there went by
moves made wholly between them: a move that reached over a card would have
taken it along. What happens on either side of a card that stays to the end is
therefore independent, and whether a stretch can be cleared depends on the
cards of that stretch alone. Both kernels build that up from short stretches
to long ones, so a row they cannot clear is proved lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from service.engine.position import Move
from service.solver.kernels.rules import ANY, REMOVE_BETWEEN

if TYPE_CHECKING:
    from service.solver.kernels.rules import Cards, Ints, Rules

_LONGEST = 52
_SUM_BITS = 62


@njit(cache=True, nogil=True)
def closable(rules: Rules, row: Cards, size: int, chains: Ints) -> None:
    """Find which pairs of cards can become neighbours (``REMOVE_BETWEEN``).

    A pair closes when they are neighbours already, or when they match and
    there are d - 1 cards between, d a legal offset, so that the pair, these
    cards and nothing else remain: a chain of d links, each of which closes.

    Args:
        rules: The variant.
        row: The cards, uint8[>= size].
        size: How many there are.
        chains: int64[links + 1, 52], zeros, with links the largest offset.
            Bit a of ``chains[k, b]`` is set when a chain of k links leads
            from a to b; so ``chains[1, b]`` holds the pairs that close.
    """
    most = chains.shape[0] - 1
    starts = np.zeros(_LONGEST, np.int64)  # bit b of starts[a]: the pair closes
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


@njit(cache=True, nogil=True)
def run_sums(
    rules: Rules, row: Cards, size: int, start: int, cleared: Ints, sums: Ints
) -> None:
    """Find the sums that a run from one card can reach (``REMOVE_RUN``).

    Args:
        rules: The variant.
        row: The cards, uint8[>= size].
        size: How many there are.
        start: The first card of the run.
        cleared: int64[53]; bit b of ``cleared[a]`` is set when the cards from a
            to b - 1 can all leave. Needed for a > start.
        sums: int64[most + 1, 52]; bit s of ``sums[k, x]`` is set when k cards,
            the last of them x, can become neighbours with the sum s.
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
            sums[count, x] &= (1 << (_SUM_BITS + 1)) - 1


@njit(cache=True, nogil=True)
def completed(rules: Rules, sums: Ints, x: int) -> int:
    """Return with how many cards a run can end at ``x``; 0 when it cannot."""
    for offset in rules.offsets:
        if sums[offset + 1, x] & rules.totals:
            return int(offset) + 1
    return 0


@njit(cache=True, nogil=True)
def clearable(rules: Rules, row: Cards, size: int, cleared: Ints, sums: Ints) -> None:
    """Find which stretches can leave altogether (``REMOVE_RUN``).

    The first card of a stretch leaves in some run; between the cards of that
    run everything left before, and after its last card the rest leaves.

    Args:
        rules: The variant.
        row: The cards, uint8[>= size].
        size: How many there are.
        cleared: int64[53], zeros; gets bit b of ``cleared[a]`` when the cards
            from a to b - 1 can all leave.
        sums: Scratch for ``run_sums``.
    """
    for start in range(size, -1, -1):
        cleared[start] = 1 << start
        if start == size:
            continue
        run_sums(rules, row, size, start, cleared, sums)
        for x in range(start, size):
            if completed(rules, sums, x):
                cleared[start] |= cleared[x + 1]


def clear_row(rules: Rules, row: Cards, size: int) -> list[Move] | None:
    """Solve a row of a removal game in which blocks leave.

    Returns:
        The moves that win, or None, which is a proof that none do.
    """
    if rules.effect == REMOVE_BETWEEN:
        blocks = _close_ends(rules, row, size)
    else:
        blocks = _clear_all(rules, row, size)
    return None if blocks is None else _number(blocks, size, rules.effect)


def _close_ends(rules: Rules, row: Cards, size: int) -> list[tuple[int, int]] | None:
    """Close the first and the last card, which never leave."""
    if size < rules.goal_length:
        return None
    ends = ((row[0], rules.first), (row[size - 1], rules.last))
    if any(pin not in (ANY, card) for card, pin in ends):
        return None
    chains = np.zeros((int(rules.offsets.max()) + 1, _LONGEST), np.int64)
    closable(rules, row, size, chains)
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
    """Clear the whole row."""
    sums = np.zeros((int(rules.offsets.max()) + 2, _LONGEST), np.int64)
    cleared = np.zeros(_LONGEST + 1, np.int64)
    clearable(rules, row, size, cleared, sums)
    if not cleared[0] >> size & 1:
        return None
    blocks: list[tuple[int, int]] = []

    def clear(a: int, b: int) -> None:
        while a < b:
            run_sums(rules, row, size, a, cleared, sums)
            reached = sums.copy()
            end = next(
                x
                for x in range(a, b)
                if completed(rules, reached, x) and cleared[x + 1] >> b & 1
            )
            blocks.append((a, end))
            count, gaps, x = completed(rules, reached, end), [], end
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


def _number(blocks: list[tuple[int, int]], size: int, effect: int) -> list[Move]:
    """Write blocks, given by first places, as moves on the shrinking row."""
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
