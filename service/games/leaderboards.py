"""Boards: the best results on a deal, and the sums over several days."""

from __future__ import annotations

import json
from calendar import monthrange
from typing import TYPE_CHECKING, Final, NamedTuple

from service.clock import DAY_SECONDS
from service.engine.play import Status
from service.engine.scoring import TIME_BONUS, rate, score
from service.games.ids import watch_id_of_key
from service.games.player_names import player_of
from service.games.players import deal_name, player_key
from service.games.session import UnrankedReason, closing_time, day_of
from service.store.boards import After, BoardKey, Result, Share
from service.store.players import End
from service.timestamps import MILLISECONDS

if TYPE_CHECKING:
    from datetime import date

    from service.games.game_end import GameEnd
    from service.games.session import Session
    from service.store.boards import Boards, Entry, Statistics
    from service.store.players import Counted, Players

_STREAK: Final = frozenset({Status.WON, Status.LOST})


class NotRankedError(Exception):
    """A game or a player without a place on a board.

    Attributes:
        name: The name of the player; None for a game that counts for no board.
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(f"{name or 'the game'} is not on the board")
        self.name = name


class Row(NamedTuple):
    """An entry of a board as it is shown; of a sum only the first four are known."""

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
        board: The name of the board.
        total: The entries of the whole board.
        closes_at: When it closes, in milliseconds since 1970; None if it never does.
        rows: The entries.
        after: The place behind the last one, if there are more.
    """

    board: str
    total: int
    closes_at: int | None
    rows: list[Row]
    after: After | None


class BoardName(NamedTuple):
    """Which board.

    Attributes:
        text: Its name without the variant.
        key: The variant, or empty.
        closes_at: When it closes, in milliseconds since 1970; None if it never does.
        is_sum: Whether it adds days up.
    """

    text: str
    variant: str
    closes_at: int | None
    is_sum: bool = False

    def of(self, tenant: str) -> BoardKey:
        """Return the tenant's board of this name."""
        name = f"{self.text}/{self.variant}" if self.variant else self.text
        return BoardKey(tenant, name, self.is_sum)


def daily_board(day: date, variant: str) -> BoardName:
    """Name the board of a day."""
    return BoardName(f"daily/{day.isoformat()}", variant, closing_time(day))


def monthly_board(day: date, variant: str) -> BoardName:
    """Name the board of the month of a day."""
    _, last_day = monthrange(day.year, day.month)
    closes_at = closing_time(day.replace(day=last_day))
    text = f"monthly/{day.isoformat()[:7]}"
    return BoardName(text, variant, closes_at, is_sum=True)


def all_time_board(variant: str) -> BoardName:
    """Name the board of all days."""
    return BoardName("all-time", variant, None, is_sum=True)


def board_of(session: Session) -> BoardName | None:
    """Name the board that a game is on if it is ranked."""
    if session.daily is not None:
        return daily_board(session.daily, session.play.ruleset.key)
    if session.event is not None:
        return event_board(session.event, session.event_closes_at)
    return None


def event_board(event_id: str, closes_at: int | None) -> BoardName:
    """Name the board of an event."""
    return BoardName(f"event/{event_id}", "", closes_at)


