"""Reviews: every verdict is compared with a search of all sequences of actions."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.engine.deals import deal
from service.engine.errors import IllegalMoveError
from service.engine.play import Options, actions_of, start
from service.engine.position import Move, lay_out
from service.engine.ruleset import Layout
from service.engine.variants import VARIANTS
from service.solver import Nodes, Verdict, review, solve
from tests.engine.rows import read_row
from tests.engine.strategies import for_every_variant
from tests.solver.plain_search import can_win, make_position, rows

if TYPE_CHECKING:
    from service.engine.play import Action, Play
    from service.engine.position import Position
    from service.engine.ruleset import Ruleset

ACCORDION = VARIANTS["accordion"]
LOST_AT_ONCE = make_position(ACCORDION, read_row("4S 7H QC 4D KD"))
WINNABLE = make_position(ACCORDION, read_row("4S 5S 6S 7H 7S"))


def _play_on(play: Play, rng: Random) -> Play:
    """Play at random to the end of the game."""
    while play.legal_moves or play.can_deal:
        moves = play.legal_moves
        deals = play.can_deal and (not moves or rng.random() < 0.5)
        play = play.deal() if deals else play.move(rng.choice(moves))
    return play


def _positions(position: Position, line: bytes) -> list[Position]:
    found = [position]
    for action in actions_of(line):
        found.append(_after(found[-1], action))
    return found


def _after(position: Position, action: Action) -> Position:
    return position.apply(action) if isinstance(action, Move) else position.deal()


@for_every_variant
@pytest.mark.parametrize("compulsory", [False, True])
@settings(max_examples=25)
@given(data=st.data(), rng=st.randoms(use_true_random=False))
def test_every_verdict_of_a_short_game(
    ruleset: Ruleset, *, compulsory: bool, data: st.DataObject, rng: Random
) -> None:
    cards = data.draw(rows(ruleset))
    layout = data.draw(st.sampled_from(Layout)) if not compulsory else Layout.STOCK
    goal = cards[2] if ruleset.names_goal else None
    play = start(ruleset, cards, Options(layout, compulsory=compulsory), goal)
    played = _play_on(play, rng)
    found = review(play.position, played.done, compulsory=compulsory)
    positions = _positions(play.position, played.done)
    can_be_won = [can_win(p, compulsory=compulsory) for p in positions]
    assert [found.verdict(k) for k in range(len(positions))] == [
        Verdict.WINNABLE if won else Verdict.UNWINNABLE for won in can_be_won
    ]
    turned = can_be_won[0] and not can_be_won[-1]
    assert found.turning_point == (can_be_won.index(False) - 1 if turned else None)
    if can_be_won[0]:
        at = found.last_winnable
        assert _positions(positions[at], found.line)[-1].is_won


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_whole_game_has_its_turning_point(seed: int) -> None:
    play = start(ACCORDION, deal(ACCORDION, str(seed)).cards, Options(Layout.OPEN))
    played = _play_on(play, Random(seed))
    found = review(play.position, played.done)
    at = found.turning_point
    assert at is not None
    positions = _positions(play.position, played.done)
    assert solve(positions[at]).verdict is Verdict.WINNABLE
    assert solve(positions[at + 1]).verdict is Verdict.UNWINNABLE
    assert _positions(positions[at], found.line)[-1].is_won


def test_a_game_lost_from_the_start_has_no_turning_point_and_no_accuracy() -> None:
    found = review(LOST_AT_ONCE, bytes(Move(4, 3)))
    assert found.verdict(0) is Verdict.UNWINNABLE
    assert (found.turning_point, found.accuracy, found.line) == (None, None, b"")


def test_a_game_that_was_won_or_given_up_has_no_turning_point() -> None:
    line = solve(WINNABLE).line
    won = review(WINNABLE, line)
    assert (won.turning_point, won.accuracy, won.line) == (None, 100.0, b"")
    given_up = review(WINNABLE, line[:2])
    assert (given_up.turning_point, given_up.line) == (None, line[2:])


def test_accuracy_counts_the_decisions_that_kept_the_win() -> None:
    position = make_position(ACCORDION, read_row("5S 4S 7H 6S 4H"))
    verdicts = {move: can_win(position.apply(move)) for move in position.legal_moves}
    assert set(verdicts.values()) == {False, True}
    for move, kept in verdicts.items():
        found = review(position, bytes(move))
        assert (found.decisions, found.kept) == (1, int(kept))


def test_forced_moves_are_not_decisions() -> None:
    position = make_position(ACCORDION, read_row("4S 5S"))
    found = review(position, bytes(Move(1, 0)))
    assert (found.decisions, found.accuracy) == (0, None)


def test_a_spent_budget_is_unknown_and_never_a_turning_point() -> None:
    play = start(ACCORDION, deal(ACCORDION, "3").cards, Options(Layout.OPEN))
    played = _play_on(play, Random(3))
    budget = Nodes(300)
    found = review(play.position, played.done, budget)
    whole = review(play.position, played.done)
    assert found.turning_point is None
    assert found.verdict(whole.last_winnable) is Verdict.UNKNOWN
    assert found.verdict(played.actions) is Verdict.UNWINNABLE
    assert found.nodes < whole.nodes


def test_a_deal_is_never_a_turning_point() -> None:
    ruleset = VARIANTS["royal-marriage"]
    cards = deal(ruleset, "5").cards
    position = lay_out(ruleset, cards, Layout.STOCK)
    played = _play_on(start(ruleset, cards, Options(Layout.STOCK)), Random(1))
    at = review(position, played.done).turning_point
    assert at is not None
    assert isinstance(list(actions_of(played.done))[at], Move)


def test_a_line_that_breaks_the_rules_is_refused() -> None:
    with pytest.raises(IllegalMoveError):
        review(LOST_AT_ONCE, bytes(Move(1, 0)))
