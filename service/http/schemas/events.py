"""Events in requests and responses."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, NamedTuple

from marshmallow import ValidationError

from service.games import events
from service.http.schemas import fields
from service.http.schemas.deals import DEFAULT_VARIANT, VARIANT_VALUE
from service.http.schemas.games import Options, options_response
from service.http.schemas.input import Form, Input, Value
from service.http.schemas.new_game import (
    DEFAULT_OPTIONS,
    OPTIONS,
    GivenOptions,
    check_certified,
)
from service.http.schemas.response import Count, Response, Time, VariantKey
from service.texts import Detail
from service.timestamps import SECOND_MS, stamp

if TYPE_CHECKING:
    from service.engine.ruleset import Ruleset
    from service.solver import Grade

MAX_ATTEMPTS: Final = 1000
MAX_DAYS: Final = 92
_MAX_MILLISECONDS: Final = MAX_DAYS * 24 * 3600 * SECOND_MS
_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2})"
)


def _read_time(value: object) -> int:
    """Read a time as milliseconds since 1970."""
    if isinstance(value, str) and _TIME.fullmatch(value):
        try:
            return round(datetime.fromisoformat(value).timestamp() * SECOND_MS)
        except (ValueError, OverflowError):
            pass
    raise fields.invalid("time")


_TIME_TYPE: Final = fields.FieldType(
    _read_time, {"type": "string", "format": "date-time"}
)


class EventParams(NamedTuple):
    """An event to create, without its id, and the grade of its deal (None: any)."""

    event: events.Event
    difficulty: Grade | None


class EventInput(Input):
    """The event to create."""

    excludes: ClassVar = {"seed": ("difficulty",)}
    forms: ClassVar = {
        "RandomEventInput": Form("An event on a deal that the service chooses."),
        "SeedEventInput": Form("An event on the deal of a seed.", ("seed",)),
    }

    name = Value(fields.PLAYER, "Its name, 1 to 32 characters.", required=True)
    ruleset = VARIANT_VALUE
    seed = Value(
        fields.SEED,
        "The seed of its deal; without one, a deal that can be won is chosen.",
    )
    difficulty = Value(
        fields.DIFFICULTY,
        "How difficult its deal is, if it has no seed; by default any.",
    )
    options = Value(OPTIONS, "How it is played.")
    opens_at = Value(_TIME_TYPE, "When it opens.", required=True)
    closes_at = Value(
        _TIME_TYPE, f"When it closes, at most {MAX_DAYS} days later.", required=True
    )
    attempts = Value(
        fields.integer(1, MAX_ATTEMPTS),
        "How many games a player can start; by default any number.",
    )

    @staticmethod
    def _make(  # noqa: PLR0913 - one for each member
        *,
        name: str,
        opens_at: int,
        closes_at: int,
        ruleset: Ruleset = DEFAULT_VARIANT,
        options: GivenOptions = DEFAULT_OPTIONS,
        seed: str = "",
        difficulty: Grade | None = None,
        attempts: int | None = None,
    ) -> EventParams:
        if not 0 < closes_at - opens_at <= _MAX_MILLISECONDS:
            detail = Detail("event-length", {"days": MAX_DAYS})
            raise ValidationError({"closes_at": [detail]})
        event = events.Event(
            id="",
            name=name,
            ruleset=ruleset,
            options=options.complete(ruleset),
            allows_hints=options.allows_hints,
            seed=seed,
            opens_at=opens_at,
            closes_at=closes_at,
            attempts=attempts,
        )
        check_certified(event.options, {"difficulty": difficulty})
        return EventParams(event, difficulty)


class Event(Response):
    """A tournament on one deal."""

    id: str
    name: str
    variant: VariantKey
    options: Options
    seed: Annotated[
        str | None,
        "The seed, of the source `accordion/1`; null until the event closes.",
    ]
    opens_at: Time
    closes_at: Time
    attempts: Annotated[
        Count | None, "The games that a player can start; null is any number."
    ]


class EventList(Response):
    """The events of a tenant."""

    events: Annotated[list[Event], "The next to close first."]


def event_response(event: events.Event, now: int) -> Event:
    """Make the response with an event; ``now`` is in milliseconds since 1970, UTC."""
    return Event(
        id=event.id,
        name=event.name,
        variant=event.ruleset.key,
        options=options_response(event.options, allows_hints=event.allows_hints),
        seed=event.seed if now >= event.closes_at else None,
        opens_at=stamp(event.opens_at),
        closes_at=stamp(event.closes_at),
        attempts=event.attempts,
    )