class BoardKeeper:
    """Keeps boards, statistics, counts and streaks; it is called for every end.

    Args:
        players: What the store knows of players.
        boards: The boards.
        days_kept: The days that a board stays after it has closed.
    """

    def __init__(self, players: Players, boards: Boards, days_kept: int) -> None:
        self._players = players
        self._boards = boards
        self._days_kept = days_kept

    def concerns(self, end: GameEnd) -> bool:
        """Whether a game counts for its player: deals chosen by callers do not."""
        return end.session.player is not None and end.session.server_seed

    def handle(self, end: GameEnd) -> None:
        """See ``EndHandler.handle``."""
        session, board = end.session, board_of(end.session)
        reason = session.unranked_reason
        counted = self._count(end, board, is_ranked=reason is None)
        if counted.state == "key" or board is None:
            return
        is_ranked = reason is None and counted.state == "ok"
        # A board that has closed stays as it is; before, a later end without a rank
        # takes the place of an earlier one that had one.
        if is_ranked or (session.ends > 1 and not _ended_late(session)):
            self._put(end, board, counted, is_ranked=is_ranked)

    def _count(
        self, end: GameEnd, board: BoardName | None, *, is_ranked: bool
    ) -> Counted:
        session, tenant = end.session, end.key.tenant
        boards = _all_boards(session, board) if is_ranked else []
        ended_at = session.ended_at or session.started_at
        return self._players.end(
            player_key(tenant, session),
            End(
                game=end.key,
                deal=deal_name(session),
                number=session.ends,
                variant=session.play.ruleset.key,
                started_at=session.started_at,
                ended_at=ended_at,
                points=score(session.play, None),
                most_bonus=TIME_BONUS,
                status=session.play.status,
                rating=rate(session.play) or "",
                day=_streak_day(session),
                best_from=_best_from(session, is_ranked=is_ranked),
                boards=[name.of(tenant).board for name in boards],
            ),
        )

    def _put(
        self, end: GameEnd, board: BoardName, counted: Counted, *, is_ranked: bool
    ) -> None:
        session, tenant = end.session, end.key.tenant
        player, finished_at = player_of(session.player or ""), session.ended_at or 0
        result = Result(
            player=player,
            game_id=end.key.game_id,
            number=session.ends,
            score=counted.score if is_ranked else None,
            finished_at=finished_at,
            piles=len(session.play.position.row),
            status=session.play.status,
            shown=_shown(end, counted),
        )
        best = self._boards.put(board.of(tenant), result, self._life(board, end))
        if session.daily is None:
            return
        share = Share(player, session.daily.isoformat(), best, session.player or "")
        for name in _sums(session, session.daily):
            self._boards.add(name.of(tenant), share, self._life(name, end))

    def _life(self, board: BoardName, end: GameEnd) -> int:
        """Return the seconds that a board is kept; 0 if it has no end."""
        if board.closes_at is None:
            return 0
        ended_at = end.session.ended_at or end.session.started_at
        left = max(0, board.closes_at - ended_at) // MILLISECONDS
        return left + self._days_kept * DAY_SECONDS


class Leaderboards:
    """Reads boards.

    Args:
        boards: The boards.
    """

    def __init__(self, boards: Boards) -> None:
        self._boards = boards

    def read(
        self,
        tenant: str,
        board: BoardName,
        limit: int,
        where: After | str | None,
        now: int,
    ) -> BoardView:
        """Read a part of a board: the top, behind a place, or around a player.

        Raises:
            NotRankedError: The player has no entry.
        """
        place = player_of(where) if isinstance(where, str) else where
        page = self._boards.page(board.of(tenant), limit, place)
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
        """Read the board of a game around its player.

        Raises:
            NotRankedError: It is not on a board.
        """
        board = board_of(session)
        if board is None or session.player is None:
            raise NotRankedError
        return self.read(tenant, board, limit, session.player, now)

    def statistics(self, tenant: str, board: BoardName) -> Statistics:
        """Summarise the entries of a board."""
        return self._boards.statistics(board.of(tenant))


def _sums(session: Session, day: date) -> tuple[BoardName, BoardName]:
    variant = session.play.ruleset.key
    return monthly_board(day, variant), all_time_board(variant)


def _all_boards(session: Session, board: BoardName | None) -> list[BoardName]:
    boards = [] if board is None else [board]
    return (
        boards if session.daily is None else [*boards, *_sums(session, session.daily)]
    )


def _ended_late(session: Session) -> bool:
    closes_at, ended_at = session.closes_at, session.ended_at
    return closes_at is not None and ended_at is not None and ended_at >= closes_at


def _streak_day(session: Session) -> str:
    """Return the day that a game counts for in a streak, as an ordinal; or empty.

    An end after the close takes no day away that an earlier one has won or lost.
    """
    day = session.daily
    if day is None or day_of(session.started_at) != day:
        return ""
    if _ended_late(session):
        return "keep"
    return str(day.toordinal()) if session.play.status in _STREAK else ""


def _best_from(session: Session, *, is_ranked: bool) -> str:
    if is_ranked:
        return "ranked"
    if _ended_late(session):
        return "keep"
    has_deal_of_its_own = session.unranked_reason is UnrankedReason.DEAL
    return "own" if has_deal_of_its_own and not session.hints_used else ""


def _shown(end: GameEnd, counted: Counted) -> str:
    session = end.session
    seconds = max(0, (session.ended_at or 0) - counted.started_at) // MILLISECONDS
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


def _row(board: BoardName, rank: int, entry: Entry, *, is_open: bool) -> Row:
    if board.is_sum:
        return Row(rank, entry.shown, entry.score, entry.finished_at)
    player, rating, piles, moves, undos_used, seconds, watch_id = json.loads(
        entry.shown
    )
    return Row(
        rank=rank,
        player=player,
        score=entry.score,
        finished_at=entry.finished_at,
        rating=rating,
        piles=piles,
        moves=moves,
        undos_used=undos_used,
        elapsed_seconds=seconds,
        watch_id=None if is_open else watch_id,
    )
