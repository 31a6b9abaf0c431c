"""Parts that responses share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_type_hints

import msgspec
from msgspec import Meta

from service.engine.cards import NAMES, RANKS, SUITS
from service.engine.deals import SOURCES
from service.engine.variants import VARIANTS
from service.timestamps import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable

    from service.engine import position


class Response(msgspec.Struct, forbid_unknown_fields=True):
    """The root of all values in responses.

    A text in the ``Annotated`` type of a member is its description; Markdown.
    """

    def __init_subclass__(cls) -> None:
        """Make the texts in the types of the members known to msgspec."""
        hints = get_type_hints(cls, include_extras=True)
        for name in cls.__annotations__:
            for text in getattr(hints[name], "__metadata__", ()):
                if isinstance(text, str):
                    about = (hints[name], Meta(description=text))
                    cls.__annotations__[name] = Annotated[about]


def _choice(name: str, description: str, choices: Iterable[str]) -> Meta:
    """Give the type of a few texts a name in the description."""
    return Meta(
        title=name, description=description, extra_json_schema={"enum": list(choices)}
    )


Card: TypeAlias = Annotated[
    str,
    Meta(
        title="Card",
        description="A card: its rank, then its suit.",
        pattern=f"^[{RANKS}][{SUITS}]$",
        examples=["TD"],
    ),
]
Count: TypeAlias = Annotated[int, Meta(ge=0)]
Day: TypeAlias = Annotated[str, Meta(extra_json_schema={"format": "date"})]
Time: TypeAlias = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Digest: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
VariantKey: TypeAlias = Annotated[
    str, _choice("VariantKey", "A variant, by its key.", VARIANTS)
]
SourceKey: TypeAlias = Annotated[
    str, _choice("Source", "What turns a seed into cards.", SOURCES)
]
GoalCard: TypeAlias = Annotated[
    Card | None, "The card that must end on top, if the variant has one."
]
Row: TypeAlias = Annotated[list[Card], "The top cards, left to right."]
Version: TypeAlias = Annotated[
    int,
    Meta(ge=1),
    "1 at first, increased by each change of play: moves, deals, undo, redo and "
    "finish. A hint does not change it.",
]


class Move(Response, rename={"origin": "from", "target": "to"}):
    """A move.

    Stacking: pile `from` goes onto pile `to`. Removal: what leaves is a pair or what
    lies between, or a run from `to` to `from`.
    """

    origin: Annotated[int, "A pile; 0 is the leftmost."]
    target: Annotated[int, "Another pile, or the same."]


class MoveAction(
    Response, tag_field="type", tag="move", rename={"origin": "from", "target": "to"}
):
    """A move, as an action."""

    origin: Annotated[int, "As in a move."]
    target: Annotated[int, "As in a move."]


MoveList: TypeAlias = Annotated[
    list[Move], "Every move that would be accepted, by `from` and then by `to`."
]


def moves_response(moves: Iterable[position.Move]) -> list[Move]:
    """Show moves."""
    return [Move(origin, target) for origin, target in moves]


def card_name(card: int | None) -> str | None:
    """Name a card, if there is one."""
    return None if card is None else NAMES[card]


def time_text(time: int | None) -> str | None:
    """Write a time in milliseconds since 1970, if there is one."""
    return None if time is None else stamp(time)


def to_json(value: object) -> Any:  # noqa: ANN401 - plain data
    """Return a response as plain data, as its JSON has it."""
    return msgspec.to_builtins(value)
