"""Advice: hints, solutions, analyses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.games.advice import Advice, has_plan
from service.http.docs import examples
from service.http.idempotency import FIELD
from service.http.operation import NO_QUERY, Access, Answer, Body, Operation, Route
from service.http.reply import PRIVATE, json_reply, language_fields
from service.http.routes.games import RETRIED
from service.http.schemas.advice import (
    AnalysisInput,
    BudgetInput,
    analysis_response,
    hint_response,
    solution_response,
)
from service.http.schemas.deals import LanguageQuery
from service.http.schemas.fields import ref

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from service.games.advice import Advisor, Given
    from service.games.snapshot import GameSnapshot
    from service.http.game_replies import GameReplies
    from service.http.reply import Reply
    from service.http.request import Request
    from service.http.schemas.advice import AnalysisWish
    from service.http.schemas.input import Input

_TAG: Final = "Advice"
_BUDGET: Final = Body(
    BudgetInput(), {"the usual": {}, "more": {"budget_ms": 2000}}, required=False
)
_BUSY: Final = ("solver-busy", "store-unavailable")


def _advise(
    name: str,
    summary: str,
    description: str,
    answer: Answer,
    *problems: str,
    query: Input = NO_QUERY,
) -> Operation:
    """Declare an operation that advises on a game, and counts as a hint."""
    return Operation(
        name,
        _TAG,
        summary,
        f"{description} `hints_used` counts it; the version does not change.",
        answers=(answer,),
        problems=(
            "game-not-found",
            *problems,
            "hints-not-allowed",
            "game-over",
            "version-mismatch",
            "precondition-required",
            *RETRIED,
            *_BUSY,
            "game-busy",
        ),
        query=query,
        body=_BUDGET,
        headers=("If-Match", FIELD, "Accept-Language"),
        access=Access.GAME,
    )


_HINT: Final = _advise(
    "giveHint",
    "Get a hint",
    "A hint is always a legal action, or null if nothing can be done. The verdict is "
    "`winnable` if the action is on a line that wins, `unwinnable` if it is proved "
    "that no line wins, and `unknown` if the time was up or cards are hidden. A hint "
    "never depends on the order of hidden cards. While the player follows a line that "
    "wins, hints need no new search.",
    Answer(
        200,
        "The hint.",
        schema=ref("Hint"),
        examples={"": examples.HINT},
        headers=("ETag", "Content-Language", "Vary", "Idempotent-Replayed"),
    ),
    query=LanguageQuery(),
)
_SOLUTION: Final = _advise(
    "giveSolution",
    "Get the solution",
    "A line that wins from here, or the verdict if none is known.",
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
    "Analyse a row and its moves",
    "Analyses any row, without a game: whether it can be won, a line that wins, and "
    "the verdict for the row after each legal move. What is not decided in the time "
    "is `unknown`. The row is judged as it is, without any cards still to be dealt.",
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
        replies: The games.
        advisor: What gives it.
    """

    def __init__(self, replies: GameReplies, advisor: Advisor) -> None:
        self._replies = replies
        self._advisor = advisor

    def routes(self) -> tuple[Route, ...]:
        """List them."""
        game = "/v1/games/{game_id}"
        return (
            Route("POST", f"{game}/hint", _HINT, self.hint),
            Route("POST", f"{game}/solution", _SOLUTION, self.solution),
            Route("POST", "/v1/analysis", _ANALYSIS, self.analyse),
        )

    def hint(self, request: Request) -> Reply:
        """Give a hint within milliseconds."""
        budget = self._advisor.budget(request.load_body())
        advice = Advice(self._advisor.hint, budget)
        request.load_query()
        language = request.language

        def render(snapshot: GameSnapshot) -> Reply:
            view = hint_response(snapshot, advice.given, language)
            return self._reply(snapshot, view, language_fields(language))

        return self._advise(request, advice, render)

    def solution(self, request: Request) -> Reply:
        """Give the whole line within milliseconds."""
        budget = self._advisor.budget(request.load_body())
        advice = Advice(self._advisor.solution, budget)

        def render(snapshot: GameSnapshot) -> Reply:
            solution = solution_response(snapshot, advice.given)
            return self._reply(snapshot, solution)

        return self._advise(request, advice, render)

    def analyse(self, request: Request) -> Reply:
        """Judge a row within milliseconds."""
        wish: AnalysisWish = request.load_body()
        budget = self._advisor.budget(wish.milliseconds)
        return json_reply(
            analysis_response(self._advisor.analyse(wish.position, budget))
        )

    def _advise(
        self,
        request: Request,
        advice: Advice[Given],
        render: Callable[[GameSnapshot], Reply],
    ) -> Reply:
        reply = self._replies.change(request, advice, render, has_plan)
        advice.count()
        return reply

    def _reply(
        self,
        snapshot: GameSnapshot,
        value: object,
        more: Mapping[str, str] | None = None,
    ) -> Reply:
        fields = {"ETag": self._replies.etag(snapshot), **(more or {})}
        return json_reply(value, caching=PRIVATE, fields=fields)
