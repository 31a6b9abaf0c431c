"""Games: starting, looking, deleting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.http.docs import examples, prose
from service.http.idempotency import FIELD
from service.http.operation import Access, Answer, Body, Operation, Route
from service.http.schemas.fields import ref
from service.http.schemas.games import game_response, legal_moves_response
from service.http.schemas.new_game import NewGameInput

if TYPE_CHECKING:
    from service.http.game_replies import GameReplies
    from service.http.reply import Reply
    from service.http.request import Request

TAG: Final = "Games"

LINKS: Final = tuple(prose.LINKS)
"""The operations that can follow a response with a game: all of them."""

RETRIED: Final = ("idempotency-key-reused", "idempotency-in-flight")
"""The problems of a request that may be sent again."""

MINIMAL: Final = Answer(
    204,
    "Done. The client preferred a response without a body.",
    headers=("ETag", "Preference-Applied", "Idempotent-Replayed"),
)


def _look(
    name: str,
    summary: str,
    description: str,
    answer: Answer,
    access: Access = Access.GAME,
) -> Operation:
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
        access=access,
    )


def _found(
    description: str, shape: str, example: object, *, linked: bool = False
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
    "Create a game",
    "Without a body, the game is Accordion with a random deal. The deal is that of a "
    "`seed`, of a day (`daily`), of the player's own `deck`, or random. Whoever has "
    "the `id` can play the game, so keep it secret; others can watch the game with "
    "its `watch_id`.",
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
            "The game was started. The client preferred a response without a body.",
            headers=(
                "Location",
                "ETag",
                "Preference-Applied",
                "Idempotent-Replayed",
            ),
        ),
    ),
    problems=(
        "not-yet",
        "game-not-found",
        "event-not-found",
        "event-not-open",
        "no-attempts-left",
        *RETRIED,
        "store-unavailable",
    ),
    body=Body(
        NewGameInput(),
        {
            "a seed of one's own": {"seed": "42", "player": "Ada"},
            "the deal of the day": {"variant": "royal-marriage", "daily": True},
            "a PySolFC game": {"variant": "bayan", "source": "pysol", "seed": 11982},
            "the rule of 1883": {
                "options": {"layout": "stock", "compulsory": True, "undo": "none"}
            },
            "a hard deal that can be won": {"difficulty": "hard"},
            "a deck for practice": {"deck": ["4S", "7H", "QC", "4D", "KD"]},
        },
        required=False,
    ),
    headers=("Prefer", FIELD),
    access=Access.PUBLIC,
)
_SHOW: Final = _look(
    "getGame",
    "Get a game",
    "The game as it is now. Without a write it changes only when a hidden seed is "
    "revealed.",
    _found("The game.", "Game", examples.MOVED_GAME, linked=True),
)
_LEGAL_MOVES: Final = _look(
    "getLegalMoves",
    "Get the legal moves of a game",
    "The legal moves, without the rest of the game.",
    _found("The moves.", "LegalMoves", examples.LEGAL_MOVES),
)
_WATCH: Final = _look(
    "watchGame",
    "Get a game as a spectator",
    "The game without its `id`, so it can only be looked at. In the stock layout the "
    "seed is hidden until the game is over, whoever chose it.",
    _found("The game.", "WatchedGame", examples.WATCHED_GAME),
    Access.WATCH,
)
_DELETE: Final = Operation(
    "deleteGame",
    TAG,
    "Delete a game",
    "Deletes the game at once. It cannot be restored.",
    answers=(Answer(204, "The game was deleted."),),
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
        replies: The games.
    """

    def __init__(self, replies: GameReplies) -> None:
        self._replies = replies

    def routes(self) -> tuple[Route, ...]:
        """List them."""
        game, watched = "/v1/games/{game_id}", "/v1/watch/{watch_id}"
        show, watch = self._replies.show, self._replies.show_watched
        return (
            Route("POST", "/v1/games", _CREATE, self.create),
            Route("GET", game, _SHOW, lambda request: show(request, game_response)),
            Route("DELETE", game, _DELETE, self._replies.delete),
            Route(
                "GET",
                f"{game}/legal-moves",
                _LEGAL_MOVES,
                lambda request: show(request, legal_moves_response),
            ),
            Route(
                "GET", watched, _WATCH, lambda request: watch(request, game_response)
            ),
        )

    def create(self, request: Request) -> Reply:
        """Start a game."""
        return self._replies.create(request, request.load_body())
