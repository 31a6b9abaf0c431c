"""Play: moves, deals, undo, redo and finish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.engine.play import DealRequest, Step
from service.engine.position import Move
from service.games.session import Session
from service.http.docs import examples
from service.http.idempotency import IDEMPOTENCY_FIELD
from service.http.operation import Access, Answer, Body
from service.http.routes.games import GAME, GAME_LINKS, GAMES
from service.http.routing import NOTHING, CaseRoutes, Declare, json_answer
from service.http.schemas.play import CountInput, MovesInput, Tap

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.games.service import Change
    from service.http.reply import Reply
    from service.http.request import Request

_MINIMAL: Final = Answer(
    204,
    "Done. The client preferred a response without a body.",
    headers=("ETag", "Preference-Applied", "Idempotent-Replayed"),
)
_COUNT: Final = Body(
    CountInput(),
    {"one": {}, "three": {"count": 3}, "all": {"count": "all"}},
    required=False,
)


def _write(
    target: str,
    example: object,
    body: Body,
    problems: tuple[str, ...] = (),
    links: tuple[str, ...] = GAME_LINKS,
) -> Declare:
    """Declare an operation that changes a game."""
    fields = ("ETag", "Cache-Control", "Idempotent-Replayed")
    return GAMES.operation(
        target,
        json_answer("The game as it is now.", example, fields, links=links),
        _MINIMAL,
        problems=(*problems, "game-over", "store-unavailable", "game-busy"),
        body=body,
        headers=("If-Match", "Prefer", IDEMPOTENCY_FIELD),
        access=Access.GAME,
    )


class PlayRoutes(CaseRoutes):
    """The routes of play."""

    @_write(
        f"POST {GAME}/moves",
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
        (
            "illegal-move",
            "ambiguous-move",
            "stock-empty",
            "move-compulsory",
            "cards-hidden",
        ),
    )
    def make_move(self, request: Request) -> Reply:
        """Make a move, a tap or a batch.

        A move names both piles. A tap names only `from` and makes the one legal move of
        that pile. A batch makes up to 200 `moves` and deals in order; an error names
        the `index` of the step that was refused. While the server's seed is hidden, a
        batch cannot use a card that it deals itself (`cards-hidden`). The request is
        one atomic step: on an error nothing changes.
        """
        return self.replies.change(request, _action(request.load_body()))

    @_write(
        f"POST {GAME}/deal",
        examples.DEALT_GAME,
        _COUNT,
        ("stock-empty", "move-compulsory"),
    )
    def deal_cards(self, request: Request) -> Reply:
        """Deal from the stock.

        Deals the next card, several cards, or all cards, to the right end of the row.
        If moves are compulsory, dealing stops as soon as a move is legal. The request
        is one atomic step: on an error nothing changes.
        """
        return self._repeat(request, Session.deal)

    @_write(
        f"POST {GAME}/undo",
        examples.UNDONE_GAME,
        _COUNT,
        ("nothing-to-undo", "undo-not-allowed"),
    )
    def undo_actions(self, request: Request) -> Reply:
        """Undo actions.

        Undoes moves and deals, the latest first. A lost game can be undone; a won or
        ended game cannot. The request is one atomic step: on an error nothing changes.
        """
        return self._repeat(request, Session.undo)

    @_write(
        f"POST {GAME}/redo",
        examples.REDONE_GAME,
        _COUNT,
        ("nothing-to-redo", "undo-not-allowed"),
    )
    def redo_actions(self, request: Request) -> Reply:
        """Redo actions.

        Redoes the actions that were undone since the last new action, in their original
        order. The request is one atomic step: on an error nothing changes.
        """
        return self._repeat(request, Session.redo)

    @_write(
        f"POST {GAME}/finish",
        examples.FINISHED_GAME,
        NOTHING,
        links=("getGame", "getRecord", "watchGame", "deleteGame"),
    )
    def finish_game(self, request: Request) -> Reply:
        """End a game.

        The player stops: the game becomes `ended` and is rated. The request is one
        atomic step: on an error nothing changes.
        """
        request.load_body()
        return self.replies.change(request, Session.finish)

    def _repeat(
        self, request: Request, act: Callable[[Session, int | None, int], Session]
    ) -> Reply:
        """Change a game by a number of actions, which the body gives."""
        count: int | None = request.load_body()
        return self.replies.change(
            request, lambda session, now: act(session, count, now)
        )


def _action(body: Step | Tap | tuple[Step, ...]) -> Change:
    match body:
        case Move():
            return lambda session, now: session.move(body, now)
        case DealRequest(count):
            return lambda session, now: session.deal(count, now)
        case Tap(origin):
            return lambda session, now: session.tap(origin, now)
        case steps:
            return lambda session, now: session.run(steps, now)
