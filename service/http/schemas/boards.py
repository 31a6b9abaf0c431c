"""Boards, pages of lists, statistics and players in requests and responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Final, NamedTuple, TypeVar

from msgspec import Meta

from service.engine.play import Status
from service.engine.scoring import Rating
from service.http.cursor import CursorError, read_number, read_place
from service.http.schemas import fields
from service.http.schemas.deals import DEFAULT_VARIANT, VARIANT_VALUE
from service.http.schemas.input import Input, Value
from service.http.schemas.response import (
    Count,
    Day,
    Response,
    Time,
    VariantKey,
    time_text,
)
from service.timestamps import stamp

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from service.engine.ruleset import Ruleset
    from service.games.leaderboards import BoardRow, BoardView
    from service.games.players import PlayerSummary
    from service.store.boards import After, Statistics

T = TypeVar("T")

_MAX_ENTRIES: Final = 100
_DEFAULT_LIMIT: Final = 20
_LIMIT: Final = Value(
    fields.integer_text(1, _MAX_ENTRIES),
    f"How many entries at most; {_DEFAULT_LIMIT} unless given.",
)


def _cursor(read: Callable[[str], T]) -> Value[T]:
    """Make the parameter ``cursor``, the place where a page begins."""

    def read_cursor(value: object) -> T:
        try:
            return read(fields.read_text(value))
        except CursorError:
            raise fields.invalid("cursor") from None

    return Value(
        fields.FieldType(read_cursor, {"type": "string"}),
        "Where the page begins, from the `Link` of the previous page.",
        name="cursor",
    )


class PageParams(NamedTuple):
    """A request for a page: its maximum size, and the number of entries before it."""

    limit: int = _DEFAULT_LIMIT
    start: int = 0


class PageQuery(Input):
    """The query of a page of a list."""

    limit = _LIMIT
    start = _cursor(read_number)
    _make = PageParams


class GamesParams(NamedTuple):
    """A request for a page of a player's games; ``start`` counts before filters."""

    limit: int = _DEFAULT_LIMIT
    start: int = 0
    status: Status | None = None
    reference: str | None = None


class GamesQuery(Input):
    """The query of a page of a player's games."""

    status = Value(fields.choice(Status), "Only games with this status.")
    reference = Value(fields.REFERENCE, "Only games with this reference.")
    limit = _LIMIT
    start = _cursor(read_number)
    _make = GamesParams


class BoardParams(NamedTuple):
    """A request for a page of a board: from its top, a place, or around a player."""

    ruleset: Ruleset
    limit: int
    where: After | str | None


class PlaceQuery(Input):
    """The query of a page of a board."""

    excludes: ClassVar = {"cursor": ("around",)}

    limit = _LIMIT
    after = _cursor(read_place)
    around = Value(fields.PLAYER, "The player around whom the page is centred.")

    @staticmethod
    def _make(
        ruleset: Ruleset = DEFAULT_VARIANT,
        limit: int = _DEFAULT_LIMIT,
        after: After | None = None,
        around: str | None = None,
    ) -> BoardParams:
        return BoardParams(ruleset, limit, after or around)


class BoardQuery(PlaceQuery):
    """The query of a page of a variant's board."""

    ruleset = VARIANT_VALUE


class AroundQuery(Input):
    """The query of the board around a game's player."""

    limit = _LIMIT

    @staticmethod
    def _make(limit: int = _DEFAULT_LIMIT) -> int:
        return limit


class BoardEntry(Response, kw_only=True):
    """An entry of a board. Some members are null on a board of several days."""

    rank: Annotated[int, Meta(ge=1), "1, 2, 3, ...; no rank is shared."]
    player: Annotated[str, "The player's name."]
    score: Annotated[
        Count,
        "The score, with the time bonus counted from the player's first game of "
        "the deal; or the sum of the best scores of each day.",
    ]
    rating: Rating | None
    piles: Annotated[Count | None, "The piles or cards that were left."]
    moves: Count | None
    undos_used: Count | None
    elapsed_seconds: Annotated[
        Count | None, "From the player's first game of the deal to the end."
    ]
    finished_at: Annotated[Time, "When the game ended; for a sum, the last game."]
    watch_id: Annotated[
        str | None, "Null until the deal closes, so that nobody can copy the moves."
    ]


class Board(Response):
    """A page of a board."""

    board: Annotated[str, "The board, such as `daily/2026-12-01`."]
    entries_total: Annotated[Count, "The entries of the whole board."]
    closes_at: Annotated[Time | None, "When it closes; null if it never does."]
    entries: list[BoardEntry]


class PileCount(Response):
    """A number of piles, and how many players ended with it."""

    piles: Annotated[Count, "The piles or cards that were left."]
    players: Count


class DailyStatistics(Response):
    """Statistics of a day, from the best result of each player."""

    date: Day
    variant: VariantKey
    players: Annotated[Count, "The players on the board of the day."]
    won: Annotated[Count, "How many of them have won."]
    piles: Annotated[list[PileCount], "By piles left, ascending."]


class RatingCounts(Response):
    """The number of games with each rating."""

    full: Count
    strong: Count
    moral: Count


class BestScore(Response):
    """A player's best score in a variant."""

    variant: VariantKey
    score: Count


class Player(Response):
    """Statistics of a player, from games on deals chosen by the server."""

    player: Annotated[str, "The name that was asked for."]
    games: Count
    wins: Count
    ratings: RatingCounts
    best_scores: Annotated[
        list[BestScore],
        "Games without help on random deals, and ranked games of days and events.",
    ]
    streak: Annotated[
        Count,
        "The number of consecutive days up to now on which the deal of the "
        "day was won or lost.",
    ]
    longest_streak: Count


def board_response(view: BoardView) -> Board:
    """Make the response with a page of a board."""
    return Board(
        board=view.board,
        entries_total=view.total,
        closes_at=time_text(view.closes_at),
        entries=[_entry_response(row) for row in view.rows],
    )


def _entry_response(row: BoardRow) -> BoardEntry:
    return BoardEntry(
        rank=row.rank,
        player=row.player,
        score=row.score,
        rating=None if row.rating is None else Rating(row.rating),
        piles=row.piles,
        moves=row.moves,
        undos_used=row.undos_used,
        elapsed_seconds=row.elapsed_seconds,
        finished_at=stamp(row.finished_at),
        watch_id=row.watch_id,
    )


def statistics_response(
    day: date, ruleset: Ruleset, statistics: Statistics
) -> DailyStatistics:
    """Make the response with the statistics of a day."""
    piles = [PileCount(*pair) for pair in sorted(statistics.piles.items())]
    return DailyStatistics(
        date=day.isoformat(),
        variant=ruleset.key,
        players=sum(count.players for count in piles),
        won=statistics.won,
        piles=piles,
    )


def player_response(summary: PlayerSummary) -> Player:
    """Make the response with the statistics of a player."""
    return Player(
        player=summary.name,
        games=summary.games,
        wins=summary.wins,
        ratings=RatingCounts(*(summary.ratings.get(rating, 0) for rating in Rating)),
        best_scores=[BestScore(*pair) for pair in summary.best.items()],
        streak=summary.streak,
        longest_streak=summary.longest_streak,
    )
