"""A plain search for wins of open Accordion, to compare the solver with.

From the whole row, make the move with the best value plus noise until 14 piles are
left; then search exhaustively, 20,000 rows at most; if that does not win, start again.
The value of each candidate is computed from scratch. The value of a row of n piles:
0.158 x moves + 0.123 x moves / n + 0.1 x pairs of equal rank + the weight of the best
rank + 0.15 x that of the second, where a rank weighs the sum over its cards of
0.7 + 1.96 x place / n, times 0.28 when it has one card.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_END = 14
_LIMIT = 20_000
_NOISE = 0.3


class SimpleSolver:
    """The search and its tables."""

    def __init__(self) -> None:
        """Allocate the tables."""
        rng = np.random.default_rng(1)
        self._codes = rng.integers(1, 2**63, size=(54, 52), dtype=np.uint64)
        self._table = np.zeros(1 << 16, np.uint64)

    def win(self, cards: bytes, seed: int, tries: int) -> bool:
        """Try to win an open deal."""
        deal = np.frombuffer(cards, np.uint8)
        return bool(_win(deal, seed, tries, self._codes, self._table))


@njit(cache=True, nogil=True)
def _match(a: int, b: int) -> bool:
    return a % 13 == b % 13 or a // 13 == b // 13


@njit(cache=True, nogil=True)
def _value(
    row: NDArray[np.uint8],
    n: int,
    count: NDArray[np.int64],
    weight: NDArray[np.float64],
) -> float:
    moves = 0
    for i in range(1, n):
        moves += _match(row[i], row[i - 1])
        moves += i >= 3 and _match(row[i], row[i - 3])  # noqa: PLR2004
    count[:] = 0
    weight[:] = 0.0
    for i in range(n):
        rank = row[i] % 13
        count[rank] += 1
        weight[rank] += 0.7 + 1.96 * (i + 1) / n
    pairs = 0
    best = 0.0
    second = 0.0
    for rank in range(13):
        pairs += count[rank] * (count[rank] - 1) // 2
        whole = weight[rank] * (0.28 if count[rank] == 1 else 1.0)
        if whole > best:
            best, second = whole, best
        elif whole > second:
            second = whole
    return 0.158 * moves + 0.123 * moves / n + 0.1 * pairs + best + 0.15 * second


@njit(cache=True, nogil=True)
def _stack(
    row: NDArray[np.uint8], n: int, i: int, j: int, out: NDArray[np.uint8]
) -> None:
    for k in range(i):
        out[k] = row[k]
    out[j] = row[i]
    for k in range(i, n - 1):
        out[k] = row[k + 1]


@njit(cache=True, nogil=True)
def _search(
    rows: NDArray[np.uint8],
    n: int,
    table: NDArray[np.uint64],
    codes: NDArray[np.uint64],
    spent: NDArray[np.int64],
) -> int:
    """Search depth first from ``rows[n]``: 1 won, 0 not winnable, -1 limit reached."""
    if n == 1:
        return 1
    if spent[0] >= _LIMIT:
        return -1
    spent[0] += 1
    row = rows[n]
    code = np.uint64(n)
    for i in range(n):
        code ^= codes[i, row[i]]
    last = np.uint64(table.shape[0] - 1)
    slot = code & last
    while table[slot] != 0:
        if table[slot] == code:
            return 0
        slot = (slot + np.uint64(1)) & last
    table[slot] = code
    for i in range(1, n):
        for d in (1, 3):
            if i >= d and _match(row[i], row[i - d]):
                _stack(row, n, i, i - d, rows[n - 1])
                state = _search(rows, n - 1, table, codes, spent)
                if state != 0:
                    return state
    return 0


@njit(cache=True, nogil=True)
def _descend(
    rows: NDArray[np.uint8],
    noisy: bool,  # noqa: FBT001
    candidate: NDArray[np.uint8],
    count: NDArray[np.int64],
    weight: NDArray[np.float64],
) -> int:
    """Make moves from ``rows[52]``; return the number of piles left."""
    n = 52
    while n > _END:
        row = rows[n]
        best_i, best_j, best = -1, -1, -1e9
        for i in range(1, n):
            for d in (1, 3):
                if i >= d and _match(row[i], row[i - d]):
                    _stack(row, n, i, i - d, candidate)
                    value = _value(candidate, n - 1, count, weight)
                    if noisy:
                        value += np.random.uniform(-_NOISE, _NOISE)  # noqa: NPY002
                    if value > best:
                        best_i, best_j, best = i, i - d, value
        if best_i < 0:
            break
        _stack(row, n, best_i, best_j, rows[n - 1])
        n -= 1
    return n


@njit(cache=True, nogil=True)
def _win(
    deal: NDArray[np.uint8],
    seed: int,
    tries: int,
    codes: NDArray[np.uint64],
    table: NDArray[np.uint64],
) -> bool:
    rows = np.zeros((54, 54), np.uint8)
    candidate = np.zeros(54, np.uint8)
    count = np.zeros(13, np.int64)
    weight = np.zeros(13)
    spent = np.zeros(1, np.int64)
    np.random.seed(seed)  # noqa: NPY002 - what numba's kernels know
    rows[52, :52] = deal
    for attempt in range(tries):
        n = _descend(rows, attempt > 0, candidate, count, weight)
        if n > _END:
            continue
        table[:] = 0
        spent[0] = 0
        if _search(rows, n, table, codes, spent) == 1:
            return True
    return False
