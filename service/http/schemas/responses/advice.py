"""Hints, solutions and analyses in responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from service.engine import play
from service.http.schemas.responses.base import (
    Count,
    Move,
    MoveAction,
    Response,
    Version,
)
from service.solver.verdict import Reason, Verdict
from service.texts import hint_reason

if TYPE_CHECKING:
    from service import solver
    from service.engine.play import Action
    from service.games.snapshot import GameSnapshot

_VERDICT: Final = (
    "`winnable`, a line that wins is known; `unwinnable`, it is proved that no line "
    "wins; `unknown`, the time was up or cards are hidden."
)


class DealAction(Response, tag_field="type", tag="deal"):
    """A deal of one card, as an action."""


AnyAction: TypeAlias = MoveAction | DealAction
_DEAL: Final = DealAction()


class HintReason(Response):
    """Why a hint is given."""

    code: Annotated[Reason, "The reason as a code."]
    text: Annotated[str, "The reason as a sentence, in the language of the response."]


_HINTS_USED: Final = "How many hints the game has had, this one included."


class Hint(Response):
    """A hint."""

    version: Version
    hints_used: Annotated[Count, _HINTS_USED]
    action: Annotated[
        AnyAction | None, "The suggested action; null if nothing can be done."
    ]
    verdict: Annotated[Verdict, _VERDICT]
    reason: HintReason


class Solution(Response):
    """A line that wins."""

    version: Version
    hints_used: Annotated[Count, _HINTS_USED]
    verdict: Annotated[Verdict, _VERDICT]
    actions: Annotated[
        list[AnyAction], "The actions in order; empty unless `winnable`."
    ]


class JudgedMove(Move):
    """A legal move and its verdict."""

    verdict: Annotated[Verdict, _VERDICT]


class Analysis(Response):
    """The analysis of a row."""

    verdict: Annotated[Verdict, _VERDICT]
    line: Annotated[list[AnyAction], "A line that wins; empty unless `winnable`."]
    moves: Annotated[list[JudgedMove], "Every legal move."]


def action_response(action: Action) -> AnyAction:
    """Show an action."""
    if isinstance(action, play.Deal):
        return _DEAL
    return MoveAction(action.origin, action.target)


def hint_response(snapshot: GameSnapshot, hint: solver.Hint, language: str) -> Hint:
    """Show a hint, its reason in one of ``service.texts.LANGUAGES``."""
    text = hint_reason(hint.reason, hint.data, language)
    return Hint(
        version=snapshot.version,
        hints_used=snapshot.session.hints_used,
        action=None if hint.action is None else action_response(hint.action),
        verdict=hint.verdict,
        reason=HintReason(code=hint.reason, text=text),
    )


def solution_response(snapshot: GameSnapshot, solution: solver.Solution) -> Solution:
    """Show a line that wins, or why there is none."""
    return Solution(
        version=snapshot.version,
        hints_used=snapshot.session.hints_used,
        verdict=solution.verdict,
        actions=[action_response(action) for action in solution.actions],
    )


def analysis_response(analysis: solver.Analysis) -> Analysis:
    """Show what is known of a row and of each of its moves."""
    return Analysis(
        verdict=analysis.solution.verdict,
        line=[action_response(action) for action in analysis.solution.actions],
        moves=[
            JudgedMove(judged.move.origin, judged.move.target, judged.verdict)
            for judged in analysis.moves
        ],
    )
