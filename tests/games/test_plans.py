"""Plans: the line that a hint has found, stored while the player follows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service.engine.cards import parse_cards
from service.engine.errors import GameOverError
from service.engine.play import Options, encode_action, start
from service.engine.position import Move
from service.engine.ruleset import Layout
from service.engine.variants import VARIANTS
from service.games.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterable

_DECK = parse_cards(["4S", "4D", "4H", "4C"])
_PLAN = (Move(3, 2), Move(2, 1), Move(1, 0))


def line(moves: Iterable[Move]) -> bytes:
    return b"".join(map(encode_action, moves))


@pytest.fixture
def advised() -> Session:
    play = start(VARIANTS["accordion"], _DECK, Options(Layout.OPEN))
    session = Session(play, None, None, server_seed=False, started_at=0)
    return session.advised(line(_PLAN))


def test_a_hint_is_counted(advised: Session) -> None:
    assert advised.hints_used == 1
    assert advised.advised(b"").hints_used == 2


def test_following_a_plan_shortens_it(advised: Session) -> None:
    for number, move in enumerate(_PLAN, start=1):
        advised = advised.move(move, 0)
        assert advised.plan == line(_PLAN[number:])
    assert advised.play.status == "won"


def test_a_batch_can_follow_a_plan(advised: Session) -> None:
    assert advised.run(_PLAN[:2], 0).plan == line(_PLAN[2:])


def test_a_plan_is_dropped_when_another_move_is_made(advised: Session) -> None:
    assert advised.move(Move(3, 0), 0).plan == b""
    assert advised.run([_PLAN[0], Move(1, 0)], 0).plan == b""


def test_undone_moves_are_put_before_the_plan(advised: Session) -> None:
    moved = advised.run(_PLAN[:2], 0)
    undone = moved.undo(1, 0)
    assert undone.plan == line(_PLAN[1:])
    assert moved.undo(None, 0).plan == line(_PLAN)
    assert undone.redo(1, 0).plan == line(_PLAN[2:])


def test_a_plan_can_begin_before_its_hint(advised: Session) -> None:
    """The actions before a winnable position can be undone and redone."""
    bare = advised._replace(plan=b"")
    moved = bare.move(_PLAN[0], 0).advised(line(_PLAN[1:]))
    assert moved.undo(1, 0).plan == line(_PLAN)


def test_a_game_that_is_over_has_no_plan(advised: Session) -> None:
    assert advised.finish(0).plan == b""


def test_no_hint_for_a_game_that_is_over(advised: Session) -> None:
    with pytest.raises(GameOverError):
        advised.run(_PLAN, 0).advised(b"")
