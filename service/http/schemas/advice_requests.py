"""The bodies of requests for advice, as marshmallow schemas."""

from __future__ import annotations

from typing import Final, NamedTuple

from marshmallow import ValidationError, post_load

from service.engine.position import Position
from service.http.schemas.deal_requests import DEFAULT_VARIANT, VARIANT_DESCRIPTION
from service.http.schemas.fields import BUDGET, CARD, CARDS, VARIANT
from service.http.schemas.input import Input, Members, Value
from service.texts import Detail

DEFAULT_BUDGET: Final = 500
"""Milliseconds that a search may take unless the client says."""
_BUDGET_TEXT: Final = (
    f"Milliseconds that the search may take; {DEFAULT_BUDGET} unless given."
)


class BudgetInput(Input):
    """How long to search."""

    budget_ms = Value(BUDGET, _BUDGET_TEXT)

    @post_load
    def make(self, given: Members, **_kwargs: object) -> int:
        """Take the milliseconds."""
        milliseconds: int = given.get("budget_ms", DEFAULT_BUDGET)
        return milliseconds


class RowInput(Input):
    """A row of cards in a variant."""

    variant = Value(VARIANT, VARIANT_DESCRIPTION)
    row = Value(CARDS, "The top cards, left to right.", required=True)

    @post_load
    def make(self, given: Members, **_kwargs: object) -> Position:
        """Lay the row out."""
        row = given["row"]
        ruleset = given.get("variant", DEFAULT_VARIANT)
        return Position(ruleset, row, b"\x01" * len(row))


class AnalysisWish(NamedTuple):
    """A request to analyse a position."""

    position: Position
    milliseconds: int


class AnalysisInput(Input):
    """A row of cards to judge."""

    variant = Value(VARIANT, VARIANT_DESCRIPTION)
    row = Value(CARDS, "The top cards, left to right.", required=True)
    goal_card = Value(CARD, "The goal card, in a variant that has one.")
    budget_ms = Value(BUDGET, _BUDGET_TEXT)

    @post_load
    def make(self, given: Members, **_kwargs: object) -> AnalysisWish:
        """Lay the row out."""
        row, goal = given["row"], given.get("goal_card")
        ruleset = given.get("variant", DEFAULT_VARIANT)
        if ruleset.names_goal != (goal is not None):
            key = "required" if ruleset.names_goal else "goal-not-used"
            raise ValidationError({"goal_card": [Detail(key)]})
        position = Position(ruleset, row, b"\x01" * len(row), goal=goal)
        return AnalysisWish(position, given.get("budget_ms", DEFAULT_BUDGET))
