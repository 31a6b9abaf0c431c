"""Boards: of days, of months, of all time; and the statistics of a day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

from service.games.leaderboards import all_time_board, daily_board, monthly_board
from service.http.cursor import place_cursor
from service.http.docs import examples
from service.http.operation import Access, Answer, Operation, Route
from service.http.query import read_query
from service.http.reply import NOT_STORED, json_reply
from service.http.schemas.boards import (
    AroundQuery,
    BoardQuery,
    board_response,
    statistics_response,
)
from service.http.schemas.deals import VariantQuery
from service.http.schemas.fields import read_day, read_month, ref
from service.http.schemas.input import load_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.games.leaderboards import BoardName, BoardView, Leaderboards
    from service.http.game_replies import GameReplies
    from service.http.reply import Reply
    from service.http.request import Request
    from service.http.schemas.boards import BoardWish

_TAG: Final = "Boards"
_PROBLEMS: Final = ("not-ranked", "store-unavailable")
_BOARD: Final = Answer(
    200,
    "The entries, the best first.",
    schema=ref("Board"),
    examples={"": examples.BOARD},
    headers=("Cache-Control", "Link"),
)
_RANKED: Final = (
    "A game is ranked if it was started on the UTC day of its deal, is over when the "
    "deal closes, and has a `player` and the variant's default options, and if the "
    "player has had no hint or solution in it or earlier in another game of that "
    "deal. The best game of a player counts; the order is by score, then by the "
    "earlier finish. Following `Link` from page to page shows every entry that does "
    "not change meanwhile exactly once. The moves of ranked games are legal and their "
    "times are the server's; names are those that clients send, and it is not proved "
    "that no other solver was used."
)


def _board(name: str, summary: str, description: str) -> Operation:
    return Operation(
        name,
        _TAG,
        summary,
        description,
        answers=(_BOARD,),
        problems=_PROBLEMS,
        query=BoardQuery(),
        access=Access.PUBLIC,
    )


_DAILY: Final = _board("getDailyBoard", "Get the leaderboard of a day", _RANKED)
_MONTHLY: Final = _board(
    "getMonthlyBoard",
    "Get the leaderboard of a month",
    "Adds up the best score of each player on each day of the month.",
)
_ALL_TIME: Final = _board(
    "getAllTimeBoard",
    "Get the leaderboard of all time",
    "Adds up the best score of each player on each day.",
)
_OF_GAME: Final = Operation(
    "getGameBoard",
    _TAG,
    "Get the leaderboard around a game",
    "The board of the game's day or event, around the game's player.",
    answers=(_BOARD,),
    problems=("game-not-found", *_PROBLEMS),
    query=AroundQuery(),
    access=Access.GAME,
)
_STATISTICS: Final = Operation(
    "getDailyStatistics",
    _TAG,
    "Get the statistics of a day",
    "Counts the best result of each player on the leaderboard of the day.",
    answers=(
        Answer(
            200,
            "The statistics.",
            schema=ref("DailyStatistics"),
            examples={"": examples.STATISTICS},
            headers=("Cache-Control",),
        ),
    ),
    problems=("store-unavailable",),
    query=VariantQuery(),
    access=Access.PUBLIC,
)


@dataclass(frozen=True, slots=True)
class BoardRoutes:
    """The routes of boards.

    Attributes:
        boards: The boards.
        replies: The games.
        clock: The time in milliseconds since 1970, UTC.
    """

    boards: Leaderboards
    replies: GameReplies
    clock: Callable[[], int]

    def routes(self) -> tuple[Route, ...]:
        """List them."""
        root = "/v1/leaderboards"
        return (
            Route("GET", f"{root}/daily/{{date}}", _DAILY, self.show_day),
            Route("GET", f"{root}/monthly/{{month}}", _MONTHLY, self.show_month),
            Route("GET", f"{root}/all-time", _ALL_TIME, self.show_all_time),
            Route(
                "GET", "/v1/games/{game_id}/leaderboard", _OF_GAME, self.show_of_game
            ),
            Route(
                "GET",
                "/v1/deals/daily/{date}/statistics",
                _STATISTICS,
                self.show_statistics,
            ),
        )

    def show_day(self, request: Request) -> Reply:
        """Show the board of a day."""
        wish: BoardWish = request.load_query()
        day = load_value("date", read_day, request.values["date"])
        return self._show(request, daily_board(day, wish.ruleset.key), wish)

    def show_month(self, request: Request) -> Reply:
        """Show the board of a month."""
        wish: BoardWish = request.load_query()
        month = load_value("month", read_month, request.values["month"])
        return self._show(request, monthly_board(month, wish.ruleset.key), wish)

    def show_all_time(self, request: Request) -> Reply:
        """Show the board of all time."""
        wish: BoardWish = request.load_query()
        return self._show(request, all_time_board(wish.ruleset.key), wish)

    def show_of_game(self, request: Request) -> Reply:
        """Show the board of a game around its player."""
        limit: int = request.load_query()
        game = self.replies.games.get(request.tenant, request.values["game_id"])
        view = self.boards.around_game(
            request.tenant, game.session, limit, self.clock()
        )
        return json_reply(board_response(view), caching=NOT_STORED)

    def show_statistics(self, request: Request) -> Reply:
        """Show the statistics of a day."""
        ruleset = request.load_query()
        day = load_value("date", read_day, request.values["date"])
        board = daily_board(day, ruleset.key)
        statistics = self.boards.statistics(request.tenant, board)
        return json_reply(
            statistics_response(day, ruleset, statistics), caching=NOT_STORED
        )

    def _show(self, request: Request, board: BoardName, wish: BoardWish) -> Reply:
        view = self.boards.read(
            request.tenant, board, wish.limit, wish.where, self.clock()
        )
        fields = _links(request, view)
        return json_reply(board_response(view), caching=NOT_STORED, fields=fields)


def _links(request: Request, view: BoardView) -> dict[str, str]:
    if view.after is None:
        return {}
    return {"Link": next_link(request, place_cursor(view.after))}


def next_link(request: Request, cursor: str) -> str:
    """Write the field ``Link`` of a page that another one follows."""
    query = read_query(request.query_string)
    query.pop("around", None)
    target = urlencode(query | {"cursor": cursor})
    return f'<{quote(request.path)}?{target}>; rel="next"'
