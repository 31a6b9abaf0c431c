from unittest.mock import ANY

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.rules import (
    DECKS,
    OFFSETS,
    WHOLE_DECK,
    legal_steps,
    score,
    stack,
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
def test_the_second_writing_of_the_rules_agrees_with_the_engine(
    variant: str, row: bytes
) -> None:
    position = Position(VARIANTS[variant], row, b"\x01" * len(row))
    texts = name_cards(row)
    assert legal_steps(variant, texts) == set(position.legal_moves)
    for move in position.legal_moves:
        assert stack(texts, move) == name_cards(position.apply(move).row)


@pytest.mark.parametrize("variant", OFFSETS)
@given(data=st.data(), seed=st.integers(0, 10**6))
def test_so_do_status_and_score(variant: str, data: st.DataObject, seed: int) -> None:
    ruleset = VARIANTS[variant]
    options = Options(ruleset.layout)
    line = b""
    row = name_cards(deal(ruleset, str(seed), "accordion/1").cards)
    assert len(row) == DECKS.get(variant, WHOLE_DECK)
    most = data.draw(st.integers(0, len(row)))
    for _ in range(most):
        if not (steps := sorted(legal_steps(variant, row))):
            break
        step = data.draw(st.sampled_from(steps))
        row = stack(row, step)
        line += encode_action(Move(*step))
    record = Record(
        ruleset, options, "accordion/1", str(seed), None, None, line, finished=False
    )
    outcome = replay(record)
    assert outcome == Replayed(
        Status(status(variant, row)), score(variant, row), ANY, parse_cards(row)
    )


@pytest.mark.parametrize(
    ("variant", "row", "stands", "points"),
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
def test_the_end_of_a_game(
    variant: str, row: list[str], stands: str, points: int
) -> None:
    assert (status(variant, row), score(variant, row)) == (stands, points)


def test_the_worked_example() -> None:
    row = ["4S", "7H", "QC", "4D", "KD"]
    assert legal_steps("accordion", row) == {(3, 0), (4, 3)}
    assert stack(row, (3, 0)) == ["4D", "7H", "QC", "KD"]
