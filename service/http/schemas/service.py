"""Health, and explanations of problems, in responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from service.http.schemas.response import Response
from service.texts import problem_explanation, problem_title

if TYPE_CHECKING:
    from service.http.errors.problem import ProblemType


class Health(Response):
    """The state of the service."""

    status: Annotated[str, Meta(extra_json_schema={"const": "ok"})] = "ok"


class InvalidValue(Response):
    """An invalid value in a request."""

    pointer: Annotated[
        str, "Its place, as a JSON pointer (RFC 6901); empty for the whole body."
    ]
    detail: Annotated[str, "What is wrong with it, as a sentence."]


class ProblemExplanation(Response):
    """The explanation of a type of problem."""

    type: Annotated[
        str,
        Meta(
            description="What identifies it.",
            extra_json_schema={"format": "uri-reference"},
        ),
    ]
    title: Annotated[str, "What went wrong, in general."]
    status: Annotated[int, Meta(ge=400, le=599)]
    explanation: Annotated[str, "Why it happens, and what to do about it."]
    members: Annotated[dict[str, str], "Its additional members, and what they mean."]


class ProblemExplanations(Response):
    """The explanations of all types of problems."""

    problems: list[ProblemExplanation]


def problem_response(problem: ProblemType, language: str) -> ProblemExplanation:
    """Explain a type of problem, in one of ``service.texts.LANGUAGES``."""
    return ProblemExplanation(
        type=problem.uri,
        title=problem_title(problem.slug, language),
        status=problem.status,
        explanation=problem_explanation(problem.slug, language),
        members={
            name: member.schema["description"]
            for name, member in problem.members.items()
        },
    )
