from typing import Any

import pytest

from loadtests.checks import Table, WrongAnswerError, check_game

START: dict[str, Any] = {
    "id": "g",
    "variant": "accordion",
    "version": 1,
    "status": "playing",
    "row": ["4S", "7H", "QC", "4D", "KD"],
    "heights": [1, 1, 1, 1, 1],
    "legal_moves": [{"from": 3, "to": 0}, {"from": 4, "to": 3}],
    "moves": 0,
}
MOVED = START | {
    "version": 2,
    "row": ["4D", "7H", "QC", "KD"],
    "heights": [2, 1, 1, 1],
    "legal_moves": [{"from": 3, "to": 0}],
    "moves": 1,
}


def test_right_answers_pass() -> None:
    table = Table.of(START)
    check_game(table, START)
    table.move((3, 0), MOVED)
    table.undo(START | {"version": 3})
    assert (table.version, table.row) == (3, START["row"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": "h"},
        {"version": 1},
        {"version": 3},
        {"row": START["row"]},
        {"row": ["4D", "QC", "7H", "KD"]},
        {"heights": [1, 1, 1, 1]},
        {"heights": [3, 1, 1]},
        {"legal_moves": []},
        {"legal_moves": [{"from": 3, "to": 0}, {"from": 1, "to": 0}]},
        {"moves": 2},
        {"status": "lost"},
        {"status": "won"},
    ],
)
def test_a_wrong_answer_does_not(wrong: dict[str, Any]) -> None:
    with pytest.raises(WrongAnswerError):
        Table.of(START).move((3, 0), MOVED | wrong)


def test_a_stuck_game_must_be_lost() -> None:
    stuck = START | {"row": ["4S", "7H"], "heights": [1, 1], "legal_moves": []}
    check_game(Table.of(stuck), stuck | {"status": "lost"})
    with pytest.raises(WrongAnswerError):
        check_game(Table.of(stuck), stuck)
