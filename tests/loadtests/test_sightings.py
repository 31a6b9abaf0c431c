from typing import Any

import pytest

from loadtests.checks import Table, WrongAnswerError
from loadtests.sightings import Shown, Sight
from tests.loadtests.test_checks import MOVED, START

SEEN = START | {"id": None, "watch_id": "w"}
SEEN_MOVED = MOVED | {"id": None, "watch_id": "w"}


def look(table: Table) -> Sight:
    """A sight of the game as its player has it at version 1."""
    sight = Sight(Shown("w", table))
    sight.begin()
    sight.take(SEEN, '"1"', newer=False)
    return sight


def test_right_answers_pass() -> None:
    table = Table.of(START)
    sight = look(table)
    sight.begin()
    sight.keep('"1"')
    sight.begin()
    table.move((3, 0), MOVED)
    sight.keep('"1"')  # the move may have come after the look
    sight.begin()
    sight.take(SEEN_MOVED, '"2"', newer=True)
    sight.begin()
    sight.take(SEEN_MOVED, '"2"', newer=False)
    sight.begin()
    ended = {"version": 3, "status": "ended", "legal_moves": []}
    sight.take(SEEN_MOVED | ended, '"3"', newer=True)
    assert sight.etag == '"3"'


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": "g"},
        {"watch_id": "v"},
        {"version": 2},
        {"version": 0},
        {"row": START["row"][::-1]},
        {"row": ["4S", "4S", "QC", "4D", "KD"]},
        {"heights": [1, 1, 1, 1, 2]},
        {"heights": [1, 1, 1, 1]},
        {"moves": 1},
        {"status": "lost"},
        {"status": "ended"},
        {"legal_moves": []},
    ],
)
def test_a_wrong_first_look_does_not(wrong: dict[str, Any]) -> None:
    sight = Sight(Shown("w", Table.of(START)))
    sight.begin()
    with pytest.raises(WrongAnswerError):
        sight.take(SEEN | wrong, '"1"', newer=False)


def test_a_first_look_at_another_row_does_not() -> None:
    other = ["4D", "7H", "QC", "4S", "KD"]
    moves = {"legal_moves": [{"from": 3, "to": 0}]}
    sight = Sight(Shown("w", Table.of(START)))
    with pytest.raises(WrongAnswerError, match="row"):
        sight.take(SEEN | moves | {"row": other}, '"1"', newer=False)


def test_a_304_after_a_move_does_not() -> None:
    table = Table.of(START)
    sight = look(table)
    table.move((3, 0), MOVED)
    sight.begin()
    with pytest.raises(WrongAnswerError, match="304"):
        sight.keep('"1"')


def test_a_304_with_another_tag_does_not() -> None:
    sight = look(Table.of(START))
    with pytest.raises(WrongAnswerError, match="ETag"):
        sight.keep('"2"')


def test_a_version_that_was_known_does_not_count_as_newer() -> None:
    sight = look(Table.of(START))
    with pytest.raises(WrongAnswerError, match="version"):
        sight.take(SEEN, '"1"', newer=True)


def test_what_is_older_than_was_told_does_not() -> None:
    table = Table.of(START)
    sight = look(table)
    table.move((3, 0), MOVED)
    sight.begin()
    with pytest.raises(WrongAnswerError, match="version"):
        sight.take(SEEN, '"1"', newer=False)


def test_what_is_older_than_was_seen_does_not() -> None:
    sight = look(Table.of(START))
    sight.take(SEEN_MOVED, '"2"', newer=True)
    with pytest.raises(WrongAnswerError, match="version"):
        sight.take(SEEN, '"1"', newer=False)


def test_another_row_of_the_same_version_does_not() -> None:
    sight = Sight(Shown("w", Table.of(START)))
    sight.take(SEEN_MOVED, '"2"', newer=False)
    other = {"row": ["4D", "QC", "7H", "KD"]}
    with pytest.raises(WrongAnswerError, match="row"):
        sight.take(SEEN_MOVED | other, '"2"', newer=False)
