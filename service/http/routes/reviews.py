"""Reviews of games that are over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.games.review import ReviewNotFoundError, ask_review, shown_review
from service.http.docs import examples
from service.http.errors.mapping import RETRY_AFTER
from service.http.idempotency import FIELD
from service.http.operation import Access, Answer, Body, Operation, Route
from service.http.reply import empty_reply
from service.http.routes.games import RETRIED
from service.http.schemas.advice import review_response
from service.http.schemas.fields import ref
from service.http.schemas.play import NothingInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.games.review import ReviewWork
    from service.games.snapshot import GameSnapshot
    from service.http.game_replies import GameReplies
    from service.http.reply import Reply
    from service.http.request import Request

_TAG: Final = "Advice"
_FOUND: Final = Answer(
    200,
    "The review.",
    schema=ref("Review"),
    examples={"": examples.REVIEW},
    headers=("ETag", "Cache-Control"),
)
_PENDING: Final = Answer(
    202,
    "The review is being made. Get it with `GET` at `Location`, after `Retry-After`.",
    headers=("Location", "Retry-After", "Idempotent-Replayed"),
)
_KNOWN: Final = Answer(
    304, "The client has this review.", headers=("ETag", "Cache-Control")
)
_ASK: Final = Operation(
    "requestReview",
    _TAG,
    "Request the review of a game",
    "Finds where a game that is over was lost, as far as that is proved, and how it "
    "could have been won from there. The review is made in the background and kept "
    "with the game. A lost game whose moves can still be undone must be finished "
    "first. A review counts as help on that deal: later games of the player on it are "
    "not ranked.",
    answers=(_FOUND, _PENDING),
    problems=(
        "game-not-found",
        "game-not-over",
        "version-mismatch",
        "precondition-required",
        *RETRIED,
        "store-unavailable",
        "game-busy",
    ),
    body=Body(NothingInput(), {"": {}}, required=False),
    headers=("If-Match", FIELD),
    access=Access.GAME,
)
_SHOW: Final = Operation(
    "getReview",
    _TAG,
    "Get the review of a game",
    "All verdicts are proved: a position is `unknown` if neither a line that wins nor "
    "a proof that there is none was found. In the stock layout the review knows all "
    "cards.",
    answers=(_FOUND, _PENDING, _KNOWN),
    problems=("game-not-found", "review-not-found", "store-unavailable"),
    headers=("If-None-Match",),
    access=Access.GAME,
)
_WATCH: Final = Operation(
    "watchReview",
    _TAG,
    "Get the review of a game as a spectator",
    "If the deal is that of a day or of an event, the review is shown only after the "
    "deal has closed.",
    answers=(_FOUND, _KNOWN),
    problems=("game-not-found", "review-not-found", "store-unavailable"),
    headers=("If-None-Match",),
    access=Access.WATCH,
)


@dataclass(frozen=True, slots=True)
class ReviewRoutes:
    """The routes of reviews.

    Attributes:
        replies: The games.
        work: What makes the reviews.
        clock: The time in milliseconds since 1970, UTC.
    """

    replies: GameReplies
    work: ReviewWork
    clock: Callable[[], int]

    def routes(self) -> tuple[Route, ...]:
        """List them."""
        review = "/v1/games/{game_id}/review"
        return (
            Route("POST", review, _ASK, self.ask),
            Route("GET", review, _SHOW, self.show),
            Route("GET", "/v1/watch/{watch_id}/review", _WATCH, self.watch),
        )

    def ask(self, request: Request) -> Reply:
        """Ask for a review, and begin with it."""
        request.load_body()

        def render(snapshot: GameSnapshot) -> Reply:
            return self._reply(request, snapshot)

        return self._begun(request, self.replies.change(request, ask_review, render))

    def show(self, request: Request) -> Reply:
        """Show a review; one that nobody works on any more is begun again."""
        game = self.replies.games.get(request.tenant, request.values["game_id"])
        return self._begun(request, self._reply(request, game))

    def watch(self, request: Request) -> Reply:
        """Show a review to others."""
        game = self.replies.games.watch(request.tenant, request.values["watch_id"])
        review = shown_review(game.session)
        if review is None or not game.session.is_closed(self.clock()):
            raise ReviewNotFoundError
        return self.replies.shown(request, game, lambda *_: review_response(review))

    def _reply(self, request: Request, game: GameSnapshot) -> Reply:
        review = shown_review(game.session)
        if review is None:
            return _pending(request)
        return self.replies.shown(request, game, lambda *_: review_response(review))

    def _begun(self, request: Request, reply: Reply) -> Reply:
        """Begin with a review that is not there yet."""
        if reply.status == _PENDING.status:
            self.work.begin(request.tenant, request.values["game_id"])
        return reply


def _pending(request: Request) -> Reply:
    location = f"{request.prefix}/v1/games/{request.values['game_id']}/review"
    return empty_reply(
        _PENDING.status, {"Location": location, "Retry-After": str(RETRY_AFTER)}
    )
