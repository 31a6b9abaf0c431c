"""The body that creates an event, as a marshmallow schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from marshmallow import ValidationError, post_load

from service.games.events import Event
from service.games.session import HintRule
from service.http.schemas.deal_requests import DEFAULT_VARIANT, VARIANT_DESCRIPTION
from service.http.schemas.fields import (
    ATTEMPTS,
    DIFFICULTY,
    PLAYER,
    SEED,
    TIME,
    VARIANT,
)
from service.http.schemas.game_requests import (
    OPTIONS,
    check_certified,
    read_hints,
    read_options,
)
from service.http.schemas.input import Form, Input, Members, Value
from service.texts import Detail

if TYPE_CHECKING:
    from service.solver import Grade

MOST_DAYS: Final = 92
_MOST_MILLISECONDS: Final = MOST_DAYS * 24 * 3600 * 1000


class EventWish(NamedTuple):
    """An event to create, without its id, and how difficult its deal is to be."""

    event: Event
    difficulty: Grade | None


class EventInput(Input):
    """An event to create."""

    apart = (("seed", "difficulty"),)
    forms: ClassVar = {
        "RandomEventInput": Form("An event on a deal that the service chooses."),
        "SeedEventInput": Form("An event on the deal of a seed.", ("seed",)),
    }

    name = Value(PLAYER, "Its name, 1 to 32 characters.", required=True)
    variant = Value(VARIANT, VARIANT_DESCRIPTION)
    seed = Value(
        SEED, "The seed of its deal; without one, a deal that can be won is chosen."
    )
    difficulty = Value(
        DIFFICULTY, "How difficult its deal is, if it has no seed; by default any."
    )
    options = Value(OPTIONS, "How it is played.")
    opens_at = Value(TIME, "When it opens.", required=True)
    closes_at = Value(
        TIME, f"When it closes, at most {MOST_DAYS} days later.", required=True
    )
    attempts = Value(
        ATTEMPTS, "How many games a player can start; by default any number."
    )

    @post_load
    def make(self, given: Members, **_kwargs: object) -> EventWish:
        """Make the event; its id is still to be drawn."""
        opens_at, closes_at = given["opens_at"], given["closes_at"]
        if not 0 < closes_at - opens_at <= _MOST_MILLISECONDS:
            detail = Detail("event-length", {"days": MOST_DAYS})
            raise ValidationError({"closes_at": [detail]})
        ruleset = given.get("variant", DEFAULT_VARIANT)
        options = read_options(ruleset, given)
        check_certified(given, options)
        event = Event(
            id="",
            name=given["name"],
            ruleset=ruleset,
            options=options,
            allows_hints=read_hints(given) is HintRule.ALLOWED,
            seed=given.get("seed", ""),
            opens_at=opens_at,
            closes_at=closes_at,
            attempts=given.get("attempts"),
        )
        return EventWish(event, given.get("difficulty"))
