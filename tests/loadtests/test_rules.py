from unittest.mock import ANY

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.rules import (
    OFFSETS,
    apply_move,
    deck_size,
    legal_moves,
    play_at_random,
    score,
    status,
)
from service.engine.cards import name_cards, parse_cards
from service.engine.deals import deal
from service.engine.play import Options, Status, encode_action
from service.engine.position import Move, Position
from service.engine.variants import VARIANTS
from service.games.records import Record, Replayed, replay

rows = st.lists(st.integers(0, 51), min_size=1, max_size=52, unique=True).map(bytes)


@pytest.mark.parametrize("variant", OFFSETS)
@given(row=rows)
def test_moves_agree_with_the_engine(variant: str, row: bytes) -> None:
    position = Position(VARIANTS[variant], row, b"\x01" * len(row))
    names = name_cards(row)
    assert legal_moves(variant, names) == sorted(position.legal_moves)
    for move in position.legal_moves:
        assert apply_move(names, move) == name_cards(position.apply(move).row)


@pytest.mark.parametrize("variant", OFFSETS)
@given(data=st.data(), seed=st.integers(0, 10**6))
def test_status_and_score_agree_with_the_engine(
    variant: str, data: st.DataObject, seed: int
) -> None:
    ruleset = VARIANTS[variant]
    options = Options(ruleset.layout)
    line = b""
    row = name_cards(deal(ruleset, str(seed), "accordion/1").cards)
    assert len(row) == deck_size(variant)
    for _ in range(data.draw(st.integers(0, len(row)))):
        if not (moves := legal_moves(variant, row)):
            break
        move = data.draw(st.sampled_from(moves))
        row = apply_move(row, move)
        line += encode_action(Move(*move))
    record = Record(
        ruleset, options, "accordion/1", str(seed), None, None, line, finished=False
    )
    assert replay(record) == Replayed(
        Status(status(variant, row)), score(variant, row), ANY, parse_cards(row)
    )


@pytest.mark.parametrize(
    ("variant", "row", "expected", "points"),
    [
        ("accordion", ["4S"], "won", 1010),
        ("accordion", ["4S", "7H"], "lost", 500),
        ("accordion", ["4S", "7S"], "playing", 500),
        ("23-skidoo", ["4S", "7S"], "won", 1000),
        ("23-skidoo", ["4S", "5D", "7H"], "lost", 490),
        ("late-binding", ["4S"], "won", 670),
        ("late-binding", ["4S", "7H"], "lost", 160),
    ],
)
def test_status_and_score_at_the_end(
    variant: str, row: list[str], expected: str, points: int
) -> None:
    assert (status(variant, row), score(variant, row)) == (expected, points)


def test_the_worked_example() -> None:
    row = ["4S", "7H", "QC", "4D", "KD"]
    assert legal_moves("accordion", row) == [(3, 0), (4, 3)]
    assert apply_move(row, (3, 0)) == ["4D", "7H", "QC", "KD"]


def test_a_random_game_ends_without_legal_moves() -> None:
    actions, row = play_at_random("accordion", ["4S", "7H", "QC", "4D", "KD"])
    assert legal_moves("accordion", row) == []
    assert len(actions) == 5 - len(row) > 0
