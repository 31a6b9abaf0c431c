"""Plays: after any actions, piles and outcome agree with the reference rules."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.engine.cards import NAMES, name_cards
from service.engine.errors import (
    GameOverError,
    MoveCompulsoryError,
    NothingToRedoError,
    NothingToUndoError,
    StockEmptyError,
    UndoNotAllowedError,
)
from service.engine.play import DEAL, Deal, actions_of
from service.engine.ruleset import Layout, UndoRule
from service.engine.scoring import rate, score
from tests.engine import reference_rules
from tests.engine.strategies import for_all_options, for_every_variant, plays

if TYPE_CHECKING:
    from service.engine.errors import RefusedError
    from service.engine.play import Options, Play
    from service.engine.ruleset import Ruleset


def _reference_table(play: Play) -> reference_rules.Table:
    """Play the actions that are not undone again, with the reference rules."""
    variant = play.ruleset.key
    cards = [(name,) for name in name_cards(play.cards)]
    dealt = 1 if play.options.layout is Layout.STOCK else len(cards)
    table: reference_rules.Table = tuple(cards[:dealt])
    for action in actions_of(play.done):
        row = reference_rules.tops(table)
        if isinstance(action, Deal):
            assert not (
                play.options.compulsory and reference_rules.legal_moves(variant, row)
            )
            table += (cards[dealt],)
            dealt += 1
        else:
            assert reference_rules.refusal(variant, row, *action) is None
            table = reference_rules.move(variant, table, *action)
    assert play.cards_dealt == dealt
    return table


@for_every_variant
@for_all_options
@settings(max_examples=12)
@given(data=st.data())
def test_piles_agree_with_the_reference_rules(
    ruleset: Ruleset, options: Options, data: st.DataObject
) -> None:
    play = data.draw(plays(ruleset, options))
    position = play.position
    table = _reference_table(play)
    assert name_cards(position.row) == reference_rules.tops(table)
    assert list(position.heights) == list(map(len, table))
    assert position.stock == play.cards[play.cards_dealt :]
    on_table = list(chain.from_iterable(table))
    beside = name_cards(play.removed + position.stock)
    assert sorted(on_table + beside) == sorted(name_cards(play.cards))


@for_every_variant
@for_all_options
@settings(max_examples=12)
@given(data=st.data(), seconds=st.integers(0, 2000))
def test_the_outcome_agrees_with_the_reference_rules(
    ruleset: Ruleset, options: Options, data: st.DataObject, seconds: int
) -> None:
    play = data.draw(plays(ruleset, options))
    variant, position = ruleset.key, play.position
    row, left = name_cards(position.row), len(position.stock)
    goal = None if position.goal is None else NAMES[position.goal]
    won = reference_rules.won(variant, row, left, goal)
    lost = not won and reference_rules.lost(variant, row, left)
    rating = reference_rules.rating(variant, len(row), won=won) if won or lost else None
    points = reference_rules.points(
        dealt=len(play.cards) - left, left=len(row), won=won, seconds=seconds
    )
    assert play.status == ("won" if won else "lost" if lost else "playing")
    assert rate(play) == rating
    assert score(play, seconds) == points
    assert list(play.legal_moves) == (
        [] if won else reference_rules.legal_moves(variant, row)
    )
    assert play.moves == sum(action is not DEAL for action in actions_of(play.done))


def _deal_refusal(play: Play) -> type[RefusedError] | None:
    row = name_cards(play.position.row)
    if play.is_closed:
        return GameOverError
    if not play.position.stock:
        return StockEmptyError
    if play.options.compulsory and reference_rules.legal_moves(play.ruleset.key, row):
        return MoveCompulsoryError
    return None


def _undo_refusal(
    play: Play, line: bytes, nothing: type[RefusedError]
) -> type[RefusedError] | None:
    if play.is_closed:
        return GameOverError
    if play.options.undo is UndoRule.NONE:
        return UndoNotAllowedError
    return None if line else nothing


@for_every_variant
@for_all_options
@settings(max_examples=6)
@given(data=st.data())
def test_only_offered_actions_are_accepted(
    ruleset: Ruleset, options: Options, data: st.DataObject
) -> None:
    play = data.draw(plays(ruleset, options))
    for offered, action, refusal in (
        (play.can_deal, play.deal, _deal_refusal(play)),
        (
            play.can_undo,
            play.undo,
            _undo_refusal(play, play.done, NothingToUndoError),
        ),
        (
            play.can_redo,
            play.redo,
            _undo_refusal(play, play.undone, NothingToRedoError),
        ),
    ):
        assert offered == (refusal is None)
        if refusal is None:
            action()
        else:
            with pytest.raises(refusal):
                action()


@for_every_variant
@given(data=st.data())
def test_undo_then_redo_changes_nothing(ruleset: Ruleset, data: st.DataObject) -> None:
    play = data.draw(plays(ruleset))
    if not play.can_undo:
        return
    count = data.draw(st.integers(1, play.actions))
    undone = play.undo(count)
    assert undone.redo(count) == play
    assert name_cards(undone.position.row) == reference_rules.tops(
        _reference_table(undone)
    )
    single = play
    for _ in range(count):
        single = single.undo()
    assert single == undone
    assert play.undo(None) == play.undo(play.actions)
    assert play.undo(None).done == b""
    assert undone.redo(None).undone == b""


@for_every_variant
@given(data=st.data())
def test_undo_and_redo_of_too_many_actions_are_refused(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    play = data.draw(plays(ruleset))
    redoable = len(list(actions_of(play.undone)))
    if play.is_closed or play.options.undo is UndoRule.NONE:
        return
    for count in (0, -1, play.actions + 1):
        with pytest.raises(NothingToUndoError) as no_undo:
            play.undo(count)
        assert no_undo.value.available == play.actions
    for count in (0, -1, redoable + 1):
        with pytest.raises(NothingToRedoError) as no_redo:
            play.redo(count)
        assert no_redo.value.available == redoable


@for_every_variant
@given(data=st.data())
def test_a_new_action_clears_the_undone_actions(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    play = data.draw(plays(ruleset))
    for move in play.legal_moves:
        assert play.move(move).undone == b""
    if play.can_deal:
        assert play.deal().undone == b""


@for_every_variant
@given(data=st.data())
def test_deals_of_several_cards(ruleset: Ruleset, data: st.DataObject) -> None:
    play = data.draw(plays(ruleset))
    stock = len(play.position.stock)
    if play.options.compulsory or not play.can_deal:
        return
    chosen = data.draw(st.integers(1, stock))
    single = play
    for _ in range(chosen):
        single = single.deal()
    assert play.deal(chosen) == single
    assert play.deal(None) == play.deal(stock)
    for count in (0, -1, stock + 1):
        with pytest.raises(StockEmptyError) as refusal:
            play.deal(count)
        assert refusal.value.stock == stock
