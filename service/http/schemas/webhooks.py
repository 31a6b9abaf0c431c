"""Webhooks and their deliveries in requests and responses; messages to webhooks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta

from service.games.ids import watch_id_of_key
from service.games.snapshot import GameSnapshot
from service.games.webhook_hosts import read_target
from service.games.webhooks import Bodies, WebhookEvent
from service.http.schemas import fields
from service.http.schemas.events import Event, event_response
from service.http.schemas.games import OverGame, over_game_response
from service.http.schemas.input import Input, Value
from service.http.schemas.response import Count, Response, Time, time_text
from service.timestamps import stamp

if TYPE_CHECKING:
    from service.games import events, webhooks
    from service.games.game_end import GameEnd
    from service.store import webhooks as stored

_MAX_URL_LENGTH: Final = 2000
_URL: Final = re.compile(r"https?://[!-~]{1,1992}")
_EVENT: Final = fields.choice(WebhookEvent)


def _read_url(value: object) -> str:
    if not isinstance(value, str) or not _URL.fullmatch(value):
        raise fields.invalid("url", most=_MAX_URL_LENGTH)
    try:
        read_target(value)
    except ValueError:
        raise fields.invalid("url", most=_MAX_URL_LENGTH) from None
    return value


def _read_events(value: object) -> tuple[WebhookEvent, ...]:
    if isinstance(value, list) and value:
        found = fields.read_each(value, _EVENT.read)
        if len(set(found)) == len(found):
            return tuple(found)
    raise fields.invalid("webhook-events", choices=list(WebhookEvent))


class WebhookParams(NamedTuple):
    """A webhook to create."""

    url: str
    events: tuple[WebhookEvent, ...]


class WebhookInput(Input):
    """The webhook to create."""

    url = Value(
        fields.FieldType(
            _read_url, {"type": "string", "format": "uri", "maxLength": _MAX_URL_LENGTH}
        ),
        "The URL that is called: an `https` URL of a host that the service may call.",
        required=True,
    )
    events = Value(
        fields.FieldType(
            _read_events,
            {
                "type": "array",
                "items": _EVENT.schema,
                "minItems": 1,
                "uniqueItems": True,
            },
        ),
        "The events that it is called for.",
        required=True,
    )
    _make = WebhookParams


class Webhook(Response, kw_only=True):
    """A URL that is called when certain events happen."""

    id: str
    url: str
    events: Annotated[list[WebhookEvent], "The events that it is called for."]
    created_at: Time
    rotated_at: Annotated[Time | None, "When its secret was last replaced, if it was."]
    ended_at: Annotated[
        Time | None,
        "When its receiver ended it with a 410 response: nothing is sent any "
        "more. Null while it is active.",
    ]


class NewWebhook(Webhook, kw_only=True):
    """A webhook with its secret, which is shown only in this response."""

    secret: Annotated[
        str,
        Meta(pattern="^whsec_[0-9A-Za-z+/=]+$"),
        "The secret that deliveries are signed with, in the form that "
        "libraries of Standard Webhooks accept.",
    ]


class WebhookList(Response):
    """The webhooks of a tenant."""

    webhooks: Annotated[list[Webhook], "The oldest first."]


class Delivery(Response, kw_only=True):
    """A message that was or will be sent to a webhook."""

    id: Annotated[str, "Its id, the same in each attempt: the field `webhook-id`."]
    type: WebhookEvent
    created_at: Time
    status: Annotated[
        Literal["pending", "delivered", "failed"],
        "`pending`, attempts are still to be made; `delivered`, the response was "
        "2xx; `failed`, given up after 24 hours, or the receiver has ended the "
        "webhook.",
    ]
    attempts: Annotated[Count, "How many attempts have begun."]
    last_attempt_at: Annotated[
        Time | None, "When the last attempt ended; null before the first."
    ]
    last_outcome: Annotated[
        str | None,
        "The result: the status of the response, such as `503`, or `timeout`, "
        "`connection-failed`, `address-not-allowed`, `host-not-allowed`, "
        "`host-not-found`, `no-http`, `ended`.",
    ]
    next_attempt_at: Annotated[
        Time | None, "When the next attempt is made; null if there is none."
    ]


class DeliveryList(Response):
    """A page of the deliveries of a webhook."""

    deliveries: Annotated[list[Delivery], "The newest first."]


class GameOverMessage(Response):
    """The message to a webhook when a game has ended."""

    type: Literal["game.over"]
    timestamp: Annotated[Time, "When it ended."]
    data: OverGame


class EventClosedMessage(Response):
    """The message to a webhook when an event has closed."""

    type: Literal["event.closed"]
    timestamp: Annotated[Time, "When it closed."]
    data: Event


def webhook_response(webhook: webhooks.Webhook) -> Webhook:
    """Make the response with a webhook, without its secret."""
    return Webhook(**_members(webhook))


def new_webhook_response(webhook: webhooks.Webhook) -> NewWebhook:
    """Make the response with a webhook and its secret."""
    return NewWebhook(**_members(webhook), secret=webhook.secret)


def _members(webhook: webhooks.Webhook) -> dict[str, Any]:
    return {
        "id": webhook.id,
        "url": webhook.url,
        "events": list(webhook.events),
        "created_at": stamp(webhook.created_at),
        "rotated_at": time_text(webhook.rotated_at or None),
        "ended_at": time_text(webhook.ended_at),
    }


def delivery_response(delivery_id: str, delivery: stored.Delivery) -> Delivery:
    """Make the response with a delivery."""
    is_pending = delivery.status == "pending"
    return Delivery(
        id=delivery_id,
        type=WebhookEvent(delivery.type),
        created_at=stamp(delivery.created_at),
        status=delivery.status,  # type: ignore[arg-type]  # the store has no others
        attempts=delivery.attempts,
        last_attempt_at=time_text(delivery.last_at or None),
        last_outcome=delivery.outcome or None,
        next_attempt_at=time_text(delivery.next_at if is_pending else None),
    )


def game_over_message(end: GameEnd) -> GameOverMessage:
    """Make the message about the end of a game, as a spectator sees it at that time."""
    ended_at = end.session.ended_at or end.session.started_at
    watch_id = watch_id_of_key(end.key)
    snapshot = GameSnapshot(None, watch_id, 0, end.session.watched())
    shown = over_game_response(snapshot, ended_at)
    return GameOverMessage("game.over", stamp(ended_at), shown)


def event_closed_message(event: events.Event) -> EventClosedMessage:
    """Make the message about an event that has closed."""
    shown = event_response(event, event.closes_at)
    return EventClosedMessage("event.closed", stamp(event.closes_at), shown)


_encode: Final = msgspec.json.Encoder().encode
BODIES: Final = Bodies(
    game_over=lambda end: _encode(game_over_message(end)),
    event_closed=lambda event: _encode(event_closed_message(event)),
)
"""Writes the bodies of the messages to webhooks."""
