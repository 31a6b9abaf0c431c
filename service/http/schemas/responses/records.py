"""Records of games and their replays in responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from service.engine.cards import NAMES, name_cards
from service.engine.play import Status
from service.engine.ruleset import Reason
from service.engine.scoring import Rating
from service.games.records import FORMAT, Refuted, Replayed
from service.http.schemas.responses.base import (
    ROW,
    Card,
    Count,
    Digest,
    Response,
    SourceKey,
    VariantKey,
)
from service.http.schemas.responses.games import Options, options_response

if TYPE_CHECKING:
    from service.games import records

ActionText: TypeAlias = Annotated[
    str, Meta(pattern="^(deal|finish|[0-9]{1,2}-[0-9]{1,2})$")
]
RecordFormat: TypeAlias = Annotated[str, Meta(extra_json_schema={"const": FORMAT})]


class _Record(Response, kw_only=True):
    format: Annotated[RecordFormat, "The form of the record."]
    variant: VariantKey
    options: Options
    actions: Annotated[
        list[ActionText],
        "The actions: `deal`, or a move as `from-to`; at the end `finish` if the "
        "player stopped.",
    ]


class SeedRecord(_Record, kw_only=True):
    """The record of a game with the deal of a seed."""

    source: SourceKey
    seed: Annotated[
        str | None, "The seed; null while it is hidden, and then it has a `commitment`."
    ]
    commitment: Annotated[
        Digest | UnsetType, "The SHA-256 of the UTF-8 of a hidden seed."
    ] = UNSET


class DeckRecord(_Record, kw_only=True):
    """The record of a game with a deck of the player's own."""

    deck: Annotated[list[Card] | None, "The deck; null while cards are to be dealt."]
    goal_card: Card | UnsetType = UNSET


class ValidReplay(Response):
    """A record that is valid under the rules."""

    valid: Annotated[bool, Meta(extra_json_schema={"const": True})]
    status: Status
    score: Annotated[
        Count, "Its points without a time bonus, since a record has no times."
    ]
    rating: Annotated[Rating | None, "Its rating, as in a game."]
    row: Annotated[list[Card], ROW]


class InvalidReplay(Response):
    """A record that breaks the rules."""

    valid: Annotated[bool, Meta(extra_json_schema={"const": False})]
    index: Annotated[Count, "The index of the refused action, from 0."]
    reason: Annotated[
        str,
        Meta(
            title="ReplayReason",
            description="Why an action is refused.",
            extra_json_schema={
                "enum": [*Reason, "stock-empty", "move-compulsory", "game-over"]
            },
        ),
    ]


def record_response(record: records.Record) -> SeedRecord | DeckRecord:
    """Show a game as a portable record."""
    options = options_response(record.options, allows_hints=record.allows_hints)
    if record.source is not None:
        return SeedRecord(
            format=FORMAT,
            variant=record.ruleset.key,
            options=options,
            source=record.source,
            seed=record.seed,
            commitment=UNSET if record.commitment is None else record.commitment,
            actions=record.actions,
        )
    return DeckRecord(
        format=FORMAT,
        variant=record.ruleset.key,
        options=options,
        deck=None if record.deck is None else name_cards(record.deck),
        goal_card=UNSET if record.goal is None else NAMES[record.goal],
        actions=record.actions,
    )


def replay_response(outcome: Replayed | Refuted) -> ValidReplay | InvalidReplay:
    """Show what a record comes to."""
    match outcome:
        case Refuted(index, reason):
            return InvalidReplay(valid=False, index=index, reason=reason)
        case Replayed(status, score, rating, row):
            return ValidReplay(
                valid=True,
                status=status,
                score=score,
                rating=rating,
                row=name_cards(row),
            )
