"""Advice: hints, solutions, analyses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flask import request

from service.games.advice import Advice, has_plan
from service.http.docs import examples
from service.http.idempotency import FIELD
from service.http.operation import Answer, Body, Operation, Route
from service.http.reply import PRIVATE, etag_of, json_answer
from service.http.routes.games import RETRIED
from service.http.schemas.advice_requests import AnalysisInput, BudgetInput
from service.http.schemas.advice_views import analysis_view, hint_view, solution_view
from service.http.schemas.json_schema import ref
from service.http.texts import language_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flask import Response

    from service.games.advice import Advisor, Given
    from service.games.service import GameSnapshot
    from service.http.game_replies import Desk
    from service.http.schemas.advice_requests import AnalysisWish
    from service.http.schemas.views import View

_TAG: Final = "Advice"
_BUDGET: Final = Body(
    BudgetInput(), {"the usual": {}, "more": {"budget_ms": 2000}}, required=False
)
_BUSY: Final = ("solver-busy", "store-unavailable")


def _advise(
    name: str, summary: str, description: str, answer: Answer, *problems: str
) -> Operation:
    """Declare an operation that advises on a game, and counts as a hint."""
    return Operation(
        name,
        _TAG,
        summary,
        f"{description} It counts in `hints_used`, and is a write like any other.",
        answers=(answer,),
        problems=(
            "game-not-found",
            *problems,
            "game-over",
            "version-mismatch",
            "precondition-required",
            *RETRIED,
            *_BUSY,
            "game-busy",
        ),
        body=_BUDGET,
        headers=("If-Match", FIELD, "Accept-Language"),
    )


_HINT: Final = _advise(
    "giveHint",
    "Ask for a hint",
    "A hint is always a legal action, or null when nothing can be done. `winnable` "
    "says that it lies on a line that wins, `unwinnable` that it is proved that none "
    "does, `unknown` that the time was up or that cards are hidden. It never depends "
    "on the order of hidden cards. Followed, a line that wins needs no new search.",
    Answer(
        200,
        "The hint.",
        schema=ref("Hint"),
        examples={"": examples.HINT},
        headers=("ETag", "Content-Language", "Vary", "Idempotent-Replayed"),
    ),
)
_SOLUTION: Final = _advise(
    "giveSolution",
    "Ask for the whole line",
    "The line that wins from here, or the verdict without one.",
    Answer(
        200,
        "The line.",
        schema=ref("Solution"),
        examples={"": examples.SOLUTION},
        headers=("ETag", "Idempotent-Replayed"),
    ),
    "cards-hidden",
)
_ANALYSIS: Final = Operation(
    "analyseRow",
    _TAG,
    "Judge a row and its moves",
    "Of any row, without a game: whether it can be won, a line that wins, and the same "
    "of what each legal move leads to. What is not settled in the time is `unknown`.",
    answers=(
        Answer(
            200,
            "The verdicts.",
            schema=ref("Analysis"),
            examples={"": examples.ANALYSIS},
        ),
    ),
    problems=("solver-busy",),
    body=Body(
        AnalysisInput(),
        {"": {"variant": "accordion", "row": examples.SMALL_ROW}},
    ),
)


class AdviceRoutes:
    """The routes of advice.

    Args:
        desk: The games.
        advisor: What gives it.
    """

    def __init__(self, desk: Desk, advisor: Advisor) -> None:
        self._desk = desk
        self._advisor = advisor

    def routes(self) -> tuple[Route, ...]:
        """List them."""
        game = "/v1/games/{game_id}"
        return (
            Route("POST", f"{game}/hint", _HINT, self.hint),
            Route("POST", f"{game}/solution", _SOLUTION, self.solution),
            Route("POST", "/v1/analysis", _ANALYSIS, self.analyse),
        )

    def hint(self, game_id: str, body: int) -> Response:
        """Give a hint within milliseconds."""
        language = language_of(request)
        advice = Advice(self._advisor.hint, self._advisor.budget(body))

        def render(kept: GameSnapshot) -> Response:
            fields = {"Content-Language": language, "Vary": "Accept-Language"}
            view = hint_view(kept.version, advice.given, language)
            return _answer(kept, view, fields)

        return self._advise(game_id, advice, render)

    def solution(self, game_id: str, body: int) -> Response:
        """Give the whole line within milliseconds."""
        advice = Advice(self._advisor.solution, self._advisor.budget(body))

        def render(kept: GameSnapshot) -> Response:
            return _answer(kept, solution_view(kept.version, advice.given))

        return self._advise(game_id, advice, render)

    def analyse(self, body: AnalysisWish) -> Response:
        """Judge a row within milliseconds."""
        budget = self._advisor.budget(body.milliseconds)
        found = self._advisor.analyse(body.position, budget)
        return json_answer(analysis_view(found))

    def _advise(
        self,
        game_id: str,
        advice: Advice[Given],
        render: Callable[[GameSnapshot], Response],
    ) -> Response:
        answer = self._desk.change(game_id, advice, render, has_plan)
        advice.count()
        return answer


def _answer(
    kept: GameSnapshot, view: View, fields: Mapping[str, str] | None = None
) -> Response:
    headers = {"ETag": etag_of(kept.version), **(fields or {})}
    return json_answer(view, caching=PRIVATE, headers=headers)
