"""Exhaustive search of the end of a game: rows of up to fifteen cards in one word.

The cards of the row are labelled from 1, at most 15, leftmost first. A row is an
int64, four bits a card, with the label of the leftmost card in the lowest bits and
zeros above the last label. A word contains the whole row, not a hash of it, so two
different rows are never confused, and a search that ends without a win has proved
that none exists.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numba import njit

from service.solver.kernels.bits import bits
from service.solver.kernels.outcomes import (
    LOST,
    UNFINISHED,
    WON,
    find_card,
    is_cut_off,
    is_proved_lost,
)
from service.solver.kernels.rules import (
    ANY,
    MAX_ENDGAME_LENGTH,
    MAX_ENDGAME_MOVES,
    REMOVE_PAIR,
)

if TYPE_CHECKING:
    from service.solver.kernels.rules import Cards, Ints, Rules

_SLOTS: Final = 1 << 14
_STAMPS: Final = 7
_COVER_VALUES: Final = np.array(
    [1000 // (n + 1) for n in range(MAX_ENDGAME_LENGTH + 1)], np.int64
)
"""The value of covering a card, by how many cards to its right could cover it."""


class EndgameWorkspace(NamedTuple):
    """The arrays of a search, allocated once and reused for the next row.

    Attributes:
        table: int64[_SLOTS], the rows visited: each a word with the stamp of the
            search that visited it in the highest four bits; 0 in a free slot.
        stamp: int64[2], the stamp in use and the number of slots in use.
        coverers: int64[16]; bit a of ``coverers[b]`` is set if label a may move
            onto label b.
        matches: int64[16]; bit a of ``matches[b]`` is set if labels a and b match.
        rows: int64[16, 64], the rows to be tried, by length.
        made: int64[16, 64], the moves that led to them, 64 * origin + target.
        left: int64[17], the number of rows still to be tried, by length.
        path: int64[16], the move that led to the row being tried, by length.
        keys: int64[64], the costs of the moves of one row.
        before: int64[16], scratch by place.
        value: int64[16], scratch by place.
        gain: int64[16], scratch by label.
    """

    table: Ints
    stamp: Ints
    coverers: Ints
    matches: Ints
    rows: Ints
    made: Ints
    left: Ints
    path: Ints
    keys: Ints
    before: Ints
    value: Ints
    gain: Ints


_THREAD_LOCAL = threading.local()


def workspace() -> EndgameWorkspace:
    """Return the workspace of this thread; the first call allocates it."""
    work: EndgameWorkspace | None = getattr(_THREAD_LOCAL, "work", None)
    if work is None:
        work = _THREAD_LOCAL.work = _new_workspace()
    return work


def _new_workspace() -> EndgameWorkspace:
    lengths, moves = MAX_ENDGAME_LENGTH + 1, MAX_ENDGAME_MOVES
    return EndgameWorkspace(
        table=np.zeros(_SLOTS, np.int64),
        stamp=np.zeros(2, np.int64),
        coverers=np.zeros(lengths, np.int64),
        matches=np.zeros(lengths, np.int64),
        rows=np.zeros((lengths, moves), np.int64),
        made=np.zeros((lengths, moves), np.int64),
        left=np.zeros(lengths + 1, np.int64),
        path=np.zeros(lengths, np.int64),
        keys=np.zeros(moves, np.int64),
        before=np.zeros(lengths, np.int64),
        value=np.zeros(lengths, np.int64),
        gain=np.zeros(lengths, np.int64),
    )


@njit(nogil=True, inline="always")
def _without(word: int, place: int) -> int:
    """Remove the card at a place from a row."""
    below = (1 << (4 * place)) - 1
    return (word & below) | ((word >> 4) & ~below)


@njit(nogil=True)
def _pack_row(
    rules: Rules, row: Cards, size: int, coverers: Ints, matches: Ints
) -> int:
    """Return the word of a row, and set ``coverers`` and ``matches``."""
    word = 0
    for place in range(size):
        word |= (place + 1) << (4 * place)
        coverers[place + 1] = 0
        matches[place + 1] = 0
        for other in range(size):
            bit = 1 << (other + 1)
            if (rules.partners[row[place]] >> row[other]) & 1 and other != place:
                coverers[place + 1] |= bit
            if (rules.matches[row[place]] >> row[other]) & 1:
                matches[place + 1] |= bit
    return word


@njit(nogil=True)
def _is_visited(table: Ints, stamp: Ints, word: int) -> bool:
    """Whether a row was visited before; marks it as visited."""
    last = table.shape[0] - 1
    stamped = word | (stamp[0] << 60)
    slot = ((word * -7046029254386353131) >> 33) & last
    while table[slot] != 0:
        if table[slot] == stamped:
            return True
        slot = (slot + 1) & last
    table[slot] = stamped
    stamp[1] += 1
    return False


@njit(nogil=True)
def _labels_of(word: int) -> int:
    """Return the labels of a row as the bits of a word."""
    labels = 0
    while word:
        labels |= 1 << (word & 15)
        word >>= 4
    return labels


@njit(nogil=True)
def _place_of(word: int, label: int) -> int:
    """Return the place of a label in a row that contains it."""
    place = 0
    while (word >> (4 * place)) & 15 != label:
        place += 1
    return place


@njit(nogil=True)
def _value_cards(
    coverers: Ints, before: Ints, value: Ints, gain: Ints, word: int, size: int
) -> None:
    """Prepare the costs of covering cards.

    Args:
        coverers: The labels that may move onto each label, as bits.
        before: Set to the labels to the left of each place, as bits.
        value: Set to the value of covering the card at each place.
        gain: Set, by label, to the increase of that value when one of the cards
            that could cover the card later is itself covered.
        word: The row.
        size: The number of cards.
    """
    labels = 0
    for place in range(size):
        before[place] = labels
        labels |= 1 << ((word >> (4 * place)) & 15)
    for place in range(size):
        label = (word >> (4 * place)) & 15
        others = bits(coverers[label] & labels & ~before[place])
        value[place] = _COVER_VALUES[others]
        gain[label] = _COVER_VALUES[max(others - 1, 0)] - _COVER_VALUES[others]


@njit(nogil=True, inline="always")
def _cost(
    coverers: Ints, before: Ints, value: Ints, gain: Ints, label: int, place: int
) -> int:
    """Return the cost of covering a card; lower is better.

    The fewer cards to its right could cover a card later, the better it is to cover
    it now. A covered card can no longer cover cards to its left, which adds to the
    cost.
    """
    cost: int = -value[place]
    others = coverers[label] & before[place]
    while others:
        cost += gain[bits((others & -others) - 1)]
        others &= others - 1
    return cost


@njit(nogil=True)
def _list_rows(
    offsets: Ints,
    coverers: Ints,
    before: Ints,
    value: Ints,
    gain: Ints,
    keys: Ints,
    rows: Ints,
    made: Ints,
    word: int,
    size: int,
    pairs: bool,  # noqa: FBT001
) -> int:
    """List the rows one move away, the lowest cost last, and return their number."""
    count = 0
    for origin in range(size - 1, -1, -1):
        top = (word >> (4 * origin)) & 15
        for offset in offsets:
            target = origin - offset
            if target < 0 or target >= size:
                continue
            under = (word >> (4 * target)) & 15
            if not (coverers[under] >> top) & 1:
                continue
            cost = _cost(coverers, before, value, gain, under, target)
            if pairs:
                cost += _cost(coverers, before, value, gain, top, origin)
                row = _without(_without(word, origin), target)
            else:
                row = _without(word ^ ((top ^ under) << (4 * target)), origin)
            place = count
            while place > 0 and keys[place - 1] < cost:
                keys[place] = keys[place - 1]
                rows[place] = rows[place - 1]
                made[place] = made[place - 1]
                place -= 1
            keys[place] = cost
            rows[place] = row
            made[place] = 64 * origin + target
            count += 1
    return count


@njit(nogil=True)
def solve_endgame(
    rules: Rules, row: Cards, size: int, limit: int, work: EndgameWorkspace
) -> tuple[int, int]:
    """Search a row exhaustively.

    Args:
        rules: The variant; one that stacks or removes pairs.
        row: The cards, uint8[>= size].
        size: The number of cards, at most ``MAX_ENDGAME_LENGTH``.
        limit: The number of rows to examine before the search stops.
        work: Overwritten; after a win, ``path`` contains the moves, by the length of
            the row after each.

    Returns:
        ``WON``, ``LOST`` (proved) or ``UNFINISHED``, and the number of rows examined.
    """
    # Passing a tuple of arrays to an inner kernel takes longer than running it.
    table, stamp, coverers, matches = (
        work.table,
        work.stamp,
        work.coverers,
        work.matches,
    )
    before, value, gain = work.before, work.value, work.gain
    left, path = work.left, work.path
    goal_length, pairs = rules.goal_length, rules.effect == REMOVE_PAIR
    least, goal = rules.goal_place, find_card(row, size, rules.first) + 1
    if stamp[0] >= _STAMPS or stamp[1] + limit > table.shape[0] // 2:
        table[:] = 0
        stamp[:] = 0
    stamp[0] += 1
    left[:] = 0
    left[size] = 1
    work.rows[size, 0] = _pack_row(rules, row, size, coverers, matches)
    length = size
    nodes = 0
    while True:
        while left[length] == 0:
            length += 1
            if length > size:
                return LOST, nodes
        left[length] -= 1
        word = work.rows[length, left[length]]
        path[length] = work.made[length, left[length]]
        if length == goal_length:
            if rules.first == ANY or row[word - 1] == rules.first:
                return WON, nodes
            continue
        if length < goal_length or _is_visited(table, stamp, word):
            continue
        nodes += 1
        if nodes > limit:
            return UNFINISHED, nodes
        cut_off = least > 0 and is_cut_off(_place_of(word, goal), length, least)
        if cut_off or is_proved_lost(matches, _labels_of(word), goal_length, pairs):
            continue
        _value_cards(coverers, before, value, gain, word, length)
        after = length - 2 if pairs else length - 1
        left[after] = _list_rows(
            rules.offsets,
            coverers,
            before,
            value,
            gain,
            work.keys,
            work.rows[after],
            work.made[after],
            word,
            length,
            pairs,
        )
        length = after
