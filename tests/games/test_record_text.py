"""Records as one line of text: written, read, and refused with a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from service.engine.play import Options
from service.engine.ruleset import Layout, UndoRule
from service.engine.variants import find_variant
from service.games.record_text import RecordTextError, parse_record, write_text
from service.games.records import Record, read_actions, record_of
from tests.engine.rows import read_row
from tests.engine.strategies import for_every_variant
from tests.games.strategies import sessions

if TYPE_CHECKING:
    from service.engine.ruleset import Ruleset

ACCORDION = find_variant("accordion")
OPEN = Options(Layout.OPEN)


def message_of(error: RecordTextError) -> str:
    return error.detail.text("en", "")


def _record(seed: str | None, *actions: str, options: Options = OPEN) -> Record:
    line, finished = read_actions(list(actions))
    return Record(ACCORDION, options, "accordion/1", seed, None, None, line, finished)


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (_record("42", "4-3", "3-0"), "accordion 42: 4-3 3-0"),
        (_record("42"), "accordion 42:"),
        (_record("-5", "finish"), "accordion -5: finish"),
        (_record("my own", "4-3"), 'accordion "my own": 4-3'),
        (_record('a:"=\\'), 'accordion "a:\\"=\\\\":'),
        (_record("?"), 'accordion "?":'),
        (_record(None), "accordion ?:"),
        (
            _record("1", "deal", options=Options(Layout.STOCK, undo=UndoRule.NONE)),
            "accordion layout=stock undo=none 1: deal",
        ),
    ],
)
def test_a_record_and_its_text(record: Record, text: str) -> None:
    assert write_text(record) == text
    assert parse_record(text) == record


def test_a_deck_with_its_goal_card() -> None:
    revenge = find_variant("accordions-revenge")
    deck = read_row("4S 7H QC 4D")
    record = Record(
        revenge, OPEN, None, None, deck, deck[2], b"\x03\x00", finished=False
    )
    text = "accordions-revenge deck=4S,7H,QC,4D goal=QC: 3-0"
    assert write_text(record) == text
    assert parse_record(text) == record
    lenient = "accordions-revenge  goal=q♣ deck=4s,7♥,QC,4d :\n 3-0\n"
    assert parse_record(lenient) == record


@for_every_variant
@given(data=st.data())
def test_the_text_of_any_game_reads_back(ruleset: Ruleset, data: st.DataObject) -> None:
    session = data.draw(sessions(ruleset))
    record = record_of(session, session.started_at)
    assume(not record.options.compulsory or record.options.layout is Layout.STOCK)
    assume(record.seed is None or record.seed.isprintable())
    assert parse_record(write_text(record)) == record


@given(
    seed=st.text(
        st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=64
    )
)
def test_any_seed_reads_back(seed: str) -> None:
    assert parse_record(write_text(_record(seed))).seed == seed


@given(text=st.text(max_size=80))
def test_any_other_text_is_refused_with_a_column(text: str) -> None:
    with pytest.raises(RecordTextError) as refused:
        parse_record(text)
    assert 1 <= refused.value.column <= len(text) + 1
    assert message_of(refused.value).endswith(".")


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "A colon is missing"),
        (": 4-3", 1, "A record begins with the key of a variant"),
        ("chess 42: 4-3", 1, "A record begins with the key of a variant"),
        ("layout=open 42: 4-3", 1, "A record begins with the key of a variant"),
        ("accordion: 4-3", 10, "The seed is missing"),
        ("accordion 42 4-3", 17, "A colon is missing"),
        ("accordion 4 2: 4-3", 13, "A record has only one seed"),
        ('accordion "42: 4-3', 11, 'The character `"` is not expected'),
        ("accordion a=b: 4-3", 11, "Unknown field: `a`."),
        ("accordion layout=shut 42:", 11, "`layout` must be `open` or `stock`."),
        ("accordion undo=none undo=none 42:", 21, "`undo` appears twice."),
        (
            "accordion layout=open compulsory=true 42:",
            23,
            "`compulsory` requires the",
        ),
        ("accordion goal=4S 42:", 11, "`goal` requires `deck`."),
        ("accordion deck=4S,5X:", 11, "`deck` is not a valid card: `5X`."),
        ("accordion deck=4S,5S 42:", 22, "`seed` cannot be combined with `deck`."),
        ("accordion deck=4S,5S source=pysol:", 22, "`source` cannot be combined"),
        (
            "accordion deck=4S,5S goal=4S,5S:",
            22,
            "`goal` is not a valid card",
        ),
        ('accordion "\\x": 4-3', 11, "A word in quotation marks must be"),
        ('accordion "\\ud800": 4-3', 11, "A word in quotation marks must be"),
        ('accordion "\\u0007": 4-3', 11, "`seed` must be a string of 1 to 64"),
        (
            "accordion 42: 4-3 3_0",
            19,
            "`/actions/1` must be `deal`, `finish` or",
        ),
        (
            "accordion 42: finish 3-0",
            15,
            "`/actions/0` is `finish`, which must",
        ),
        (
            "accordion 42:" + " 3-0" * 201,
            815,
            "`actions` must be a list of",
        ),
    ],
)
def test_an_error_names_the_column_and_the_reason(
    text: str, column: int, message: str
) -> None:
    with pytest.raises(RecordTextError) as refused:
        parse_record(text)
    start = f"The record is wrong at column {column}. {message}"
    assert message_of(refused.value)[: len(start)] == start
    assert refused.value.column == column


def test_compulsory_moves_imply_the_stock_layout() -> None:
    options = parse_record("accordion compulsory=true 1:").options
    assert options == Options(Layout.STOCK, compulsory=True)
