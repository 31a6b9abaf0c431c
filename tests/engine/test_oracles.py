"""Recorded games and the worked example of the rules."""

from __future__ import annotations

from typing import Any

import pytest

from service.engine.cards import NAMES, name_cards
from service.engine.deals import deal
from service.engine.position import Move, Position, lay_out
from service.engine.ruleset import Layout
from service.engine.variants import find_variant
from tests.engine.oracle import load
from tests.engine.rows import read_row, show_row


def _open(position: Position) -> tuple[list[str], list[list[int]], bool]:
    moves = [list(move) for move in position.legal_moves]
    return name_cards(position.row), moves, position.is_won


@pytest.mark.parametrize(
    "game", load("pysol_play"), ids=lambda game: f"{game['variant']}-{game['seed']}"
)
def test_games_of_pysol(game: dict[str, Any]) -> None:
    ruleset = find_variant(game["variant"])
    dealt = deal(ruleset, game["seed"], game["source"])
    assert game.get("goal") == (None if dealt.goal is None else NAMES[dealt.goal])
    position = lay_out(ruleset, dealt.cards, Layout.OPEN, dealt.goal)
    for step in game["steps"]:
        row, moves, won = _open(position)
        assert row == step["row"]
        assert moves == sorted(step["legal"])
        assert won is step["won"]
        if "move" in step:
            position = position.apply(Move(*step["move"]))
            assert name_cards(position.row) == step["after"]
    assert not position.can_move


def test_worked_example() -> None:
    cards = read_row("4S 7H QC 4D KD")
    start = lay_out(find_variant("accordion"), cards, Layout.OPEN)
    assert start.legal_moves == ((3, 0), (4, 3))

    once = start.apply(Move(3, 0))
    assert show_row(once.row) == "4D 7H QC KD"
    assert list(once.heights) == [2, 1, 1, 1]
    twice = once.apply(Move(3, 0))
    assert show_row(twice.row) == "KD 7H QC"

    other = start.apply(Move(4, 3))
    assert show_row(other.row) == "4S 7H QC KD"
    assert not other.can_move
