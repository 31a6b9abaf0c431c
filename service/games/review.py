"""The review of a game that is over: where it was lost, as far as that is proved."""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING, Final

from service.engine.errors import RefusedError
from service.engine.play import Status, actions_of
from service.engine.position import lay_out
from service.engine.ruleset import Layout
from service.games.records import action_text
from service.solver import Review, Verdict, review

if TYPE_CHECKING:
    from service.engine.play import Play
    from service.games.session import Session
    from service.solver import Budget

_STORED: Final = Struct(">BHhHHHQ")
_FORM: Final = 1
ASKED: Final = b"\0"
"""What is kept of a review that was asked for and is not there yet."""


class GameNotOverError(RefusedError):
    """A review of a game that is still played, or is lost and could be undone.

    Attributes:
        status: ``playing`` or ``lost``.
    """

    def __init__(self, status: str) -> None:
        super().__init__(f"the game is {status}, and goes on or could be undone")
        self.status = status


class ReviewNotFoundError(Exception):
    """A review that was never asked for, or that is not shown yet."""


@dataclass(frozen=True, slots=True)
class ReviewedAction:
    """An action, and what is known of the positions before and after it."""

    action: str
    before: Verdict
    after: Verdict


@dataclass(frozen=True, slots=True)
class GameReview:
    """A review as clients get it.

    Attributes:
        actions: Every action of the game, in order.
        turning_point: The action, from 0, after which the game could provably
            not be won, while before it a winning line is known; else None.
        line_from: The action in whose place ``line`` starts: the last position
            that is known to be winnable; None if none is.
        line: Actions that win from there; empty where the game was won.
        accuracy: The percentage of the judged decisions that kept the game
            winnable; None if no decision is judged.
        hindsight: Whether cards that the player did not see were known to it.
    """

    actions: tuple[ReviewedAction, ...]
    turning_point: int | None
    line_from: int | None
    line: tuple[str, ...]
    accuracy: float | None
    hindsight: bool


def is_over(play: Play) -> bool:
    """Whether a game is over for good, so that it can be reviewed."""
    return play.status is not Status.PLAYING and not play.can_undo


def review_play(play: Play, budget: Budget) -> Review:
    """Review a game; the budget bounds the work.

    Raises:
        GameNotOverError: The game goes on, or is lost and could be undone.
    """
    _check_over(play)
    return review_line(play, budget)


def ask_review(session: Session, _now: int) -> Session:
    """Ask for the review of a game, as a change of it; one that is there stays.

    Raises:
        GameNotOverError: The game goes on, or is lost and could be undone.
    """
    _check_over(session.play)
    return session._replace(review=session.review or ASKED)


def shown_review(session: Session) -> GameReview | None:
    """Return the review of a game as clients get it; None if it is not there yet.

    Raises:
        ReviewNotFoundError: It was never asked for.
    """
    if not session.review:
        raise ReviewNotFoundError
    if session.review == ASKED:
        return None
    return present(session.play, decode_review(session.review))


def _check_over(play: Play) -> None:
    if not is_over(play):
        raise GameNotOverError(play.status)


def review_line(play: Play, budget: Budget) -> Review:
    """Review the actions of a game, whether or not it is over."""
    options, goal = play.options, play.position.goal
    start = lay_out(play.ruleset, play.cards, options.layout, goal)
    return review(start, play.done, budget, compulsory=options.compulsory)


def present(play: Play, found: Review) -> GameReview:
    """Write the review of a game as clients get it."""
    actions = tuple(
        ReviewedAction(
            action_text(action), found.verdict(index), found.verdict(index + 1)
        )
        for index, action in enumerate(actions_of(play.done))
    )
    accuracy = found.accuracy
    return GameReview(
        actions=actions,
        turning_point=found.turning_point,
        line_from=None if found.last_winnable < 0 else found.last_winnable,
        line=tuple(map(action_text, actions_of(found.line))),
        accuracy=None if accuracy is None else round(accuracy, 1),
        hindsight=play.options.layout is Layout.STOCK,
    )


def encode_review(found: Review) -> bytes:
    """Write a review as it is kept with its game."""
    numbers = (
        found.actions,
        found.last_winnable,
        found.first_lost,
        found.decisions,
        found.kept,
        found.nodes,
    )
    return _STORED.pack(_FORM, *numbers) + found.line


def decode_review(stored: bytes) -> Review:
    """Read a review as it is kept.

    Raises:
        ValueError: It is of a form that is not known.
    """
    form, *numbers = _STORED.unpack_from(stored)
    if form != _FORM:
        raise ValueError(f"Form {form} of a review is not known.")
    actions, last_winnable, first_lost, decisions, kept, nodes = numbers
    return Review(
        actions=actions,
        last_winnable=last_winnable,
        first_lost=first_lost,
        line=stored[_STORED.size :],
        decisions=decisions,
        kept=kept,
        nodes=nodes,
    )
