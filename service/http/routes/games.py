"""Games: create, read and delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.http.docs import examples, prose
from service.http.idempotency import IDEMPOTENCY_FIELD
from service.http.operation import NO_QUERY, Access, Answer, Body
from service.http.routing import CaseRoutes, Chapter, Declare, json_answer
from service.http.schemas.games import game_response, legal_moves_response
from service.http.schemas.new_game import NewGameInput

if TYPE_CHECKING:
    from service.http.reply import Reply
    from service.http.request import Request
    from service.http.schemas.input import Input

GAMES: Final = Chapter("Games", ("store-unavailable",))
GAME: Final = "/v1/games/{game_id}"
WATCHED: Final = "/v1/watch/{watch_id}"

GAME_LINKS: Final = tuple(prose.LINKS)
"""The operations that can follow a response with a game."""


def look(
    target: str,
    answer: Answer,
    access: Access = Access.GAME,
    query: Input = NO_QUERY,
    headers: tuple[str, ...] = (),
) -> Declare:
    """Declare an operation that reads a game."""
    return GAMES.operation(
        target,
        answer,
        Answer(304, "The client has this version.", headers=answer.headers),
        query=query,
        headers=("If-None-Match", *headers),
        access=access,
    )


class GameRoutes(CaseRoutes):
    """The routes of games."""

    @GAMES.operation(
        "POST /v1/games",
        json_answer(
            "The game.",
            {"open layout": examples.NEW_GAME, "stock layout": examples.NEW_STOCK_GAME},
            ("Location", "ETag", "Cache-Control", "Idempotent-Replayed"),
            status=201,
            links=GAME_LINKS,
        ),
        Answer(
            204,
            "The game was started. The client preferred a response without a body.",
            headers=("Location", "ETag", "Preference-Applied", "Idempotent-Replayed"),
        ),
        problems=(
            "not-yet",
            "game-not-found",
            "event-not-found",
            "event-not-open",
            "no-attempts-left",
        ),
        body=Body(
            NewGameInput(),
            {
                "a seed of one's own": {"seed": "42", "player": "Ada"},
                "the deal of the day": {"variant": "royal-marriage", "daily": True},
                "a PySolFC game": {
                    "variant": "bayan",
                    "source": "pysol",
                    "seed": 11982,
                },
                "the rule of 1883": {
                    "options": {"layout": "stock", "compulsory": True, "undo": "none"}
                },
                "a hard deal that can be won": {"difficulty": "hard"},
                "a deck for practice": {"deck": ["4S", "7H", "QC", "4D", "KD"]},
            },
            required=False,
        ),
        headers=("Prefer", IDEMPOTENCY_FIELD),
        access=Access.PUBLIC,
    )
    def create_game(self, request: Request) -> Reply:
        """Create a game.

        Without a body, the game is Accordion with a random deal. The deal can be that
        of a `seed`, of a day (`daily`), of an `event`, or of the player's own `deck`;
        otherwise it is random. Whoever has the `id` can play the game, so keep it
        secret; others can watch the game with its `watch_id`.
        """
        return self.replies.create(request, request.load_body())

    @look(
        f"GET {GAME}",
        json_answer(
            "The game.",
            examples.MOVED_GAME,
            ("ETag", "Cache-Control"),
            links=GAME_LINKS,
        ),
    )
    def get_game(self, request: Request) -> Reply:
        """Get a game.

        Returns the game as it is now. Without a write, it changes only when a hidden
        seed is revealed.
        """
        return self.replies.show(request, game_response)

    @GAMES.operation(
        f"DELETE {GAME}",
        Answer(204, "The game was deleted."),
        problems=("game-not-found",),
        headers=("If-Match",),
    )
    def delete_game(self, request: Request) -> Reply:
        """Delete a game.

        Deletes the game immediately. It cannot be restored.
        """
        return self.replies.delete(request)

    @look(
        f"GET {GAME}/legal-moves",
        json_answer("The moves.", examples.LEGAL_MOVES, ("ETag", "Cache-Control")),
    )
    def get_legal_moves(self, request: Request) -> Reply:
        """Get the legal moves of a game.

        Returns the legal moves without the rest of the game.
        """
        return self.replies.show(request, legal_moves_response)

    @look(
        f"GET {WATCHED}",
        json_answer("The game.", examples.WATCHED_GAME, ("ETag", "Cache-Control")),
        Access.WATCH,
    )
    def watch_game(self, request: Request) -> Reply:
        """Get a game as a spectator.

        Returns the game without its `id`, so it can be watched but not played. While
        cards are hidden, so is the seed, whoever chose it.
        """
        return self.replies.show(request, game_response)
