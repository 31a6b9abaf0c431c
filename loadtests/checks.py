"""Checks of responses, against the rules and against earlier responses."""

from __future__ import annotations

from typing import Any

from loadtests.rules import Move, apply_move, legal_moves, score, status


class WrongResponseError(Exception):
    """A response that contradicts the rules or an earlier response."""


def expect(what: str, found: object, expected: object) -> None:
    """Check one member of a response.

    Raises:
        WrongResponseError: It has another value.
    """
    if found != expected:
        raise WrongResponseError(f"{what} is {found!r}, expected {expected!r}")


def expect_status(found: int, expected: tuple[int, ...], body: str | None) -> None:
    """Check the status of a response.

    Raises:
        WrongResponseError: It is not expected; the message contains the body.
    """
    if found not in expected:
        raise WrongResponseError(f"status {found}: {(body or '')[:200]}")


class PlayedGame:
    """An open game of a stacking variant, with what its only player knows of it.

    Every method raises `WrongResponseError` where a response is wrong.
    """

    def __init__(self, game: dict[str, Any]) -> None:
        """Start from the response that created the game."""
        self.path = f"/v1/games/{game['id']}"
        self.variant: str = game["variant"]
        self.watch_id: str = game["watch_id"]
        # The row at the start, and after each move that was not undone.
        self.rows: list[list[str]] = [game["row"]]
        self.version = 1
        self._id = game["id"]
        self.check(game)

    @property
    def row(self) -> list[str]:
        """The current row."""
        return self.rows[-1]

    @property
    def moves(self) -> int:
        """The number of moves that were not undone."""
        return len(self.rows) - 1

    @property
    def cards(self) -> int:
        """The number of cards in play."""
        return len(self.rows[0])

    @property
    def legal_moves(self) -> list[Move]:
        """The legal moves, in ascending order."""
        return legal_moves(self.variant, self.row)

    def move(self, move: Move, game: dict[str, Any]) -> None:
        """Check the response to a move."""
        self._change([*self.rows, apply_move(self.row, move)], game)

    def undo(self, game: dict[str, Any]) -> None:
        """Check the response to an undo of one move."""
        self._change(self.rows[:-1], game)

    def redo(self, row: list[str], game: dict[str, Any]) -> None:
        """Check the response to a redo that restores a row."""
        self._change([*self.rows, row], game)

    def finish(self, game: dict[str, Any]) -> None:
        """Check the response to finishing the game early."""
        self.version += 1
        for name, value in (
            ("version", self.version),
            ("row", self.row),
            ("status", "ended"),
        ):
            expect(name, game[name], value)

    def check(self, game: dict[str, Any]) -> None:
        """Check the game as a response shows it."""
        expect("id", game["id"], self._id)
        expect("version", game["version"], self.version)
        expect("row", game["row"], self.row)
        expect("moves", game["moves"], self.moves)
        check_position(game, self.cards)

    def _change(self, rows: list[list[str]], game: dict[str, Any]) -> None:
        self.rows = rows
        self.version += 1
        self.check(game)


class WatchedGame:
    """A game of another player, with what a spectator knows of it.

    Every method raises `WrongResponseError` where a response is wrong.
    """

    def __init__(self, game: PlayedGame) -> None:
        self.game = game
        self.path = f"/v1/watch/{game.watch_id}"
        self._version = 0
        self._row: list[str] = []
        self._oldest_allowed = 0
        self.etag = ""

    def before_request(self) -> None:
        """Note the player's version: the response must not be older than that."""
        self._oldest_allowed = max(self.game.version, self._version)

    def check_not_modified(self, etag: str) -> None:
        """Check a 304: the game has not changed."""
        expect("ETag", etag, self.etag)
        if self._version < self._oldest_allowed:
            raise WrongResponseError(
                f"304 for version {self._version} after version {self._oldest_allowed}"
            )

    def check(self, game: dict[str, Any], etag: str, *, changed: bool) -> None:
        """Check the game as a response shows it.

        `changed`: the request was conditional, so that its ETag must differ.
        """
        version, row = game["version"], game["row"]
        expect("watch_id", game["watch_id"], self.game.watch_id)
        expect("whether spectators see the id", "id" in game, expected=False)
        expect("version of the ETag", etag.strip('"').partition(".")[0], str(version))
        check_position(game, self.game.cards, may_be_finished=True)
        if changed and etag == self.etag:
            raise WrongResponseError("200 with the ETag that was sent")
        least = max(self._oldest_allowed, self._version)
        if version < least:
            raise WrongResponseError(f"version {version}, expected {least} or later")
        if version == self._version:
            expect("row", row, self._row)
        if version == self.game.version:
            expect("row", row, self.game.row)
        self._version, self._row, self.etag = version, row, etag


def check_position(
    game: dict[str, Any], cards: int, *, may_be_finished: bool = False
) -> None:
    """Check the invariants of an open game of a stacking variant with `cards` cards.

    Raises:
        WrongResponseError: The game breaks the rules.
    """
    variant, row = game["variant"], game["row"]
    expect("number of different cards", len(set(row)), len(row))
    expect("number of heights", len(game["heights"]), len(row))
    expect("sum of heights", sum(game["heights"]), cards)
    expect("moves", game["moves"], cards - len(row))
    listed = sorted((move["from"], move["to"]) for move in game["legal_moves"])
    if may_be_finished and game["status"] == "ended":
        expect("legal_moves", listed, [])
    else:
        expect("status", game["status"], status(variant, row))
        expect("legal_moves", listed, legal_moves(variant, row))


def check_replay(
    replay: dict[str, Any], variant: str, row: list[str], illegal_at: int | None
) -> None:
    """Check the replay of a record.

    `row` is the row after the last legal action; `illegal_at` is the index of an action
    that names a pile beyond the row, if there is one.

    Raises:
        WrongResponseError: The replay has another result.
    """
    expected_status = status(variant, row)
    expected: dict[str, object] = {
        "valid": True,
        "status": expected_status,
        "score": score(variant, row),
        "row": row,
    }
    if illegal_at is not None:
        reason = "game-over" if expected_status == "won" else "no-such-pile"
        expected = {"valid": False, "index": illegal_at, "reason": reason}
    for name, value in expected.items():
        expect(name, replay[name], value)


def check_board(board: dict[str, Any], *, is_top: bool = False) -> None:
    """Check that a page of a board is in order, from rank 1 if it is the top.

    Raises:
        WrongResponseError: Ranks have gaps, or an entry is before a better one.
    """
    entries = board["entries"]
    ranks = [entry["rank"] for entry in entries]
    first = ranks[0] if ranks and not is_top else 1
    expect("ranks", ranks, list(range(first, first + len(ranks))))
    order = [(-entry["score"], entry["finished_at"]) for entry in entries]
    expect("order of the entries", order, sorted(order))
    holds = board["entries_total"] >= first + len(ranks) - 1
    expect("whether the total holds the page", holds, expected=True)
