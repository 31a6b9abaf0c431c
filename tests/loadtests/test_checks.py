from typing import Any

import pytest

from loadtests.checks import Table, WrongAnswerError, check_game, check_replay

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


def test_a_game_is_won_only_where_the_rules_say_so() -> None:
    stuck = START | {"row": ["4S", "7H"], "heights": [1, 1], "legal_moves": []}
    with pytest.raises(WrongAnswerError, match="status"):
        check_game(Table.of(stuck), stuck | {"status": "won"})


def test_a_finished_game_is_as_it_was() -> None:
    table = Table.of(START)
    table.finish(START | {"version": 2, "status": "ended"})
    for wrong in ({"status": "playing"}, {"row": START["row"][1:]}, {"version": 4}):
        with pytest.raises(WrongAnswerError):
            table.finish(START | {"version": 3, "status": "ended"} | wrong)
        table.version = 2


STUCK = ["4S", "7H"]
VERDICT = {"valid": True, "status": "lost", "score": 500, "rating": None, "row": STUCK}
REFUTED = {"valid": False, "index": 50, "reason": "no-such-pile"}


def test_right_verdicts_pass() -> None:
    check_replay(VERDICT, "accordion", STUCK, None)
    check_replay(REFUTED, "accordion", STUCK, 50)
    check_replay(REFUTED | {"reason": "game-over"}, "accordion", ["4S"], 50)


@pytest.mark.parametrize(
    "wrong",
    [
        {"valid": False},
        {"status": "won"},
        {"status": "playing"},
        {"score": 510},
        {"row": ["7H", "4S"]},
    ],
)
def test_a_wrong_verdict_does_not(wrong: dict[str, Any]) -> None:
    with pytest.raises(WrongAnswerError):
        check_replay(VERDICT | wrong, "accordion", STUCK, None)


@pytest.mark.parametrize(
    "wrong", [{"valid": True}, {"index": 49}, {"reason": "distance"}]
)
def test_nor_does_a_wrong_refutation(wrong: dict[str, Any]) -> None:
    with pytest.raises(WrongAnswerError):
        check_replay(REFUTED | wrong, "accordion", STUCK, 50)
