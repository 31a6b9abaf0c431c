"""Reviews of games that are over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.games.review import (
    ReviewNotFoundError,
    ReviewWork,
    ask_review,
    finished_review,
)
from service.http.docs import examples
from service.http.errors.mapping import RETRY_AFTER
from service.http.idempotency import IDEMPOTENCY_FIELD
from service.http.operation import Access, Answer
from service.http.reply import Reply, empty_reply
from service.http.routes.advice import ADVICE
from service.http.routes.games import GAME, WATCHED
from service.http.routing import NOTHING, CaseRoutes, json_answer
from service.http.schemas.advice import review_response

if TYPE_CHECKING:
    from service.games.snapshot import GameSnapshot
    from service.http.request import Request

_FIELDS: Final = ("ETag", "Cache-Control")
_FOUND: Final = json_answer("The review.", examples.REVIEW, _FIELDS, schema="Review")
_KNOWN: Final = Answer(304, "The client has this review.", headers=_FIELDS)
_PENDING: Final = Answer(
    202,
    "The review is being made. Get it with `GET` at `Location`, after `Retry-After`.",
    headers=("Location", "Retry-After", "Idempotent-Replayed"),
)


@dataclass(frozen=True, slots=True)
class ReviewRoutes(CaseRoutes):
    """The routes of reviews; ``work`` makes the reviews in the background."""

    work: ReviewWork

    @ADVICE.operation(
        f"POST {GAME}/review",
        _FOUND,
        _PENDING,
        problems=("game-not-over", "store-unavailable", "game-busy"),
        body=NOTHING,
        headers=("If-Match", IDEMPOTENCY_FIELD),
        access=Access.GAME,
    )
    def request_review(self, request: Request) -> Reply:
        """Request the review of a game.

        A review shows at which action a game that is over was lost, as far as that can
        be proved, and how it could have been won from there. It is made in the
        background and stored with the game. A lost game whose moves can still be undone
        must be finished first. A review counts as help on that deal: later games of the
        player on it are not ranked.
        """
        request.load_body()

        def render(snapshot: GameSnapshot) -> Reply:
            return self._reply(request, snapshot)

        return self._start_pending(
            request, self.replies.change(request, ask_review, render)
        )

    @ADVICE.operation(
        f"GET {GAME}/review",
        _FOUND,
        _PENDING,
        _KNOWN,
        problems=("review-not-found", "store-unavailable"),
        headers=("If-None-Match",),
        access=Access.GAME,
    )
    def get_review(self, request: Request) -> Reply:
        """Get the review of a game.

        All verdicts are proved: a position is `unknown` if neither a line that wins nor
        a proof that there is none was found. In the stock layout the review uses all
        cards, including those that were hidden from the player.
        """
        return self._start_pending(
            request, self._reply(request, self.replies.find(request))
        )

    @ADVICE.operation(
        f"GET {WATCHED}/review",
        _FOUND,
        _KNOWN,
        problems=("review-not-found", "store-unavailable"),
        headers=("If-None-Match",),
        access=Access.WATCH,
    )
    def watch_review(self, request: Request) -> Reply:
        """Get the review of a game as a spectator.

        If the deal is that of a day or of an event, the review is available only after
        the deal has closed.
        """
        game = self.replies.find(request)
        reply = self._reply(request, game)
        if reply.status == _PENDING.status or not game.session.is_closed(self.clock()):
            raise ReviewNotFoundError
        return reply

    def _reply(self, request: Request, game: GameSnapshot) -> Reply:
        review = finished_review(game.session)
        if review is not None:
            play = game.session.play
            return self.replies.shown(
                request, game, lambda *_: review_response(play, review)
            )
        fields = {"Location": request.path, "Retry-After": str(RETRY_AFTER)}
        return empty_reply(_PENDING.status, fields)

    def _start_pending(self, request: Request, reply: Reply) -> Reply:
        """Start work on a review that is pending, even if it was started before."""
        if reply.status == _PENDING.status:
            self.work.begin(request.tenant, request.values["game_id"])
        return reply
