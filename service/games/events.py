"""Events: a portal's own tournaments on a deal of its choice."""

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

MOST_EVENTS: Final = 1000
"""Events that a tenant can have at once."""
_KEPT: Final = ("id", "name", "seed", "opens_at", "closes_at", "attempts")
"""The attributes that are stored as they are."""


class EventNotFoundError(Exception):
    """An event that never existed, or was deleted."""


class EventNotOpenError(Exception):
    """A game of an event that is not open."""


class TooManyEventsError(Exception):
    """An event beyond the number that a tenant can have."""


@dataclass(frozen=True, slots=True)
class Event:
    """A tournament.

    Attributes:
        id: Its id.
        name: Its name.
        ruleset: The variant.
        options: How it is played.
        allows_hints: Whether hints are given in its games.
        seed: The seed of its deal, of the source ``accordion/1``.
        opens_at: When it opens, in milliseconds since 1970.
        closes_at: When it closes.
        attempts: How many games a player can start; None is any number.
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
        """Whether games of it can be started."""
        return self.opens_at <= now < self.closes_at


@dataclass(frozen=True, slots=True)
class Events:
    """The events of all tenants.

    Attributes:
        texts: Where they are kept; it may raise ``StoreUnavailableError``.
        clock: The time in milliseconds since 1970, UTC.
        certified: What finds certified deals.
    """

    texts: EventTexts
    clock: Callable[[], int]
    certified: CertifiedDeals

    def create(
        self, tenant: str, wish: Event, event_id: str, grade: Grade | None = None
    ) -> Event:
        """Keep an event under an id; without a seed it gets one that can be won.

        Args:
            tenant: Whose event it is.
            wish: The event, without an id.
            event_id: Its id.
            grade: How difficult the deal is, if it has no seed; None is any.

        Returns:
            The event, or the one that has the id already.

        Raises:
            NoGradesError: The deals of the variant have no grades.
            TooManyEventsError: The tenant has as many as it can have.
        """
        if self.texts.count(tenant) >= MOST_EVENTS:
            raise TooManyEventsError
        seed = wish.seed or self._draw_seed(wish, grade)
        event = replace(wish, id=event_id, seed=seed)
        closing = Closing(tenant, event_id, event.closes_at)
        if not self.texts.put(closing, _encode(event)):
            return self.get(tenant, event_id)
        return event

    def _draw_seed(self, event: Event, grade: Grade | None) -> str:
        """Draw a seed whose deal can be won; any, where moves are compulsory."""
        if event.options.compulsory:
            return random_seed(DEFAULT_SOURCE, Layout.OPEN)
        return self.certified.take(event.ruleset, grade)

    def get(self, tenant: str, event_id: str) -> Event:
        """Look at an event.

        Raises:
            EventNotFoundError: There is none of that id.
        """
        text = self.texts.get(tenant, event_id)
        if text is None:
            raise EventNotFoundError
        return decode_event(text)

    def open(self, tenant: str, event_id: str) -> Event:
        """Look at an event of which a game is to start.

        Raises:
            EventNotFoundError: There is none of that id.
            EventNotOpenError: It is not open.
        """
        event = self.get(tenant, event_id)
        if not event.is_open(self.clock()):
            raise EventNotOpenError
        return event

    def list(self, tenant: str) -> list[Event]:
        """List the events of a tenant, the next to close first."""
        events = map(decode_event, self.texts.list(tenant))
        return sorted(events, key=lambda event: (event.closes_at, event.id))

    def delete(self, tenant: str, event_id: str) -> None:
        """Delete an event; its games and its board stay as long as they would.

        Raises:
            EventNotFoundError: There is none of that id.
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
    """Read a stored event."""
    kept = json.loads(text)
    layout, undo = Layout(kept["layout"]), UndoRule(kept["undo"])
    return Event(
        ruleset=find_variant(kept["variant"]),
        options=Options(layout, kept["compulsory"], undo),
        allows_hints=kept["hints"],
        **{name: kept[name] for name in _KEPT},
    )
