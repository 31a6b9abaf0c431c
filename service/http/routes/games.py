"""Games: starting, looking, deleting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.games.records import record_of
from service.http.docs import examples, prose
from service.http.idempotency import FIELD
from service.http.operation import Answer, Body, Operation, Route
from service.http.schemas.json_schema import ref
from service.http.schemas.requests import NewGameInput
from service.http.schemas.views import View, game_view, legal_moves_view, record_view

if TYPE_CHECKING:
    from flask import Response

    from service.games.create import NewGame
    from service.games.service import GameSnapshot
    from service.http.game_replies import Desk

TAG: Final = "Games"

LINKS: Final = tuple(prose.LINKS)
"""Where to go from a game that is answered: to all there is."""

RETRIED: Final = ("idempotency-key-reused", "idempotency-in-flight")
"""The problems of a request that may be sent again."""

MINIMAL: Final = Answer(
    204,
    "It is done, and the client preferred no body.",
    headers=("ETag", "Preference-Applied", "Idempotent-Replayed"),
)


def _look(name: str, summary: str, description: str, answer: Answer) -> Operation:
    """Declare an operation that looks at a game."""
    known = Answer(304, "The client has this version.", headers=answer.headers)
    return Operation(
        name,
        TAG,
        summary,
        description,
        answers=(answer, known),
        problems=("game-not-found", "store-unavailable"),
        headers=("If-None-Match",),
    )


def _found(
    description: str, shape: str, example: View, *, linked: bool = False
) -> Answer:
    return Answer(
        200,
        description,
        schema=ref(shape),
        examples={"": example},
        headers=("ETag", "Cache-Control"),
        links=LINKS if linked else (),
    )


_CREATE: Final = Operation(
    "createGame",
    TAG,
    "Start a game",
    "Without a body, Accordion with a random deal. The deal is that of a `seed`, of a "
    "day (`daily`), of a `deck` of the player's own, or random. Who has the `id` of "
    "the answer can play the game, so keep it from others; they can look at it by its "
    "`watch_id`.",
    answers=(
        Answer(
            201,
            "The game.",
            schema=ref("Game"),
            examples={
                "open layout": examples.NEW_GAME,
                "stock layout": examples.NEW_STOCK_GAME,
            },
            headers=("Location", "ETag", "Cache-Control", "Idempotent-Replayed"),
            links=LINKS,
        ),
        Answer(
            204,
            "It is started, and the client preferred no body.",
            headers=(
                "Location",
                "ETag",
                "Preference-Applied",
                "Idempotent-Replayed",
            ),
        ),
    ),
    problems=("not-yet", *RETRIED, "store-unavailable"),
    body=Body(
        NewGameInput(),
        {
            "a seed of one's own": {"seed": "42", "player": "Ada"},
            "the deal of the day": {"variant": "royal-marriage", "daily": True},
            "a PySolFC game": {"variant": "bayan", "source": "pysol", "seed": 11982},
            "the rule of 1883": {
                "options": {"layout": "stock", "compulsory": True, "undo": "none"}
            },
            "a deck for practice": {"deck": ["4S", "7H", "QC", "4D", "KD"]},
        },
        required=False,
    ),
    headers=("Prefer", FIELD),
)
_SHOW: Final = _look(
    "getGame",
    "Look at a game",
    "The game as it is now. Its `elapsed_seconds` go on without a new version.",
    _found("The game.", "Game", examples.MOVED_GAME, linked=True),
)
_LEGAL_MOVES: Final = _look(
    "getLegalMoves",
    "Look at the legal moves of a game",
    "What can be done now, without the rest of the game.",
    _found("The moves.", "LegalMoves", examples.LEGAL_MOVES),
)
_RECORD: Final = _look(
    "getRecord",
    "Take a game's record",
    "The game in a portable form that `POST /v1/replays`, and any program that knows "
    "the rules and the deals, can replay.",
    _found("The record.", "Record", examples.RECORD),
)
_WATCH: Final = _look(
    "watchGame",
    "Watch a game",
    "The game without its `id`, so it can only be looked at. In the stock layout the "
    "seed is hidden until the game is over, whoever chose it.",
    _found("The game.", "Game", examples.WATCHED_GAME),
)
_WATCH_RECORD: Final = _look(
    "watchRecord",
    "Take a watched game's record",
    "The record of a game that is watched.",
    _found("The record.", "Record", examples.RECORD),
)
_DELETE: Final = Operation(
    "deleteGame",
    TAG,
    "Delete a game",
    "At once, and for good.",
    answers=(Answer(204, "It is deleted."),),
    problems=(
        "game-not-found",
        "version-mismatch",
        "precondition-required",
        "store-unavailable",
    ),
    headers=("If-Match",),
)


class GameRoutes:
    """The routes of games.

    Args:
        desk: The games.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def routes(self) -> tuple[Route, ...]:
        """List them."""
        game, watched = "/v1/games/{game_id}", "/v1/watch/{watch_id}"
        return (
            Route("POST", "/v1/games", _CREATE, self.create),
            Route("GET", game, _SHOW, self.show),
            Route("DELETE", game, _DELETE, self.delete),
            Route("GET", f"{game}/legal-moves", _LEGAL_MOVES, self.legal_moves),
            Route("GET", f"{game}/record", _RECORD, self.record),
            Route("GET", watched, _WATCH, self.watch),
            Route("GET", f"{watched}/record", _WATCH_RECORD, self.watch_record),
        )

    def create(self, body: NewGame) -> Response:
        """Start a game."""
        return self._desk.create(body)

    def show(self, game_id: str) -> Response:
        """Show a game."""
        return self._desk.show(game_id, game_view)

    def delete(self, game_id: str) -> Response:
        """Delete a game."""
        return self._desk.delete(game_id)

    def legal_moves(self, game_id: str) -> Response:
        """Show the legal moves of a game."""
        return self._desk.show(game_id, legal_moves_view)

    def record(self, game_id: str) -> Response:
        """Show the record of a game."""
        return self._desk.show(game_id, _record_view)

    def watch(self, watch_id: str) -> Response:
        """Show a game to others."""
        return self._desk.show_watched(watch_id, game_view)

    def watch_record(self, watch_id: str) -> Response:
        """Show the record of a game to others."""
        return self._desk.show_watched(watch_id, _record_view)


def _record_view(kept: GameSnapshot, now: int) -> View:
    return record_view(record_of(kept.session, now))
