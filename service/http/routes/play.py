"""Playing: moves, deals, undo, redo, and the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.engine.play import Draw
from service.engine.position import Move
from service.games.session import Session
from service.http.docs import examples
from service.http.idempotency import FIELD
from service.http.operation import Access, Answer, Body, Operation, Route
from service.http.routes.games import LINKS, MINIMAL, RETRIED, TAG
from service.http.schemas.fields import ref
from service.http.schemas.play import CountInput, MovesInput, NothingInput, Tap

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.engine.play import Step
    from service.games.service import Change
    from service.http.game_replies import GameReplies
    from service.http.middleware import Handler
    from service.http.reply import Reply
    from service.http.request import Request


def _write(  # noqa: PLR0913 - one for each part of the declaration
    name: str,
    summary: str,
    description: str,
    example: object,
    body: Body,
    *problems: str,
    links: tuple[str, ...] = LINKS,
) -> Operation:
    """Declare an operation that changes a game."""
    answer = Answer(
        200,
        "The game as it is now.",
        schema=ref("Game"),
        examples={"": example},
        headers=("ETag", "Cache-Control", "Idempotent-Replayed"),
        links=links,
    )
    return Operation(
        name,
        TAG,
        summary,
        f"{description} It is one atomic step: on an error nothing is changed.",
        answers=(answer, MINIMAL),
        problems=(
            "game-not-found",
            *problems,
            "game-over",
            "version-mismatch",
            "precondition-required",
            *RETRIED,
            "store-unavailable",
            "game-busy",
        ),
        body=body,
        headers=("If-Match", "Prefer", FIELD),
        access=Access.GAME,
    )


_COUNT: Final = Body(
    CountInput(),
    {"one": {}, "three": {"count": 3}, "all": {"count": "all"}},
    required=False,
)
_MOVE: Final = _write(
    "makeMove",
    "Make a move, a tap or a batch",
    "A move names both piles. A tap names `from` alone and makes the one legal move of "
    "that pile. A batch makes up to 200 `moves` and deals in their order; an error "
    "names the `index` of the step that was refused. While the server's seed is "
    "hidden, a batch cannot use a card that it deals itself (`cards-hidden`).",
    examples.MOVED_GAME,
    Body(
        MovesInput(),
        {
            "a move": examples.MOVE,
            "a tap": {"from": 2},
            "a batch": {"moves": [{"from": 2, "to": 1}, {"from": 3, "to": 0}]},
            "a batch with deals": {"moves": [{"deal": 3}, {"from": 3, "to": 0}]},
        },
    ),
    "illegal-move",
    "ambiguous-move",
    "stock-empty",
    "move-compulsory",
    "cards-hidden",
)
_DEAL: Final = _write(
    "dealCards",
    "Deal from the stock",
    "Deals the next card, or several cards, or all, to the right end of the row. "
    "Where moves are compulsory, it stops as soon as a move is legal.",
    examples.DEALT_GAME,
    _COUNT,
    "stock-empty",
    "move-compulsory",
)
_UNDO: Final = _write(
    "undoActions",
    "Undo actions",
    "Undoes moves and deals, the latest first. A lost game can be undone; a won or "
    "ended game cannot.",
    examples.UNDONE_GAME,
    _COUNT,
    "nothing-to-undo",
    "undo-not-allowed",
)
_REDO: Final = _write(
    "redoActions",
    "Redo actions",
    "Redoes the actions that were undone since the last new one, in their order.",
    examples.REDONE_GAME,
    _COUNT,
    "nothing-to-redo",
    "undo-not-allowed",
)
_FINISH: Final = _write(
    "finishGame",
    "End a game",
    "The player stops: the game is `ended`, and rated.",
    examples.FINISHED_GAME,
    Body(NothingInput(), {"": {}}, required=False),
    links=("getGame", "getRecord", "watchGame", "deleteGame"),
)


class PlayRoutes:
    """The routes of playing.

    Args:
        replies: The games.
    """

    def __init__(self, replies: GameReplies) -> None:
        self._replies = replies

    def routes(self) -> tuple[Route, ...]:
        """List them."""
        game = "/v1/games/{game_id}"
        return (
            Route("POST", f"{game}/moves", _MOVE, self.move),
            Route("POST", f"{game}/deal", _DEAL, self._counted(Session.deal)),
            Route("POST", f"{game}/undo", _UNDO, self._counted(Session.undo)),
            Route("POST", f"{game}/redo", _REDO, self._counted(Session.redo)),
            Route("POST", f"{game}/finish", _FINISH, self.finish),
        )

    def move(self, request: Request) -> Reply:
        """Make a move, a tap or a batch."""
        return self._replies.change(request, _action(request.load_body()))

    def finish(self, request: Request) -> Reply:
        """Stop playing."""
        request.load_body()
        return self._replies.change(request, Session.finish)

    def _counted(self, act: Callable[[Session, int | None, int], Session]) -> Handler:
        """Do something so many times; None times is all there is to do."""

        def handle(request: Request) -> Reply:
            count = request.load_body()
            return self._replies.change(
                request, lambda session, now: act(session, count, now)
            )

        return handle


def _action(wish: Step | Tap | tuple[Step, ...]) -> Change:
    match wish:
        case Move():
            return lambda session, now: session.move(wish, now)
        case Draw(count):
            return lambda session, now: session.deal(count, now)
        case Tap(origin):
            return lambda session, now: session.tap(origin, now)
        case steps:
            return lambda session, now: session.run(steps, now)
