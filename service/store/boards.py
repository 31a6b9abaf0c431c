"""Boards: players in the order of their scores, with exact ranks at any size."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from service.store.keyspace import board_name
from service.store.runner import Args, Runner, pairs_of, read_script

_SHARED = "board_order"
_PUT = read_script("board_put", shared=_SHARED)
_ADD = read_script("board_add", shared=_SHARED)
_ERASE = read_script("board_erase", shared=_SHARED)
_PAGE = read_script("board_page", shared=_SHARED)

_MAX_GAMES = 64
"""How many games of a player a board keeps, the best ones."""
_FINISH_DIGITS = 15
_FINISH_OF_GAME, _FINISH_OF_SUM = 6, 2


class BoardKey(NamedTuple):
    """Identifies a board.

    Attributes:
        board: its name, such as `daily/2026-12-01/accordion`.
        is_sum: whether the scores are sums over days.
    """

    tenant: str
    board: str
    is_sum: bool = False


class Result(NamedTuple):
    """The end of a game, for a board.

    Attributes:
        number: 1, or more if the end was undone and the game ended again.
        score: -1 if the end is not ranked.
        finished_at: when the game ended, in milliseconds since 1970.
        piles: the piles left in the row.
        status: `won` or another status.
        shown: what the entry shows, as an opaque text.
    """

    player: str
    game_id: str
    number: int
    score: int
    finished_at: int
    piles: int
    status: str
    shown: str


class Best(NamedTuple):
    """A player's best score on a board.

    Attributes:
        changes: how many ends of the player's games were put on the board so far.
        score: -1 if there is none.
        finished_at: when the game ended, in milliseconds since 1970; 0 without a score.
    """

    changes: int
    score: int
    finished_at: int


class Share(NamedTuple):
    """A player's best score of a day, for a sum, and what the sum's entry shows."""

    player: str
    day: str
    best: Best
    shown: str


class BoardEntry(NamedTuple):
    """An entry of a board.

    Attributes:
        score: the score, or the sum of scores.
        finished_at: when it was reached, in milliseconds since 1970.
        shown: what else the entry shows, from the `Result` or `Share`.
    """

    player: str
    score: int
    finished_at: int
    shown: str


class After(NamedTuple):
    """The place after an entry, given by the entry's values when it was read."""

    score: int
    finished_at: int
    player: str


class Page(NamedTuple):
    """A page of a board.

    Attributes:
        total: the number of entries on the whole board.
        start: the rank of the first entry of the page, from 0.
    """

    total: int
    start: int
    entries: list[BoardEntry]


class Statistics(NamedTuple):
    """Statistics of the entries of a board.

    Attributes:
        won: how many games were won.
        piles: how many games ended, by the number of piles left.
    """

    won: int
    piles: dict[int, int]


@dataclass(frozen=True)
class Boards:
    """The boards of all tenants."""

    runner: Runner

    def put(self, key: BoardKey, result: Result, life: int) -> Best:
        """Put the end of a game on a board, which is then kept for `life` seconds."""
        names = _names(key, "order", "entries", "games", "statistics")
        args = (*result, life * 1000, _MAX_GAMES)
        return Best(*self.runner.write_script(_PUT, names, args))

    def add(self, key: BoardKey, share: Share, life: int) -> None:
        """Add a player's best score of a day to a sum, in place of an earlier one.

        The board is then kept for `life` seconds, or without end if that is 0.
        """
        names = _names(key, "order", "entries", "games")
        args = (share.player, share.day, *share.best, share.shown, life * 1000)
        self.runner.write_script(_ADD, names, args)

    def erase(self, key: BoardKey, player: str) -> None:
        """Erase a player from a board."""
        names = _names(key, "order", "entries", "games", "statistics")
        self.runner.write_script(_ERASE, names, [player, _finish(key)])

    def page(
        self, key: BoardKey, limit: int, where: After | str | None = None
    ) -> Page | None:
        """Read a page of at most `limit` entries; None if the player has no entry.

        The page is the top of the board, the entries after a place, or the entries
        around a player's.
        """
        place: Args
        match where:
            case None:
                place = ["top", "", ""]
            case After(score, finished_at, player):
                place = ["after", -score, f"{finished_at:0{_FINISH_DIGITS}d}{player}"]
            case player:
                place = ["around", player, ""]
        names = _names(key, "order", "entries")
        args = [limit, *place, _finish(key)]
        found = self.runner.script(_PAGE, names, args)
        if not found:
            return None
        total, start, rows = found
        return Page(total, start, [_entry(key, *pair) for pair in pairs_of(rows)])

    def statistics(self, key: BoardKey) -> Statistics:
        """The statistics of a board."""
        (name,) = _names(key, "statistics")
        found = self.runner.read(b"HGETALL", name)
        counts = {what.decode(): int(count) for what, count in pairs_of(found)}
        won = counts.pop("won", 0)
        piles = {int(what[len("piles:") :]): n for what, n in counts.items() if n}
        return Statistics(won, piles)


def _names(key: BoardKey, *whats: str) -> list[bytes]:
    return [board_name(key.tenant, key.board, what) for what in whats]


def _finish(key: BoardKey) -> int:
    return _FINISH_OF_SUM if key.is_sum else _FINISH_OF_GAME


def _entry(key: BoardKey, member: bytes, packed: bytes) -> BoardEntry:
    player = member[_FINISH_DIGITS:].decode()
    values: list[Any] = msgspec.msgpack.decode(packed)
    if key.is_sum:
        score, finished_at, shown = values
    else:
        _, _, score, _, _, finished_at, shown = values
    return BoardEntry(player, int(score), int(finished_at), shown)
