import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.rules import OFFSETS, legal_steps, stack
from service.engine.cards import name_cards
from service.engine.position import Position
from service.engine.variants import VARIANTS

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


def test_the_worked_example() -> None:
    row = ["4S", "7H", "QC", "4D", "KD"]
    assert legal_steps("accordion", row) == {(3, 0), (4, 3)}
    assert stack(row, (3, 0)) == ["4D", "7H", "QC", "KD"]
