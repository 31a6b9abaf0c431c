from typing import Any

import pytest

from loadtests.checks import (
    PlayedGame,
    WatchedGame,
    WrongResponseError,
    check_board,
    check_replay,
    expect_status,
)

START: dict[str, Any] = {
    "id": "g",
    "watch_id": "w",
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
LOST = START | {
    "row": ["4S", "7H"],
    "heights": [1, 1],
    "legal_moves": [],
    "status": "lost",
}
WATCHED = {name: START[name] for name in START.keys() - {"id"}}
WATCHED_MOVED = {name: MOVED[name] for name in WATCHED}


# --- the player's own games


def test_correct_responses_to_the_player_pass() -> None:
    game = PlayedGame(START)
    game.move((3, 0), MOVED)
    game.undo(START | {"version": 3})
    game.redo(MOVED["row"], MOVED | {"version": 4})
    assert (game.version, game.row, game.moves) == (4, MOVED["row"], 1)
    PlayedGame(LOST)


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
def test_a_wrong_game_after_a_move_is_an_error(wrong: dict[str, Any]) -> None:
    with pytest.raises(WrongResponseError):
        PlayedGame(START).move((3, 0), MOVED | wrong)


@pytest.mark.parametrize("status", ["playing", "won"])
def test_a_wrong_status_at_the_end(status: str) -> None:
    with pytest.raises(WrongResponseError, match="status"):
        PlayedGame(LOST | {"status": status})


def test_a_finished_game() -> None:
    PlayedGame(START).finish(START | {"version": 2, "status": "ended"})


@pytest.mark.parametrize(
    "wrong", [{"status": "playing"}, {"row": START["row"][1:]}, {"version": 3}]
)
def test_a_wrong_finished_game(wrong: dict[str, Any]) -> None:
    with pytest.raises(WrongResponseError):
        PlayedGame(START).finish(START | {"version": 2, "status": "ended"} | wrong)


def test_an_unexpected_status() -> None:
    expect_status(201, (200, 201), None)
    with pytest.raises(WrongResponseError, match="status 500: oops"):
        expect_status(500, (200, 201), "oops")


# --- games of other players


def watch(player: PlayedGame) -> WatchedGame:
    """A game of which a spectator has seen version 1."""
    game = WatchedGame(player)
    game.before_request()
    game.check(WATCHED, '"1"', changed=False)
    return game


def test_correct_responses_to_a_spectator_pass() -> None:
    player = PlayedGame(START)
    game = watch(player)
    game.before_request()
    game.check_not_modified('"1"')
    game.before_request()
    player.move((3, 0), MOVED)
    game.check_not_modified('"1"')  # the move may have come after the request
    game.before_request()
    game.check(WATCHED_MOVED, '"2"', changed=True)
    game.before_request()
    game.check(WATCHED_MOVED, '"2"', changed=False)
    game.before_request()
    ended = {"version": 3, "status": "ended", "legal_moves": []}
    game.check(WATCHED_MOVED | ended, '"3"', changed=True)
    assert game.etag == '"3"'


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": "g"},
        {"watch_id": "v"},
        {"version": 2},
        {"version": 0},
        {"row": START["row"][::-1]},
        {"row": ["4S", "4S", "QC", "4D", "KD"]},
        {"row": ["4D", "7H", "QC", "4S", "KD"], "legal_moves": [{"from": 3, "to": 0}]},
        {"heights": [1, 1, 1, 1, 2]},
        {"heights": [1, 1, 1, 1]},
        {"moves": 1},
        {"status": "lost"},
        {"status": "ended"},
        {"legal_moves": []},
    ],
)
def test_a_wrong_first_response(wrong: dict[str, Any]) -> None:
    game = WatchedGame(PlayedGame(START))
    game.before_request()
    with pytest.raises(WrongResponseError):
        game.check(WATCHED | wrong, '"1"', changed=False)


def test_a_304_after_a_move_is_an_error() -> None:
    player = PlayedGame(START)
    game = watch(player)
    player.move((3, 0), MOVED)
    game.before_request()
    with pytest.raises(WrongResponseError, match="304"):
        game.check_not_modified('"1"')


def test_a_304_with_another_etag() -> None:
    with pytest.raises(WrongResponseError, match="ETag"):
        watch(PlayedGame(START)).check_not_modified('"2"')


def test_a_200_with_the_same_etag_is_an_error() -> None:
    with pytest.raises(WrongResponseError, match="ETag"):
        watch(PlayedGame(START)).check(WATCHED, '"1"', changed=True)


def test_an_older_version_than_the_players() -> None:
    player = PlayedGame(START)
    game = watch(player)
    player.move((3, 0), MOVED)
    game.before_request()
    with pytest.raises(WrongResponseError, match="version"):
        game.check(WATCHED, '"1"', changed=False)


def test_an_older_version_than_before() -> None:
    game = watch(PlayedGame(START))
    game.check(WATCHED_MOVED, '"2"', changed=False)
    with pytest.raises(WrongResponseError, match="version"):
        game.check(WATCHED, '"1"', changed=False)


def test_another_row_of_the_same_version() -> None:
    game = watch(PlayedGame(START))
    game.check(WATCHED_MOVED, '"2"', changed=False)
    other = {"row": ["4D", "QC", "7H", "KD"]}
    with pytest.raises(WrongResponseError, match="row"):
        game.check(WATCHED_MOVED | other, '"2"', changed=False)


# --- replays

VALID = {"valid": True, "status": "lost", "score": 500, "row": LOST["row"]}
INVALID = {"valid": False, "index": 50, "reason": "no-such-pile"}


def test_correct_replays_pass() -> None:
    check_replay(VALID, "accordion", LOST["row"], None)
    check_replay(INVALID, "accordion", LOST["row"], 50)
    check_replay(INVALID | {"reason": "game-over"}, "accordion", ["4S"], 50)


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
def test_a_wrong_replay_of_a_valid_record(wrong: dict[str, Any]) -> None:
    with pytest.raises(WrongResponseError):
        check_replay(VALID | wrong, "accordion", LOST["row"], None)


@pytest.mark.parametrize(
    "wrong", [{"valid": True}, {"index": 49}, {"reason": "distance"}]
)
def test_a_wrong_replay_of_an_invalid_record(wrong: dict[str, Any]) -> None:
    with pytest.raises(WrongResponseError):
        check_replay(INVALID | wrong, "accordion", LOST["row"], 50)


# --- boards


def _board(*entries: tuple[int, int, str]) -> dict[str, Any]:
    """A page of a board of nine: ranks, scores and times of finish."""
    names = ("rank", "score", "finished_at")
    rows = [dict(zip(names, entry, strict=True)) for entry in entries]
    return {"entries_total": 9, "entries": rows}


def test_correct_boards_pass() -> None:
    check_board(_board(), is_top=True)
    check_board(_board((1, 30, "a"), (2, 20, "a"), (3, 20, "b")), is_top=True)
    check_board(_board((8, 30, "a"), (9, 30, "a")))


@pytest.mark.parametrize(
    ("board", "is_top"),
    [
        (_board((2, 30, "a")), True),
        (_board((1, 30, "a"), (3, 20, "a")), False),
        (_board((1, 30, "a"), (1, 30, "a")), False),
        (_board((1, 20, "a"), (2, 30, "a")), False),
        (_board((1, 20, "b"), (2, 20, "a")), False),
        (_board((9, 20, "a"), (10, 20, "a")), False),
    ],
)
def test_wrong_boards_are_found(board: dict[str, Any], *, is_top: bool) -> None:
    with pytest.raises(WrongResponseError):
        check_board(board, is_top=is_top)
