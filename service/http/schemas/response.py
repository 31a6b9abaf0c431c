"""Types that several responses use."""

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
    """The base of all objects in responses.

    A string in the ``Annotated`` type of a member is its description, in Markdown.
    """

    def __init_subclass__(cls) -> None:
        """Pass the descriptions in the types of the members to msgspec."""
        hints = get_type_hints(cls, include_extras=True)
        for name in cls.__annotations__:
            for text in getattr(hints[name], "__metadata__", ()):
                if isinstance(text, str):
                    about = (hints[name], Meta(description=text))
                    cls.__annotations__[name] = Annotated[about]


def _choice(name: str, description: str, choices: Iterable[str]) -> Meta:
    """Describe a choice of strings as a named schema."""
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

    In variants that stack, pile `from` goes onto pile `to`. In variants that remove
    cards, the move removes the cards at `from` and `to`, or the cards between them, or
    the run of cards from `to` to `from`.
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
    """Make moves as a response has them."""
    return [Move(origin, target) for origin, target in moves]


def card_name(card: int | None) -> str | None:
    """Return the name of a card; None for None."""
    return None if card is None else NAMES[card]


def time_text(time: int | None) -> str | None:
    """Write a time in milliseconds since 1970, UTC, as RFC 3339; None for None."""
    return None if time is None else stamp(time)


def to_json(value: object) -> Any:  # noqa: ANN401 - plain data
    """Return the JSON of a response as plain data."""
    return msgspec.to_builtins(value)
