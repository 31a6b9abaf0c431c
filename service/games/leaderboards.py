"""Boards: the best results on a deal, and sums over several days."""

from __future__ import annotations

import json
from calendar import monthrange
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from service.clock import DAY_SECONDS
from service.engine.play import Status
from service.engine.scoring import MAX_TIME_BONUS, rate, score
from service.games.ids import watch_id_of_key
from service.games.player_names import normalize_name
from service.games.players import deal_name, player_key
from service.games.session import UnrankedReason, closing_time, day_of
from service.store.boards import After, BoardKey, Result, Share
from service.store.players import End
from service.timestamps import SECOND_MS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from service.games.game_end import GameEnd
    from service.games.session import Session
    from service.store.boards import BoardEntry, Boards, Statistics
    from service.store.players import CountedEnd, Players

_STREAK: Final = frozenset({Status.WON, Status.LOST})


class NotRankedError(Exception):
    """The player or game is not on the board.

    Attributes:
        name: The name of the player; None for a game.
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(f"{name or 'the game'} is not on the board")
        self.name = name


class BoardRow(NamedTuple):
    """An entry of a board as it is shown.

    The board of a sum has only the first four fields.

    Attributes:
        rank: The rank, from 1.
        finished_at: The end of the game, in milliseconds since 1970, UTC.
        watch_id: None while the board is open.
    """

    rank: int
    player: str
    score: int
    finished_at: int
    rating: str | None = None
    piles: int | None = None
    moves: int | None = None
    undos_used: int | None = None
    elapsed_seconds: int | None = None
    watch_id: str | None = None


class BoardView(NamedTuple):
    """A part of a board.

    Attributes:
        board: The name of the board, without the variant.
        total: The number of entries on the whole board.
        closes_at: The time it closes, in milliseconds since 1970; None if it never
            does.
        rows: The entries of this part.
        after: Where the next part begins; None if there are no more entries.
    """

    board: str
    total: int
    closes_at: int | None
    rows: list[BoardRow]
    after: After | None


class BoardName(NamedTuple):
    """The name of a board, and how the board works.

    Attributes:
        text: The name without the variant.
        variant: The key of the variant; empty for an event.
        closes_at: The time it closes, in milliseconds since 1970; None if it never
            does.
        is_sum: Whether it sums the results of several days.
    """

    text: str
    variant: str
    closes_at: int | None
    is_sum: bool = False

    def of(self, tenant: str) -> BoardKey:
        """Return the store key of a tenant's board."""
        name = f"{self.text}/{self.variant}" if self.variant else self.text
        return BoardKey(tenant, name, self.is_sum)


def daily_board(day: date, variant: str) -> BoardName:
    """Return the name of the board of a day."""
    return BoardName(f"daily/{day.isoformat()}", variant, closing_time(day))


def monthly_board(day: date, variant: str) -> BoardName:
    """Return the name of the board of the month that contains a day."""
    _, last_day = monthrange(day.year, day.month)
    closes_at = closing_time(day.replace(day=last_day))
    text = f"monthly/{day.isoformat()[:7]}"
    return BoardName(text, variant, closes_at, is_sum=True)


def all_time_board(variant: str) -> BoardName:
    """Return the name of the board of all days."""
    return BoardName("all-time", variant, None, is_sum=True)


def board_of(session: Session) -> BoardName | None:
    """Return the name of the board that a game is on if it is ranked, or None."""
    if session.daily is not None:
        return daily_board(session.daily, session.play.ruleset.key)
    if session.event is not None:
        return event_board(session.event, session.event_closes_at)
    return None


def event_board(event_id: str, closes_at: int | None) -> BoardName:
    """Return the name of the board of an event."""
    return BoardName(f"event/{event_id}", "", closes_at)


@dataclass(frozen=True, slots=True)
class BoardUpdater:
    """Updates boards, statistics, totals and streaks; an ``EndHandler``.

    Attributes:
        players: The stored players.
        boards: The stored boards.
        days_kept: How many days a board is kept after it has closed.
    """

    players: Players
    boards: Boards
    days_kept: int

    def concerns(self, end: GameEnd) -> bool:
        """Whether a game has a player, and a deal that the server chose."""
        return end.session.player is not None and end.session.server_seed

    def handle(self, end: GameEnd) -> None:
        """See ``EndHandler.handle``."""
        session, boards = end.session, _boards_of(end.session)
        is_ranked = session.unranked_reason is None
        counted = self._count(end, boards if is_ranked else [])
        if counted.state == "key" or not boards:
            return
        is_ranked = is_ranked and counted.state == "ok"
        # Until the board closes, an unranked later end replaces a ranked earlier one;
        # after that, the board does not change.
        if is_ranked or (session.ends > 1 and not _ended_late(session)):
            self._put(end, boards, counted, is_ranked=is_ranked)

    def _count(self, end: GameEnd, boards: Sequence[BoardName]) -> CountedEnd:
        """Count an end for its player; it may be on ``boards``."""
        session, tenant = end.session, end.key.tenant
        return self.players.count_end(
            player_key(tenant, session),
            End(
                game=end.key,
                deal=deal_name(session),
                number=session.ends,
                variant=session.play.ruleset.key,
                started_at=session.started_at,
                ended_at=session.ended_at or session.started_at,
                points=score(session.play, None),
                most_bonus=MAX_TIME_BONUS,
                status=session.play.status,
                rating=rate(session.play) or "",
                day=_streak_day(session),
                best_from=_best_from(session),
                boards=[board.of(tenant).board for board in boards],
            ),
        )

    def _put(
        self,
        end: GameEnd,
        boards: Sequence[BoardName],
        counted: CountedEnd,
        *,
        is_ranked: bool,
    ) -> None:
        (tenant, game_id), session = end
        board, *sums = boards
        name = session.player or ""
        player = normalize_name(name)
        result = Result(
            player=player,
            game_id=game_id,
            number=session.ends,
            score=counted.score if is_ranked else -1,
            finished_at=session.ended_at or 0,
            piles=len(session.play.position.row),
            status=session.play.status,
            shown=_shown(end, counted),
        )
        best = self.boards.put(board.of(tenant), result, self._life(board, end))
        if session.daily is not None:
            share = Share(player, session.daily.isoformat(), best, name)
            for board in sums:
                self.boards.add(board.of(tenant), share, self._life(board, end))

    def _life(self, board: BoardName, end: GameEnd) -> int:
        """Return how many seconds a board is kept from an end on; 0 means forever."""
        if board.closes_at is None:
            return 0
        ended_at = end.session.ended_at or end.session.started_at
        left = max(0, board.closes_at - ended_at) // SECOND_MS
        return left + self.days_kept * DAY_SECONDS


