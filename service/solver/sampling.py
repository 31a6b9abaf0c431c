"""Hints where moves are compulsory and cards are hidden.

A player knows the row and which cards are still to be dealt, but not their order.
So orders of the next cards are drawn at random, and for each order the position
after each legal move is searched exhaustively. If the cards drawn are all that are
left, moves are compared first by how often they win. Otherwise, and if this decides
nothing, they are compared by the fewest piles that can be reached. Drawing more than
a few cards makes hints worse: with the order known, a search can avoid nearly any
loss, so all moves seem equal, and fewer orders are searched within the budget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numba import njit

from service.solver.kernels.moves import apply_move, is_won, legal_moves
from service.solver.kernels.row_table import add, find_slot, words_for, write_key
from service.solver.kernels.rules import MAX_ROW, rules_of
from service.solver.verdict import Hint, HintCode, Verdict

if TYPE_CHECKING:
    from service.engine.position import Position
    from service.solver.budget import Budget
    from service.solver.kernels.rules import Cards, Ints, Rules

_SLOTS: Final = 1 << 16
_STAMPS: Final = 7
_PER_SAMPLE: Final = 40_000
"""The most rows examined for one order of the cards, for all moves together."""
_MAX_SAMPLES: Final = 400
_HORIZON: Final = 8
"""The most cards that are drawn in one order."""
_PER_PILE: Final = 0.6
"""The value of a row, as a fraction of that of a row with one pile fewer."""
_DEAL: Final = 255


class SamplingWorkspace(NamedTuple):
    """The arrays of a search for the fewest piles, reused for each order.

    Attributes:
        table: int64[slots, words + 1], positions as in ``row_table`` and, in the last
            column, the fewest piles that can be reached from them.
        stamp: int64[2], the stamp in use and the number of slots in use.
        key: int64[words], scratch.
        rows: uint8[depths, 52], the row at each depth.
        numbers: int64[5, depths]; for each depth, the number of cards in the row, of
            cards dealt and of moves still to be tried (-1 if the row has not been
            examined yet), the slot in the table, and the fewest piles.
        origins: int64[depths, moves], the origins of the moves at each depth.
        targets: int64[depths, moves], their targets.
    """

    table: Ints
    stamp: Ints
    key: Ints
    rows: Cards
    numbers: Ints
    origins: Ints
    targets: Ints


_SIZE, _DEALT, _LEFT, _SLOT, _FEWEST = range(5)


def _new_workspace(rules: Rules, cards: int) -> SamplingWorkspace:
    words, depths = words_for(cards), 2 * MAX_ROW + 2
    moves = cards * len(rules.offsets) + 1
    return SamplingWorkspace(
        table=np.zeros((_SLOTS, words + 1), np.int64),
        stamp=np.zeros(2, np.int64),
        key=np.zeros(words, np.int64),
        rows=np.zeros((depths, MAX_ROW), np.uint8),
        numbers=np.zeros((5, depths), np.int64),
        origins=np.zeros((depths, moves), np.int64),
        targets=np.zeros((depths, moves), np.int64),
    )


@njit(nogil=True)
def fewest_piles(  # noqa: C901, PLR0912, PLR0915 - one loop, as in exhaustive_search
    rules: Rules,
    row: Cards,
    size: int,
    stock: Cards,
    limit: int,
    work: SamplingWorkspace,
) -> tuple[int, int]:
    """Find the fewest piles that can be reached with compulsory moves; 0 for a win.

    Args:
        rules: The variant.
        row: The cards of the row, uint8[>= size].
        size: The number of cards in the row.
        stock: uint8[s], the cards to be dealt, the next one first.
        limit: The number of rows to examine. A further row is not searched: its piles
            plus the cards still to be dealt count as the fewest piles it can reach.
        work: Overwritten. While its stamp stays the same, so must the stock.

    Returns:
        The fewest piles, and the number of rows examined.
    """
    table, key, rows, numbers = work.table, work.key, work.rows, work.numbers
    value = table.shape[1] - 1
    cards = stock.shape[0]
    depth, nodes = 0, 0
    rows[0, :size] = row[:size]
    numbers[_SIZE, 0] = size
    numbers[_DEALT, 0] = 0
    numbers[_LEFT, 0] = -1
    while True:
        size, dealt = numbers[_SIZE, depth], numbers[_DEALT, depth]
        if numbers[_LEFT, depth] < 0:
            write_key(key, rows[depth], size, dealt, work.stamp[0])
            slot = find_slot(table[:, :value], key)
            numbers[_SLOT, depth] = slot
            numbers[_LEFT, depth] = 0
            numbers[_FEWEST, depth] = MAX_ROW
            if table[slot, 0] != 0:
                numbers[_FEWEST, depth] = table[slot, value]
            elif dealt == cards and is_won(rules, rows[depth], size):
                numbers[_FEWEST, depth] = 0
            elif nodes >= limit:
                numbers[_FEWEST, depth] = size + cards - dealt
            else:
                nodes += 1
                add(table, slot, key)
                table[slot, value] = MAX_ROW
                work.stamp[1] += 1
                count = legal_moves(
                    rules, rows[depth], size, work.origins[depth], work.targets[depth]
                )
                if count == 0 and dealt < cards:
                    work.origins[depth, 0] = _DEAL
                    count = 1
                elif count == 0:
                    numbers[_FEWEST, depth] = size
                    table[slot, value] = size
                numbers[_LEFT, depth] = count
        if numbers[_LEFT, depth] == 0 or numbers[_FEWEST, depth] == 0:
            fewest = numbers[_FEWEST, depth]
            if depth == 0:
                return fewest, nodes
            depth -= 1
            if fewest < numbers[_FEWEST, depth]:
                numbers[_FEWEST, depth] = fewest
                table[numbers[_SLOT, depth], value] = fewest
            continue
        numbers[_LEFT, depth] -= 1
        move = numbers[_LEFT, depth]
        origin, target = work.origins[depth, move], work.targets[depth, move]
        below = depth + 1
        numbers[_DEALT, below] = dealt
        if origin == _DEAL:
            rows[below, :size] = rows[depth, :size]
            rows[below, size] = stock[dealt]
            numbers[_SIZE, below] = size + 1
            numbers[_DEALT, below] += 1
        else:
            numbers[_SIZE, below] = apply_move(
                rules, rows[depth], size, origin, target, rows[below]
            )
        depth = below
        numbers[_LEFT, depth] = -1


def sample_hint(position: Position, budget: Budget, seed: int) -> Hint:
    """Choose a move where moves are compulsory.

    Args:
        position: A position with cards to be dealt and several legal moves.
        budget: The work allowed.
        seed: Seeds the orders drawn, at least 0.
    """
    ruleset = position.ruleset
    rules = rules_of(ruleset, position.goal, compulsory=True)
    unseen = sorted(position.stock)
    tail = []
    if ruleset.pins is not None and ruleset.pins[1] in unseen:
        # The rules fix the card that is dealt last.
        tail = [ruleset.pins[1]]
        unseen.remove(tail[0])
    all_cards = len(position.stock) <= _HORIZON
    draws = np.random.default_rng([seed, *position.row, *unseen])
    work = _new_workspace(rules, len(position.row) + len(position.stock))
    moves = position.legal_moves
    rows = [np.frombuffer(position.apply(move).row, np.uint8) for move in moves]
    wins = np.zeros(len(moves), np.int64)
    piles = np.zeros(len(moves), np.int64)
    worth = np.zeros(len(moves), np.float64)
    nodes = samples = 0
    while samples < _MAX_SAMPLES and (most := budget.slice()):
        order = np.array([*draws.permutation(unseen), *tail], np.uint8)[:_HORIZON]
        _next_stamp(work)
        for index, row in enumerate(rows):
            limit = min(_PER_SAMPLE, most) // len(moves)
            fewest, spent = fewest_piles(rules, row, len(row), order, limit, work)
            fewest_left = max(fewest, rules.goal_length)
            wins[index] += all_cards and fewest == 0
            piles[index] += fewest_left
            worth[index] += _PER_PILE**fewest_left
            budget.spend(spent)
            nodes += spent
        samples += 1
    best = max(range(len(moves)), key=lambda index: (wins[index], worth[index]))
    figures = {"samples": samples}
    if wins[best] > sorted(wins)[-2]:
        reason = HintCode.BEST_ODDS
        figures["wins"] = int(wins[best])
    else:
        reason = HintCode.FEWEST_PILES
        figures["piles"] = round(int(piles[best]) / max(samples, 1))
    return Hint(moves[best], Verdict.UNKNOWN, reason, figures, nodes=nodes)


def _next_stamp(work: SamplingWorkspace) -> None:
    """Invalidate the earlier entries of the table; clear it if it is nearly full."""
    work.stamp[0] += 1
    if work.stamp[0] > _STAMPS or work.stamp[1] + _PER_SAMPLE > _SLOTS * 3 // 4:
        work.table[:] = 0
        work.stamp[0] = 1
        work.stamp[1] = 0
