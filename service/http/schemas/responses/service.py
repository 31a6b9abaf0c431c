"""Variants, problems and health in responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from service.engine.cards import NAMES
from service.engine.play import Options as PlayOptions
from service.engine.ruleset import Effect
from service.http.schemas.responses.base import (
    Card,
    Count,
    Response,
    VariantKey,
    describe,
)
from service.http.schemas.responses.games import Options, options_response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.engine.ruleset import Ruleset
    from service.http.errors.problem import ProblemType


class Variant(Response):
    """A variant of the patience."""

    key: VariantKey
    aliases: Annotated[list[str], describe("Other names it goes by.")]
    name: Annotated[str, describe("Its name for people.")]
    summary: Annotated[str, describe("What it is, in a sentence.")]
    move: Annotated[str, describe("What a legal move is, in a sentence.")]
    win: Annotated[str, describe("When it is won, in a sentence.")]
    effect: Annotated[Effect, describe("What a move does.")]
    distances: Annotated[
        list[int], describe("The values of `from` - `to` that a move can have.")
    ]
    goal_length: Annotated[Count, describe("The piles or cards left when it is won.")]
    deck_size: Annotated[Count, describe("The cards dealt in all.")]
    pinned_cards: Annotated[
        list[Card] | None, describe("The cards dealt first and last, if any.")
    ]
    names_goal_card: Annotated[bool, describe("Whether a goal card must end on top.")]
    options: Options


class Variants(Response):
    """All variants."""

    variants: list[Variant]


class Health(Response):
    """That all is well."""

    status: Annotated[str, Meta(extra_json_schema={"const": "ok"})] = "ok"


class InvalidValue(Response):
    """One value of a request that is not valid."""

    pointer: Annotated[
        str,
        describe("Where, as a JSON pointer (RFC 6901); empty for the whole of it."),
    ]
    detail: Annotated[str, describe("What, as a sentence.")]


class ProblemExplanation(Response):
    """A type of problem."""

    type: Annotated[
        str,
        Meta(
            description="What identifies it.",
            extra_json_schema={"format": "uri-reference"},
        ),
    ]
    title: Annotated[str, describe("What went wrong, in general.")]
    status: Annotated[int, Meta(ge=400, le=599)]
    explanation: Annotated[str, describe("Why it happens, and what to do about it.")]
    members: Annotated[
        dict[str, str], describe("Its further members, and what they mean.")
    ]


class ProblemExplanations(Response):
    """All types of problems."""

    problems: list[ProblemExplanation]


def variant_response(ruleset: Ruleset, texts: Mapping[str, str]) -> Variant:
    """Show a variant, in the texts of some language."""
    pins = ruleset.pins
    return Variant(
        key=ruleset.key,
        aliases=list(ruleset.aliases),
        name=texts["name"],
        summary=texts["summary"],
        move=texts["move"],
        win=texts["win"],
        effect=ruleset.effect,
        distances=list(ruleset.offsets),
        goal_length=ruleset.goal_length,
        deck_size=ruleset.deck_size,
        pinned_cards=None if pins is None else [NAMES[card] for card in pins],
        names_goal_card=ruleset.names_goal,
        options=options_response(PlayOptions(ruleset.layout)),
    )


def problem_response(problem: ProblemType) -> ProblemExplanation:
    """Show a type of problem."""
    return ProblemExplanation(
        type=problem.uri,
        title=problem.title,
        status=problem.status,
        explanation=problem.explanation,
        members={
            name: member.schema["description"]
            for name, member in problem.members.items()
        },
    )
