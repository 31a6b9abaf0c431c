"""Simulated players, and the measures and grades computed from their games."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.engine.deals import deal
from service.engine.position import Move, Position, lay_out
from service.engine.ruleset import Layout
from service.engine.variants import VARIANTS
from service.solver.grading import Grade, Measure, grade_of, grades_of, measure
from service.solver.kernels.players import GREEDY, RANDOM, SWEEPERS, play_all, play_out
from service.solver.kernels.rules import rules_of
from tests.engine.rows import read_row
from tests.engine.strategies import for_every_variant
from tests.solver.plain_search import make_position, rows

if TYPE_CHECKING:
    from service.engine.ruleset import Ruleset

ACCORDION = VARIANTS["accordion"]


def _play(position: Position, skill: int, seed: int, stop: int = 0) -> list[Move]:
    rules = rules_of(position.ruleset, position.goal, compulsory=True)
    row = np.zeros(52, np.uint8)
    row[: len(position.row)] = np.frombuffer(position.row, np.uint8)
    line, noise = np.zeros((52, 2), np.int64), np.array([2 * seed + 1])
    _, made = play_out(rules, row, len(position.row), stop, skill, noise, line)
    return [Move(int(origin), int(target)) for origin, target in line[:made]]


@for_every_variant
@given(data=st.data(), seed=st.integers(0, 1000))
def test_players_make_legal_moves_to_the_end(
    ruleset: Ruleset, data: st.DataObject, seed: int
) -> None:
    position = make_position(ruleset, data.draw(rows(ruleset, most=20)))
    skill = data.draw(st.sampled_from([RANDOM, GREEDY, SWEEPERS]))
    for move in _play(position, skill, seed):
        position = position.apply(move)
    assert not position.can_move


@for_every_variant
@given(data=st.data(), seed=st.integers(0, 1000))
def test_the_greedy_player_leaves_the_most_moves(
    ruleset: Ruleset, data: st.DataObject, seed: int
) -> None:
    position = make_position(ruleset, data.draw(rows(ruleset, most=20)))
    for move in _play(position, GREEDY, seed):
        left = [
            len(position.apply(other).legal_moves) for other in position.legal_moves
        ]
        position = position.apply(move)
        assert len(position.legal_moves) == max(left)


def test_the_sweepers_player_keeps_the_rightmost_rank() -> None:
    # 5S could go onto 4S or onto 5H; 5H and 5S are the two cards of one rank.
    position = make_position(ACCORDION, read_row("KD 4S QC 5H 5S"))
    assert position.legal_moves == (Move(4, 1), Move(4, 3))
    assert _play(position, SWEEPERS, 1)[0] == Move(4, 1)


def test_a_player_stops_at_the_requested_row() -> None:
    cards = np.frombuffer(deal(ACCORDION, "42").cards, np.uint8)
    ends, sizes = np.tile(cards, (20, 1)), np.full(20, 52, np.int64)
    play_all(rules_of(ACCORDION, None), ends, sizes, 20, SWEEPERS, 0)
    assert set(sizes) == {20}
    assert len({row[:20].tobytes() for row in ends}) == 20


def test_the_measure_of_a_deal_is_deterministic() -> None:
    position = lay_out(ACCORDION, deal(ACCORDION, "42").cards, Layout.OPEN)
    first, again = measure(position), measure(position)
    assert first == again
    assert 0 <= first.ease <= 100


def test_a_row_that_every_player_wins_has_the_greatest_ease() -> None:
    found = measure(make_position(ACCORDION, read_row("4S 5S 6S 7S 8S 9S TS JS QS KS")))
    assert found.won == found.few == (1.0, 1.0, 1.0)
    assert (found.safe, found.narrow) == (1.0, 0.0)
    assert found.ease == pytest.approx(100)


def test_a_row_without_moves_has_the_least_ease() -> None:
    found = measure(make_position(ACCORDION, read_row("4S 5H 6C 7D 8S 9H TC JD QS KH")))
    assert found == Measure((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0)
    assert found.ease == 0


@pytest.mark.parametrize(
    ("row", "safe", "narrow"), [("5S 4S", 0, 1), ("5S 4S 3S", 1, 0)]
)
def test_ends_are_safe_if_more_than_one_move_wins(
    row: str, safe: int, narrow: int
) -> None:
    found = measure(make_position(ACCORDION, read_row(row)))
    assert (found.safe, found.narrow) == (safe, narrow)


@for_every_variant
def test_grades_are_ordered_and_do_not_overlap(ruleset: Ruleset) -> None:
    intervals = grades_of(ruleset)
    assert list(intervals) in ([], list(Grade))
    easiest_first = [bound for low, high in intervals.values() for bound in (high, low)]
    assert easiest_first == sorted(set(easiest_first), reverse=True)
    for grade, (low, high) in intervals.items():
        assert grade_of(ruleset, (low + high) / 2) is grade


def test_an_ease_between_two_grades_has_no_grade() -> None:
    intervals = grades_of(ACCORDION)
    low, high = intervals[Grade.EASY][0], intervals[Grade.MEDIUM][1]
    assert grade_of(ACCORDION, (low + high) / 2) is None
