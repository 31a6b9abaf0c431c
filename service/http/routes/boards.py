"""Boards of days, of months and of all time, and the statistics of a day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.games.leaderboards import (
    BoardName,
    Leaderboards,
    all_time_board,
    daily_board,
    monthly_board,
)
from service.http.cursor import link_page, place_cursor
from service.http.docs import examples
from service.http.operation import Access
from service.http.query import read_value
from service.http.reply import Reply, json_reply
from service.http.routing import CaseRoutes, Chapter, Declare, json_answer
from service.http.schemas.boards import (
    AroundQuery,
    BoardParams,
    BoardQuery,
    board_response,
    statistics_response,
)
from service.http.schemas.deals import VariantQuery
from service.http.schemas.fields import read_day, read_month

if TYPE_CHECKING:
    from service.http.request import Request

BOARD_ANSWER: Final = json_answer(
    "The entries, the best first.", examples.BOARD, ("Cache-Control", "Link")
)
_BOARDS: Final = Chapter("Boards", ("store-unavailable",))


def _board(path: str) -> Declare:
    """Declare an operation that shows the board of a variant."""
    return _BOARDS.operation(
        f"GET /v1/leaderboards/{path}",
        BOARD_ANSWER,
        problems=("not-ranked",),
        query=BoardQuery(),
        access=Access.PUBLIC,
    )


class BoardRoutes(CaseRoutes):
    """The routes of boards."""

    @_board("daily/{date}")
    def get_daily_board(self, request: Request) -> Reply:
        """Get the leaderboard of a day.

        A game is ranked if it was started on the UTC day of its deal, ended before the
        deal closed, has a `player` and the variant's default options, and the player
        had no hint or solution in it, and no hint, solution or review earlier in
        another game of that deal. Each player's best game counts; entries are ordered
        by score, then by the earlier finish. Following `Link` from page to page shows
        each entry exactly once, unless it changes meanwhile. The moves of ranked games
        are legal and the server measures their times, but names are those that clients
        send, and nothing proves that no other solver was used.
        """
        params: BoardParams = request.load_query()
        day = read_value(request, "date", read_day)
        return self._show(request, daily_board(day, params.ruleset.key), params)

    @_board("monthly/{month}")
    def get_monthly_board(self, request: Request) -> Reply:
        """Get the leaderboard of a month.

        The score of a player is the sum of their best scores on each day of the month.
        """
        params: BoardParams = request.load_query()
        month = read_value(request, "month", read_month)
        return self._show(request, monthly_board(month, params.ruleset.key), params)

    @_board("all-time")
    def get_all_time_board(self, request: Request) -> Reply:
        """Get the leaderboard of all time.

        The score of a player is the sum of their best scores on each day.
        """
        params: BoardParams = request.load_query()
        return self._show(request, all_time_board(params.ruleset.key), params)

    @_BOARDS.operation(
        "GET /v1/games/{game_id}/leaderboard",
        BOARD_ANSWER,
        problems=("not-ranked",),
        query=AroundQuery(),
        access=Access.GAME,
    )
    def get_game_board(self, request: Request) -> Reply:
        """Get the leaderboard around a game.

        Returns the entries around the game's player on the board of its day or event.
        """
        limit: int = request.load_query()
        session = self.replies.find(request).session
        now = self.clock()
        view = self.cases.leaderboards.around_game(request.tenant, session, limit, now)
        return json_reply(board_response(view))

    @_BOARDS.operation(
        "GET /v1/deals/daily/{date}/statistics",
        json_answer("The statistics.", examples.STATISTICS, ("Cache-Control",)),
        query=VariantQuery(),
        access=Access.PUBLIC,
    )
    def get_daily_statistics(self, request: Request) -> Reply:
        """Get the statistics of a day.

        Counts each player on the leaderboard of the day once, with their best result.
        """
        ruleset = request.load_query()
        day = read_value(request, "date", read_day)
        board = daily_board(day, ruleset.key)
        statistics = self.cases.leaderboards.statistics(request.tenant, board)
        return json_reply(statistics_response(day, ruleset, statistics))

    def _show(self, request: Request, board: BoardName, params: BoardParams) -> Reply:
        return board_page(request, self.cases.leaderboards, board, params, self.clock())


def board_page(
    request: Request,
    boards: Leaderboards,
    board: BoardName,
    params: BoardParams,
    now: int,
) -> Reply:
    """Make a reply with a page of a board, and a link to the next page."""
    view = boards.read(request.tenant, board, params.limit, params.where, now)
    cursor = None if view.after is None else place_cursor(view.after)
    return json_reply(board_response(view), fields=link_page(request, cursor))
