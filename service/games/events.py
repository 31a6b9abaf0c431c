"""Events: tournaments of a portal, each on one deal."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from service.engine.deals import DEFAULT_SOURCE
from service.engine.play import Options
from service.engine.ruleset import Layout, UndoRule
from service.engine.variants import find_variant
from service.games.create import random_seed
from service.store.events import Closing

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.engine.ruleset import Ruleset
    from service.games.certified_deals import CertifiedDeals
    from service.solver import Grade
    from service.store.events import EventTexts

MAX_EVENTS: Final = 1000
"""The maximum number of events of a tenant."""
_KEPT: Final = ("id", "name", "seed", "opens_at", "closes_at", "attempts")
"""The attributes of an event that are stored unchanged."""


class EventNotFoundError(Exception):
    """The event never existed, or was deleted."""


class EventNotOpenError(Exception):
    """The event is not open, so no game of it can be started."""


class TooManyEventsError(Exception):
    """The tenant already has the maximum number of events."""


@dataclass(frozen=True, slots=True)
class Event:
    """A tournament.

    Attributes:
        ruleset: The variant.
        allows_hints: Whether hints and solutions are given in its games.
        seed: The seed of its deal, of the source ``accordion/1``.
        opens_at: The time it opens, in milliseconds since 1970, UTC.
        closes_at: The time it closes, in milliseconds since 1970, UTC.
        attempts: How many games a player can start; None means any number.
    """

    id: str
    name: str
    ruleset: Ruleset
    options: Options
    allows_hints: bool
    seed: str
    opens_at: int
    closes_at: int
    attempts: int | None = None

    def is_open(self, now: int) -> bool:
        """Whether games of the event can be started."""
        return self.opens_at <= now < self.closes_at


@dataclass(frozen=True, slots=True)
class Events:
    """The events of all tenants.

    Attributes:
        texts: The stored events; its methods may raise ``StoreUnavailableError``.
        clock: Returns the time in milliseconds since 1970, UTC.
    """

    texts: EventTexts
    clock: Callable[[], int]
    certified: CertifiedDeals

    def create(
        self, tenant: str, draft: Event, event_id: str, grade: Grade | None = None
    ) -> Event:
        """Store a new event.

        Args:
            tenant: The tenant that the event belongs to.
            draft: The event, without an id. If its seed is empty, one is drawn: of a
                winnable deal, unless moves are compulsory.
            event_id: The id of the event.
            grade: How difficult a drawn deal is; None means any.

        Returns:
            The event; if the id was in use already, the event stored under it.

        Raises:
            NoGradesError: The deals of the variant have no grades.
            TooManyEventsError: The tenant already has the maximum number of events.
        """
        if self.texts.count(tenant) >= MAX_EVENTS:
            raise TooManyEventsError
        seed = draft.seed or self._draw_seed(draft, grade)
        event = replace(draft, id=event_id, seed=seed)
        closing = Closing(tenant, event_id, event.closes_at)
        if not self.texts.put(closing, _encode(event)):
            return self.get(tenant, event_id)
        return event

    def _draw_seed(self, event: Event, grade: Grade | None) -> str:
        """Draw a seed of a winnable deal; any seed if moves are compulsory."""
        if event.options.compulsory:
            return random_seed(DEFAULT_SOURCE, Layout.OPEN)
        return self.certified.take(event.ruleset, grade)

    def get(self, tenant: str, event_id: str) -> Event:
        """Return an event.

        Raises:
            EventNotFoundError: The tenant has no event with this id.
        """
        text = self.texts.get(tenant, event_id)
        if text is None:
            raise EventNotFoundError
        return decode_event(text)

    def open(self, tenant: str, event_id: str) -> Event:
        """Return an event in which a game can be started.

        Raises:
            EventNotFoundError: The tenant has no event with this id.
            EventNotOpenError: The event is not open.
        """
        event = self.get(tenant, event_id)
        if not event.is_open(self.clock()):
            raise EventNotOpenError
        return event

    def list(self, tenant: str) -> list[Event]:
        """Return the events of a tenant, by closing time and id."""
        events = map(decode_event, self.texts.list(tenant))
        return sorted(events, key=lambda event: (event.closes_at, event.id))

    def delete(self, tenant: str, event_id: str) -> None:
        """Delete an event, but neither its games nor its board.

        Raises:
            EventNotFoundError: The tenant has no event with this id.
        """
        if not self.texts.delete(tenant, event_id):
            raise EventNotFoundError
        self.texts.delete_closing(Closing(tenant, event_id, 0))


def _encode(event: Event) -> str:
    options = event.options
    kept = {name: getattr(event, name) for name in _KEPT} | {
        "variant": event.ruleset.key,
        "layout": options.layout,
        "compulsory": options.compulsory,
        "undo": options.undo,
        "hints": event.allows_hints,
    }
    return json.dumps(kept)


def decode_event(text: str) -> Event:
    """Decode a stored event."""
    kept = json.loads(text)
    layout, undo = Layout(kept["layout"]), UndoRule(kept["undo"])
    return Event(
        ruleset=find_variant(kept["variant"]),
        options=Options(layout, kept["compulsory"], undo),
        allows_hints=kept["hints"],
        **{name: kept[name] for name in _KEPT},
    )
