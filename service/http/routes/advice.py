"""Advice: hints, solutions, analyses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.games.advice import Advice, Advisor, Given, has_plan
from service.http.docs import examples
from service.http.idempotency import IDEMPOTENCY_FIELD
from service.http.operation import NO_QUERY, Access, Answer, Body
from service.http.reply import PRIVATE, Reply, json_reply, language_fields
from service.http.routing import CaseRoutes, Chapter, Declare, json_answer
from service.http.schemas.advice import (
    AnalysisInput,
    AnalysisParams,
    BudgetInput,
    analysis_response,
    hint_response,
    solution_response,
)
from service.http.schemas.deals import LanguageQuery

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from service.games.snapshot import GameSnapshot
    from service.http.request import Request
    from service.http.schemas.input import Input

ADVICE: Final = Chapter("Advice")


def _advise(
    target: str, answer: Answer, *problems: str, query: Input = NO_QUERY
) -> Declare:
    """Declare an operation that gives advice on a game and counts as a hint."""
    return ADVICE.operation(
        target,
        answer,
        problems=(
            *problems,
            "hints-not-allowed",
            "game-over",
            "solver-busy",
            "store-unavailable",
            "game-busy",
        ),
        query=query,
        body=Body(
            BudgetInput(),
            {"the usual": {}, "more": {"budget_ms": 2000}},
            required=False,
        ),
        headers=("If-Match", IDEMPOTENCY_FIELD, "Accept-Language"),
        access=Access.GAME,
    )


@dataclass(frozen=True, slots=True)
class AdviceRoutes(CaseRoutes):
    """The routes of advice."""

    advisor: Advisor

    @_advise(
        "POST /v1/games/{game_id}/hint",
        json_answer(
            "The hint.",
            examples.HINT,
            ("ETag", "Content-Language", "Vary", "Idempotent-Replayed"),
        ),
        query=LanguageQuery(),
    )
    def give_hint(self, request: Request) -> Reply:
        """Get a hint.

        A hint is always a legal action, or null if nothing can be done. The verdict is
        `winnable` if the action is on a line that wins, `unwinnable` if it is proved
        that no line wins, and `unknown` if the time ran out or cards are hidden. A hint
        never depends on the order of hidden cards. While the player follows a line that
        wins, hints need no new search. The hint is counted in `hints_used`; the version
        does not change.
        """
        budget = self.advisor.budget(request.load_body())
        request.load_query()
        language = request.language
        return self._give(
            request,
            Advice(self.advisor.hint, budget),
            lambda snapshot, given: hint_response(snapshot, given, language),
            language_fields(language),
        )

    @_advise(
        "POST /v1/games/{game_id}/solution",
        json_answer("The line.", examples.SOLUTION, ("ETag", "Idempotent-Replayed")),
        "cards-hidden",
    )
    def give_solution(self, request: Request) -> Reply:
        """Get the solution.

        Returns a line that wins from here, or only the verdict if no such line is
        known. The solution is counted in `hints_used`; the version does not change.
        """
        budget = self.advisor.budget(request.load_body())
        advice = Advice(self.advisor.solution, budget)
        return self._give(request, advice, solution_response, {})

    @ADVICE.operation(
        "POST /v1/analysis",
        json_answer("The verdicts.", examples.ANALYSIS),
        problems=("solver-busy",),
        body=Body(
            AnalysisInput(), {"": {"variant": "accordion", "row": examples.SMALL_ROW}}
        ),
    )
    def analyse_row(self, request: Request) -> Reply:
        """Analyse a row and its moves.

        Analyses any row, without a game: whether it can be won, a line that wins, and
        the verdict on the row after each legal move. A verdict that is not reached in
        the time is `unknown`. The row is judged as it is, with no cards left to deal.
        """
        params: AnalysisParams = request.load_body()
        budget = self.advisor.budget(params.milliseconds)
        analysis = self.advisor.analyse(params.position, budget)
        return json_reply(analysis_response(analysis))

    def _give(
        self,
        request: Request,
        advice: Advice[Given],
        show: Callable[[GameSnapshot, Given], object],
        more: Mapping[str, str],
    ) -> Reply:
        def render(snapshot: GameSnapshot) -> Reply:
            fields = {"ETag": self.replies.etag(snapshot), **more}
            shown = show(snapshot, advice.given)
            return json_reply(shown, caching=PRIVATE, fields=fields)

        reply = self.replies.change(request, advice, render, has_plan)
        advice.count()
        return reply
