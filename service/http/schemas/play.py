"""Requests that change a game: moves, deals, undo and redo."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from marshmallow import ValidationError

from service.engine.play import DealRequest
from service.engine.position import Move
from service.http.schemas import fields
from service.http.schemas.input import Form, Input, Members, Value
from service.texts import Detail

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from service.engine.play import Step

MAX_STEPS: Final = 200
"""The maximum number of steps in a batch."""
_ALL: Final = "all"
_AS_MOVE: Final = {
    "type": {"anyOf": [{"type": "string", "const": "move"}, {"type": "null"}]}
}


class ActionType(StrEnum):
    """The type of an action in a hint or a solution."""

    MOVE = "move"
    DEAL = "deal"


class Tap(NamedTuple):
    """A move of a pile to its only legal target."""

    origin: int


def _read_count(value: object) -> int | None:
    """Read an integer from 1 up; ``all`` is read as None."""
    if value == _ALL:
        return None
    if type(value) is int and value > 0:
        return value
    raise fields.invalid("count")


def _read_step(value: object) -> Step:
    """Read a step of a batch, which can also be an action of a hint or a solution."""
    try:
        match value:
            case {"from": origin, "to": target, **rest} if _has_type(rest, "move"):
                return Move(fields.read_integer(origin), fields.read_integer(target))
            case {"deal": count, **rest} if _has_type(rest, "deal"):
                return DealRequest(_read_count(count))
            case {"type": "deal", **rest} if not rest:
                return DealRequest()
    except ValidationError:
        pass
    raise fields.invalid("step")


def _has_type(rest: dict[object, object], name: str) -> bool:
    return not rest or rest == {"type": name}


_STEP: Final = fields.FieldType(
    _read_step,
    {"oneOf": [*map(fields.ref, ("Move", "MoveAction", "DealAction", "DealStep"))]},
)


class MovesInput(Input):
    """A move, a tap, a batch, or a deal of one card.

    An action of a hint or a solution can be sent as it is.
    """

    excludes: ClassVar = {"moves": ("from", "to", "type")}
    requires: ClassVar = {"to": "from"}
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

    origin = Value(
        fields.INTEGER, "The pile that moves; 0 is the leftmost.", name="from"
    )
    target = Value(
        fields.INTEGER,
        "Where it goes; can be left out if only one target is legal.",
        name="to",
    )
    moves = Value(
        fields.array(_STEP, "steps", 1, MAX_STEPS),
        "Moves, and deals of some cards, in their order.",
    )
    action_type = Value(
        fields.choice(ActionType),
        "`move`, the default; or `deal`, to deal one card, without any other field.",
        name="type",
    )

    @staticmethod
    def _make(
        origin: int | None = None,
        target: int | None = None,
        moves: Sequence[Step] = (),
        action_type: ActionType = ActionType.MOVE,
    ) -> Step | Tap | tuple[Step, ...]:
        if action_type is ActionType.DEAL:
            return DealRequest()
        if origin is None:
            return tuple(moves)
        return Tap(origin) if target is None else Move(origin, target)

    def _conflicts(self, given: Members) -> Iterator[tuple[str, Detail]]:
        yield from super()._conflicts(given)
        if given.get("type") == ActionType.DEAL and "from" in given:
            yield "from", Detail("conflict", {"other": "type"})
        if given.get("type") == ActionType.MOVE and "from" not in given:
            yield "type", Detail("needs", {"other": "from"})


class CountInput(Input):
    """The number of actions; 1 by default."""

    count = Value(
        fields.FieldType(_read_count, fields.ref("CountOrAll")), "How many, or `all`."
    )

    @staticmethod
    def _make(count: int | None = 1) -> int | None:
        return count


class NothingInput(Input):
    """An empty body: none, or `{}`."""
