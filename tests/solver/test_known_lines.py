"""Known lines are followed from other rows with legal moves only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.engine.play import encode_action, play_line
from service.engine.variants import VARIANTS
from service.solver import Nodes, Verdict, analyse, solve
from service.solver.kernels.heuristic_state import new_state, set_moves
from service.solver.kernels.known_lines import (
    follow_line,
    new_lines,
    start_from,
    store_line,
)
from service.solver.kernels.rules import REMOVE_PAIR, STACK, rules_of
from tests.solver.plain_search import make_position

if TYPE_CHECKING:
    from service.engine.position import Position
    from service.engine.ruleset import Ruleset

SEARCHED = [
    v for v in VARIANTS.values() if rules_of(v, None).effect in (STACK, REMOVE_PAIR)
]
searched_variant = pytest.mark.parametrize(
    "ruleset", SEARCHED, ids=[v.key for v in SEARCHED]
)
decks = st.permutations(range(52)).map(bytes)


def play_randomly(position: Position, data: st.DataObject) -> bytes:
    """Make random moves that do not cover the goal card; return their line."""
    line = b""
    while moves := [
        move
        for move in position.legal_moves
        if position.row[move.target] != position.goal
    ]:
        move = data.draw(st.sampled_from(moves))
        line += encode_action(move)
        position = position.apply(move)
    return line


@searched_variant
@settings(max_examples=30)
@given(data=st.data())
def test_a_line_is_followed_by_legal_moves(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    position = make_position(ruleset, data.draw(decks)[: data.draw(st.integers(3, 30))])
    rules, row = rules_of(ruleset, position.goal), np.frombuffer(position.row, np.uint8)
    state, lines = new_state(len(rules.offsets), 0), new_lines()
    line = play_randomly(position, data)
    made = set_moves(state, line)
    store_line(rules, row, len(row), state, made, lines, 3)
    first = set_moves(state, play_randomly(position, data)[:2])
    left = start_from(rules, row, len(row), first, state, lines)
    stop = data.draw(st.integers(1, len(row)))
    left, made = follow_line(rules, lines, 3, state, left, first, stop)
    pairs = zip(
        state.origins[:made].tolist(), state.targets[:made].tolist(), strict=True
    )
    after = position.apply_all(pairs)
    assert state.row[:left].tobytes() == after.row
    assert made == first or left >= stop - 1


@searched_variant
@settings(max_examples=30)
@given(data=st.data())
def test_a_line_is_followed_to_its_end_from_its_own_row(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    position = make_position(ruleset, data.draw(decks)[:30])
    rules, row = rules_of(ruleset, position.goal), np.frombuffer(position.row, np.uint8)
    state, lines = new_state(len(rules.offsets), 0), new_lines()
    line = play_randomly(position, data)
    made = set_moves(state, line)
    store_line(rules, row, len(row), state, made, lines, 0)
    first = data.draw(st.integers(0, made))
    left = start_from(rules, row, len(row), first, state, lines)
    left, followed = follow_line(rules, lines, 0, state, left, first, 0)
    assert (left, followed) == (len(play_line(position, line).row), made)


@searched_variant
@settings(max_examples=10)
@given(data=st.data())
def test_analyse_and_solve_give_the_same_verdict_for_each_move(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    position = make_position(ruleset, data.draw(decks)[:15])
    analysis = analyse(position, Nodes(10**8))
    for judged in analysis.moves:
        alone = solve(position.apply(judged.move), Nodes(10**8))
        assert judged.verdict is alone.verdict is not Verdict.UNKNOWN
