"""Hints, solutions, analyses and reviews in requests and responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, NamedTuple, TypeAlias

from marshmallow import ValidationError
from msgspec import Meta

from service.engine.play import Deal, actions_of
from service.engine.position import Position
from service.engine.ruleset import Layout
from service.games.records import action_text
from service.http.schemas import fields
from service.http.schemas.deals import DEFAULT_VARIANT, VARIANT_VALUE
from service.http.schemas.input import Input, Value
from service.http.schemas.records import ActionText
from service.http.schemas.response import Count, Move, MoveAction, Response, Version
from service.solver.verdict import HintCode, Verdict
from service.texts import Detail, hint_reason

if TYPE_CHECKING:
    from service import solver
    from service.engine.play import Action, Play
    from service.engine.ruleset import Ruleset
    from service.games.snapshot import GameSnapshot

DEFAULT_BUDGET: Final = 500
"""The default time budget of a search, in milliseconds."""
MAX_MILLISECONDS: Final = 2000
"""The maximum time budget of a search, in milliseconds."""

_BUDGET: Final = Value(
    fields.integer(1, MAX_MILLISECONDS),
    f"Milliseconds that the search may take; {DEFAULT_BUDGET} unless given.",
)
_ROW: Final = Value(fields.CARDS, "The top cards, left to right.", required=True)


class BudgetInput(Input):
    """The time budget of a search."""

    budget_ms = _BUDGET

    @staticmethod
    def _make(budget_ms: int = DEFAULT_BUDGET) -> int:
        return budget_ms


class RowInput(Input):
    """A row of cards in a variant."""

    ruleset = VARIANT_VALUE
    row = _ROW

    @staticmethod
    def _make(row: bytes, ruleset: Ruleset = DEFAULT_VARIANT) -> Position:
        return Position(ruleset, row, b"\x01" * len(row))


class AnalysisParams(NamedTuple):
    """A request to analyse a position."""

    position: Position
    milliseconds: int


class AnalysisInput(Input):
    """A row of cards to analyse."""

    ruleset = VARIANT_VALUE
    row = _ROW
    goal_card = Value(fields.CARD, "The goal card, in a variant that has one.")
    budget_ms = _BUDGET

    @staticmethod
    def _make(
        row: bytes,
        ruleset: Ruleset = DEFAULT_VARIANT,
        goal_card: int | None = None,
        budget_ms: int = DEFAULT_BUDGET,
    ) -> AnalysisParams:
        if ruleset.names_goal != (goal_card is not None):
            key = "required" if ruleset.names_goal else "goal-not-used"
            raise ValidationError({"goal_card": [Detail(key)]})
        position = Position(ruleset, row, b"\x01" * len(row), goal=goal_card)
        return AnalysisParams(position, budget_ms)


_JudgedAs: TypeAlias = Annotated[
    Verdict,
    "`winnable`, a line that wins is known; `unwinnable`, it is proved that no line "
    "wins; `unknown`, the time ran out or cards are hidden.",
]
_HintsUsed: TypeAlias = Annotated[
    Count, "How many hints the game has had, this one included."
]


class DealAction(Response, tag_field="type", tag="deal"):
    """A deal of one card, as an action."""


AnyAction: TypeAlias = MoveAction | DealAction
_DEAL: Final = DealAction()


class HintReason(Response):
    """The reason for a hint."""

    code: Annotated[HintCode, "The reason as a code."]
    text: Annotated[str, "The reason as a sentence, in the language of the response."]


class Hint(Response):
    """A hint."""

    version: Version
    hints_used: _HintsUsed
    action: Annotated[
        AnyAction | None, "The suggested action; null if nothing can be done."
    ]
    verdict: _JudgedAs
    reason: HintReason


class Solution(Response):
    """A verdict, and a line that wins if one is known."""

    version: Version
    hints_used: _HintsUsed
    verdict: _JudgedAs
    actions: Annotated[
        list[AnyAction], "The actions in order; empty unless `winnable`."
    ]


class JudgedMove(Move):
    """A legal move and its verdict."""

    verdict: _JudgedAs


class Analysis(Response):
    """The analysis of a row."""

    verdict: _JudgedAs
    line: Annotated[list[AnyAction], "A line that wins; empty unless `winnable`."]
    moves: Annotated[list[JudgedMove], "Every legal move."]


class ReviewedAction(Response):
    """An action of a game, with the verdicts before and after it."""

    action: Annotated[ActionText, "The action, as in a record."]
    before: Annotated[
        Verdict,
        "The verdict on the position before it: `winnable`, a line that wins from "
        "there is known; `unwinnable`, it is proved that no line wins; `unknown`, "
        "neither.",
    ]
    after: Annotated[Verdict, "The verdict on the position after it."]


class Review(Response):
    """The review of a game that is over."""

    actions: Annotated[list[ReviewedAction], "Every action, in order."]
    turning_point: Annotated[
        Count | None,
        "The index in `actions`, from 0, of the action after which it is proved that "
        "the game could not be won, while before it a line that wins is known; null "
        "if none is proved.",
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
        "The percentage of the judged decisions after which the game could still be "
        "won; null if no decision is judged.",
    ]
    hindsight: Annotated[
        bool,
        "Whether the review knows cards that the player could not see, as it does in "
        "the stock layout.",
    ]


def action_response(action: Action) -> AnyAction:
    """Make an action as a response has it."""
    if isinstance(action, Deal):
        return _DEAL
    return MoveAction(action.origin, action.target)


def hint_response(snapshot: GameSnapshot, hint: solver.Hint, language: str) -> Hint:
    """Make the response with a hint, in one of ``service.texts.LANGUAGES``."""
    text = hint_reason(hint.reason, hint.data, language)
    return Hint(
        version=snapshot.version,
        hints_used=snapshot.session.hints_used,
        action=None if hint.action is None else action_response(hint.action),
        verdict=hint.verdict,
        reason=HintReason(code=hint.reason, text=text),
    )


def solution_response(snapshot: GameSnapshot, solution: solver.Solution) -> Solution:
    """Make the response with a solution."""
    return Solution(
        version=snapshot.version,
        hints_used=snapshot.session.hints_used,
        verdict=solution.verdict,
        actions=[action_response(action) for action in solution.actions],
    )


def analysis_response(analysis: solver.Analysis) -> Analysis:
    """Make the response with the analysis of a row."""
    return Analysis(
        verdict=analysis.solution.verdict,
        line=[action_response(action) for action in analysis.solution.actions],
        moves=[
            JudgedMove(judged.move.origin, judged.move.target, judged.verdict)
            for judged in analysis.moves
        ],
    )


def review_response(play: Play, review: solver.Review) -> Review:
    """Make the response with the review of a game."""
    return Review(
        actions=[
            ReviewedAction(
                action_text(action), review.verdict(index), review.verdict(index + 1)
            )
            for index, action in enumerate(actions_of(play.done))
        ],
        turning_point=review.turning_point,
        line_from=None if review.last_winnable < 0 else review.last_winnable,
        line=[action_text(action) for action in actions_of(review.line)],
        accuracy=None if review.accuracy is None else round(review.accuracy, 1),
        hindsight=play.options.layout is Layout.STOCK,
    )
