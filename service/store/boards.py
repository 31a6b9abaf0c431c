"""Boards: players in the order of their scores, exact however many there are."""

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

_MOST_GAMES = 64
"""Games of a player that a board keeps, the best ones."""
_FINISH_DIGITS = 15
_FINISH_OF_GAME, _FINISH_OF_SUM = 6, 2


class BoardKey(NamedTuple):
    """A board.

    Attributes:
        board: its name, such as `daily/2026-12-01/accordion`.
        is_sum: whether it adds days up.
    """

    tenant: str
    board: str
    is_sum: bool = False


class Result(NamedTuple):
    """The end of a game, for a board.

    Attributes:
        number: 1, or more for a game that was undone and ended again.
        score: its score; -1 where the end has no rank.
        finished_at: when it ended, in milliseconds since 1970.
        piles: the piles or cards that were left.
        status: `won` or another.
        shown: what the entry shows.
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
    """A player's best on a board.

    Attributes:
        changes: how often it may have changed so far.
        score: the score, -1 without any.
        finished_at: when the game ended, in milliseconds since 1970.
    """

    changes: int
    score: int
    finished_at: int


class Share(NamedTuple):
    """A player's best of a day, as a part of a sum, and what the entry shows."""

    player: str
    day: str
    best: Best
    shown: str


class BoardEntry(NamedTuple):
    """An entry of a board.

    Attributes:
        score: the score, or the sum.
        finished_at: when it was reached, in milliseconds since 1970.
        shown: what else it shows.
    """

    player: str
    score: int
    finished_at: int
    shown: str


class After(NamedTuple):
    """The place behind an entry, as it was when it was read."""

    score: int
    finished_at: int
    player: str


class Page(NamedTuple):
    """A page of a board.

    Attributes:
        total: how many entries the board has.
        start: the rank of the first entry of the page, from 0.
    """

    total: int
    start: int
    entries: list[BoardEntry]


class Statistics(NamedTuple):
    """What the entries of a board come to.

    Attributes:
        won: how many were won.
        piles: how many ended at each number of piles.
    """

    won: int
    piles: dict[int, int]


@dataclass(frozen=True)
class Boards:
    """The boards of all tenants."""

    runner: Runner

    def put(self, key: BoardKey, result: Result, life: int) -> Best:
        """Put the end of a game on a board, which lives so many seconds from now."""
        names = _names(key, "order", "entries", "games", "statistics")
        args = (*result, life * 1000, _MOST_GAMES)
        return Best(*self.runner.write_script(_PUT, names, args))

    def add(self, key: BoardKey, share: Share, life: int) -> None:
        """Bring a player's best of a day into a sum; a life of 0 has no end."""
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
        """A page: from the top, behind a place, or around a player who may be absent.

        Returns:
            The page, or None where the player has no entry.
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
        """What the entries of a board come to."""
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
