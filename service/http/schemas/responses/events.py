"""Events in responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from service.http.schemas.responses.base import Count, Response, Time, VariantKey
from service.http.schemas.responses.games import Options, options_response
from service.timestamps import stamp

if TYPE_CHECKING:
    from service.games import events


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
    """Show an event."""
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
