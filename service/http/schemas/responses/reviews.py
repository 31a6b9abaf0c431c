"""Reviews in responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Meta

from service.http.schemas.responses.base import Count, Response
from service.http.schemas.responses.records import ActionText
from service.solver.verdict import Verdict

if TYPE_CHECKING:
    from service.games.review import GameReview

_VERDICT: Final = (
    "`winnable`, a line that wins from there is known; `unwinnable`, it is proved "
    "that no line wins; `unknown`, neither."
)


class ReviewedAction(Response):
    """An action of a game, with the verdicts before and after it."""

    action: Annotated[ActionText, "The action, as in a record."]
    before: Annotated[Verdict, f"The verdict on the position before it: {_VERDICT}"]
    after: Annotated[Verdict, "The verdict on the position after it."]


class Review(Response):
    """The review of a game that is over."""

    actions: Annotated[list[ReviewedAction], "Every action, in order."]
    turning_point: Annotated[
        Count | None,
        "The index in `actions`, from 0, of the action after which it is proved "
        "that the game could not be won, while before it a line that wins is "
        "known; null if none is proved.",
    ]
    line_from: Annotated[
        Count | None,
        "The index of the action before which `line` starts, at the last position "
        "that is known to be winnable; null if there is none.",
    ]
    line: Annotated[
        list[ActionText],
        "Actions that win from there; empty where none are needed or known.",
    ]
    accuracy: Annotated[
        Annotated[float, Meta(ge=0, le=100)] | None,
        "The percentage of the judged decisions after which the game could still "
        "be won; null if no decision is judged.",
    ]
    hindsight: Annotated[
        bool,
        "Whether the review knows cards that the player could not see, as it does "
        "in the stock layout.",
    ]


def review_response(review: GameReview) -> Review:
    """Show a review."""
    return Review(
        actions=[
            ReviewedAction(action=one.action, before=one.before, after=one.after)
            for one in review.actions
        ],
        turning_point=review.turning_point,
        line_from=review.line_from,
        line=list(review.line),
        accuracy=review.accuracy,
        hindsight=review.hindsight,
    )
