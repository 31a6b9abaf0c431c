"""The engine agrees with the reference rules, in any position."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.engine.cards import NAMES, name_cards
from service.engine.errors import IllegalMoveError
from service.engine.position import Move
from service.engine.variants import VARIANTS
from tests.engine import reference_rules
from tests.engine.strategies import for_every_variant, positions

if TYPE_CHECKING:
    from service.engine.position import Position
    from service.engine.ruleset import Ruleset


def _table(position: Position) -> reference_rules.Table:
    """The piles of a position; covered cards, which are unknown, are `?`."""
    return tuple(
        ("?",) * (height - 1) + (NAMES[card],)
        for card, height in zip(position.row, position.heights, strict=True)
    )


@for_every_variant
@given(data=st.data())
def test_moves_and_refusals(ruleset: Ruleset, data: st.DataObject) -> None:
    position = data.draw(positions(ruleset))
    row = name_cards(position.row)
    places = range(-2, len(row) + 2)
    for pair in product(places, places):
        reason = reference_rules.refusal(ruleset.key, row, *pair)
        assert position.refusal(Move(*pair)) == reason, pair
    assert list(position.legal_moves) == reference_rules.legal_moves(ruleset.key, row)


@for_every_variant
@given(data=st.data())
def test_results_of_moves(ruleset: Ruleset, data: st.DataObject) -> None:
    position = data.draw(positions(ruleset))
    for move in position.legal_moves:
        result = position.apply(move)
        table = reference_rules.move(ruleset.key, _table(position), *move)
        assert name_cards(result.row) == reference_rules.tops(table)
        assert list(result.heights) == list(map(len, table))
        assert (result.stock, result.goal) == (position.stock, position.goal)


@for_every_variant
@given(data=st.data())
def test_illegal_moves_are_refused(ruleset: Ruleset, data: st.DataObject) -> None:
    position = data.draw(positions(ruleset))
    place = st.integers(-1, len(position.row))
    move = Move(data.draw(place), data.draw(place))
    if move in position.legal_moves:
        position.apply(move)
        return
    with pytest.raises(IllegalMoveError) as refusal:
        position.apply(move)
    assert (refusal.value.move, refusal.value.reason) == (move, position.refusal(move))


@for_every_variant
@given(data=st.data())
def test_won_and_stuck(ruleset: Ruleset, data: st.DataObject) -> None:
    position = data.draw(positions(ruleset))
    row, stock = name_cards(position.row), len(position.stock)
    goal = None if position.goal is None else NAMES[position.goal]
    assert position.is_won == reference_rules.won(ruleset.key, row, stock, goal)
    assert position.is_stuck == reference_rules.lost(ruleset.key, row, stock)


def test_the_reference_rules_know_every_variant() -> None:
    assert set(reference_rules.STACKING) == {
        key for key, r in VARIANTS.items() if r.is_stacking
    }
    assert set(reference_rules.TO_ONE_PILE) == {
        key for key, r in VARIANTS.items() if r.goal_length == 1
    }


@for_every_variant
@given(data=st.data())
def test_moves_applied_together_give_the_same_position_as_one_by_one(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    position = data.draw(positions(ruleset))
    after = position
    moves: list[Move] = []
    while after.legal_moves and len(moves) < 12:
        moves.append(data.draw(st.sampled_from(after.legal_moves)))
        after = after.apply(moves[-1])
    assert position.apply_all(moves) == after
    illegal = Move(data.draw(st.integers(0, 60)), data.draw(st.integers(0, 60)))
    if illegal not in after.legal_moves:
        with pytest.raises(IllegalMoveError) as caught:
            position.apply_all([*moves, illegal])
        assert caught.value.reason is after.refusal(illegal)
