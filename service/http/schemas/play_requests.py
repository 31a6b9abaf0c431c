"""Requests that play on: moves, deals, undo and redo."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from marshmallow import post_load

from service.engine.play import Draw
from service.engine.position import Move
from service.http.schemas.fields import ACTION_TYPE, COUNT, STEPS, WHOLE, ActionType
from service.http.schemas.input import Conflict, Form, Input, Members, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.engine.play import Step


class Tap(NamedTuple):
    """A move of a pile to the one place it can go to."""

    origin: int


_AS_MOVE: Final = {
    "type": {"anyOf": [{"type": "string", "const": "move"}, {"type": "null"}]}
}


class MovesInput(Input):
    """A move, a tap, a batch, or a deal of one card.

    An action of a hint or a solution can be sent as it is.
    """

    apart = (("moves", "from"), ("moves", "to"), ("moves", "type"))
    needs: ClassVar = {"to": "from"}
    one_of = ("from", "moves", "type")
    forms: ClassVar = {
        "MoveInput": Form("A move of one pile onto another.", ("from", "to"), _AS_MOVE),
        "TapInput": Form(
            "Only a pile: makes the one legal move that the pile has.",
            ("from",),
            _AS_MOVE,
        ),
        "BatchInput": Form(
            "Moves and deals in their order: all of them are made, or none.", ("moves",)
        ),
        "DealActionInput": Form(
            "A deal of one card.",
            ("type",),
            {"type": {"type": "string", "const": "deal"}},
        ),
    }

    origin = Value(WHOLE, "The pile that moves; 0 is the leftmost.", name="from")
    target = Value(
        WHOLE, "Where it goes; can be left out if only one target is legal.", name="to"
    )
    moves = Value(STEPS, "Moves, and deals of some cards, in their order.")
    action_type = Value(
        ACTION_TYPE,
        "`move`, the default; or `deal`, to deal one card, without any other field.",
        name="type",
    )

    @post_load
    def make(self, given: Members, **_kwargs: object) -> Step | Tap | tuple[Step, ...]:
        """Make the move, the tap, the deal or the steps."""
        match given:
            case {"origin": int(origin), "target": int(target)}:
                return Move(origin, target)
            case {"origin": int(origin)}:
                return Tap(origin)
            case {"action_type": ActionType.DEAL}:
                return Draw()
        steps: tuple[Step, ...] = given["moves"]
        return steps

    def _conflicts(self, given: Members) -> Iterator[tuple[str, Conflict]]:
        yield from super()._conflicts(given)
        if given.get("type") == ActionType.DEAL and "from" in given:
            yield "from", ("conflict", {"other": "type"})
        if given.get("type") == ActionType.MOVE and "from" not in given:
            yield "type", ("needs", {"other": "from"})


class CountInput(Input):
    """How many; 1 unless given."""

    count = Value(COUNT, "How many, or `all`.")

    @post_load
    def make(self, given: Members, **_kwargs: object) -> int | None:
        """Take the number; None means all."""
        count: int | None = given.get("count", 1)
        return count


class NothingInput(Input):
    """Nothing: no body, or `{}`."""