@dataclass(frozen=True, slots=True)
class Leaderboards:
    """Reads boards."""

    boards: Boards

    def read(
        self,
        tenant: str,
        board: BoardName,
        limit: int,
        where: After | str | None,
        now: int,
    ) -> BoardView:
        """Return a part of a board.

        Args:
            tenant: The tenant that the board belongs to.
            board: The name of the board.
            limit: The maximum number of entries.
            where: None for the top; ``after`` of the previous part for the next one; or
                a player's name for the entries around the player.
            now: The time in milliseconds since 1970, UTC.

        Raises:
            NotRankedError: The player has no entry.
        """
        place = normalize_name(where) if isinstance(where, str) else where
        page = self.boards.page(board.of(tenant), limit, place)
        if page is None:
            raise NotRankedError(where if isinstance(where, str) else None)
        is_open = board.closes_at is not None and now < board.closes_at
        rows = [
            _row(board, place, entry, is_open=is_open)
            for place, entry in enumerate(page.entries, page.start + 1)
        ]
        after = None
        if page.entries and page.start + len(rows) < page.total:
            last = page.entries[-1]
            after = After(last.score, last.finished_at, last.player)
        return BoardView(board.text, page.total, board.closes_at, rows, after)

    def around_game(
        self, tenant: str, session: Session, limit: int, now: int
    ) -> BoardView:
        """Return the part of a game's board around its player.

        Raises:
            NotRankedError: The game has no board or no player, or the player has no
                entry.
        """
        board = board_of(session)
        if board is None or session.player is None:
            raise NotRankedError
        return self.read(tenant, board, limit, session.player, now)

    def statistics(self, tenant: str, board: BoardName) -> Statistics:
        """Return the statistics of a board."""
        return self.boards.statistics(board.of(tenant))


def _boards_of(session: Session) -> list[BoardName]:
    """Return the boards that a game is on if it is ranked, sums last."""
    board = board_of(session)
    if board is None:
        return []
    if session.daily is None:
        return [board]
    variant = session.play.ruleset.key
    return [board, monthly_board(session.daily, variant), all_time_board(variant)]


def _ended_late(session: Session) -> bool:
    closes_at, ended_at = session.closes_at, session.ended_at
    return closes_at is not None and ended_at is not None and ended_at >= closes_at


def _streak_day(session: Session) -> str:
    """Return the ordinal of the day that an end adds to a streak; empty if none.

    ``keep`` means the day of the game's earlier end, if any: an end after the deal has
    closed does not take it away.
    """
    day = session.daily
    if day is None or day_of(session.started_at) != day:
        return ""
    if _ended_late(session):
        return "keep"
    return str(day.toordinal()) if session.play.status in _STREAK else ""


def _best_from(session: Session) -> str:
    reason = session.unranked_reason
    if reason is None:
        return "ranked"
    if _ended_late(session):
        return "keep"
    return "own" if reason is UnrankedReason.DEAL and not session.hints_used else ""


def _shown(end: GameEnd, counted: CountedEnd) -> str:
    """Return as JSON the player's name, and ``BoardRow`` from ``rating`` on."""
    session = end.session
    seconds = max(0, (session.ended_at or 0) - counted.started_at) // SECOND_MS
    values = (
        session.player,
        rate(session.play),
        len(session.play.position.row),
        session.play.moves,
        session.undos_used,
        seconds,
        watch_id_of_key(end.key),
    )
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _row(board: BoardName, rank: int, entry: BoardEntry, *, is_open: bool) -> BoardRow:
    if board.is_sum:
        return BoardRow(rank, entry.shown, entry.score, entry.finished_at)
    player, *others = json.loads(entry.shown)
    row = BoardRow(rank, player, entry.score, entry.finished_at, *others)
    return row._replace(watch_id=None) if is_open else row
