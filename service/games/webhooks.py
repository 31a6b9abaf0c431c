"""Webhooks: messages that tell portals of ended games and closed events."""

from __future__ import annotations

import secrets
from base64 import b64encode, urlsafe_b64encode
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from service.clock import DAY_SECONDS
from service.games.events import decode_event
from service.games.player_names import normalize_name
from service.metrics import WEBHOOK_DELIVERIES
from service.store.webhooks import NewDelivery, WebhookKey
from service.timestamps import SECOND_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from service.games.events import Event
    from service.games.game_end import GameEnd
    from service.store.events import EventTexts
    from service.store.webhooks import Delivery, Webhooks

MAX_WEBHOOKS: Final = 10
"""The maximum number of webhooks of a tenant."""
ROTATION: Final = DAY_SECONDS * SECOND_MS
"""How long deliveries are also signed with the old secret, in milliseconds."""
_CLOSING_DELAY: Final = 3 * SECOND_MS
"""The time after closing until a board has all games that ended before."""
_LATEST: Final = DAY_SECONDS * SECOND_MS
"""The maximum delay of a message after an event has closed."""
_SKEW: Final = 60 * SECOND_MS
"""The maximum difference assumed between the clocks of two machines."""
_CLOSINGS_AT_ONCE: Final = 100
_SECRET_BYTES: Final = 32
_MESSAGE_BYTES: Final = 18


class WebhookEvent(StrEnum):
    """The types of messages that webhooks can receive."""

    GAME_OVER = "game.over"
    EVENT_CLOSED = "event.closed"


class WebhookNotFoundError(Exception):
    """The webhook never existed, or was deleted."""


class DeliveryNotFoundError(Exception):
    """The delivery never existed, or is no longer kept."""


class WebhookEndedError(Exception):
    """The receiver has ended the webhook, so nothing is sent to it."""


class TooManyWebhooksError(Exception):
    """The tenant already has the maximum number of webhooks."""


class Webhook(msgspec.Struct, frozen=True):
    """A webhook; times are in milliseconds since 1970, UTC.

    Attributes:
        events: The types of messages that it receives.
        secret: The secret with which deliveries are signed.
        old_secret: The secret before the last rotation; empty if there was none.
        rotated_at: The time of the last rotation; 0 if there was none.
        ended_at: The time at which the receiver ended it; None while it is active.
    """

    id: str
    url: str
    events: tuple[WebhookEvent, ...]
    secret: str
    created_at: int
    old_secret: str = ""
    rotated_at: int = 0
    ended_at: int | None = None

    def secrets(self, now: int) -> list[str]:
        """Return the secrets that deliveries are signed with, the current one first."""
        if self.old_secret and now < self.rotated_at + ROTATION:
            return [self.secret, self.old_secret]
        return [self.secret]


def decode_webhook(text: str) -> Webhook:
    """Decode a stored webhook."""
    return msgspec.json.decode(text, type=Webhook)


def encode_webhook(webhook: Webhook) -> str:
    """Encode a webhook as it is stored."""
    return msgspec.json.encode(webhook).decode()


class Bodies(NamedTuple):
    """The functions that make the bodies of messages."""

    game_over: Callable[[GameEnd], bytes]
    event_closed: Callable[[Event], bytes]


@dataclass(frozen=True, slots=True)
class WebhookRegistry:
    """The webhooks of all tenants.

    Attributes:
        store: The stored webhooks; its methods may raise ``StoreUnavailableError``.
        clock: Returns the time in milliseconds since 1970, UTC.
    """

    store: Webhooks
    clock: Callable[[], int]

    def create(
        self, key: WebhookKey, url: str, events: Sequence[WebhookEvent]
    ) -> Webhook:
        """Create a webhook.

        Returns:
            The webhook; if the id was in use already, the webhook stored under it.

        Raises:
            TooManyWebhooksError: The tenant already has the maximum number.
        """
        found = self.store.get(key)
        if found is not None:
            return decode_webhook(found)
        if len(self.store.of_tenant(key.tenant)) >= MAX_WEBHOOKS:
            raise TooManyWebhooksError
        webhook = Webhook(
            id=key.webhook_id,
            url=url,
            events=tuple(events),
            secret=new_secret(),
            created_at=self.clock(),
        )
        return self._put(key.tenant, webhook)

    def of_tenant(self, tenant: str) -> list[Webhook]:
        """Return the webhooks of a tenant, the oldest first."""
        webhooks = map(decode_webhook, self.store.of_tenant(tenant))
        return sorted(webhooks, key=lambda each: (each.created_at, each.id))

    def get(self, tenant: str, webhook_id: str) -> Webhook:
        """Return a webhook.

        Raises:
            WebhookNotFoundError: The tenant has no webhook with this id.
        """
        text = self.store.get(WebhookKey(tenant, webhook_id))
        if text is None:
            raise WebhookNotFoundError
        return decode_webhook(text)

    def delete(self, tenant: str, webhook_id: str) -> None:
        """Delete a webhook and its deliveries; errors as in ``get``."""
        self.get(tenant, webhook_id)
        self.store.delete(WebhookKey(tenant, webhook_id))

    def rotate(self, tenant: str, webhook_id: str, secret: str) -> Webhook:
        """Replace the secret of a webhook; errors as in ``get``.

        For a day, deliveries are also signed with the old secret. A webhook that has
        the new secret already does not change.
        """
        webhook = self.get(tenant, webhook_id)
        if webhook.secret == secret:
            return webhook
        old, now = webhook.secret, self.clock()
        rotated = msgspec.structs.replace(
            webhook, secret=secret, old_secret=old, rotated_at=now
        )
        return self._put(tenant, rotated)

    def deliveries(
        self, tenant: str, webhook_id: str, start: int, most: int
    ) -> list[tuple[str, Delivery]]:
        """Return ids and deliveries, the newest first; errors as in ``get``."""
        self.get(tenant, webhook_id)
        return self.store.deliveries(WebhookKey(tenant, webhook_id), start, most)

    def redeliver(self, tenant: str, webhook_id: str, delivery_id: str) -> Delivery:
        """Queue a delivery again, with the same id and body.

        Raises:
            DeliveryNotFoundError: The webhook has no delivery with this id.
            WebhookEndedError: The receiver has ended the webhook.
            WebhookNotFoundError: The tenant has no webhook with this id.
        """
        if self.get(tenant, webhook_id).ended_at is not None:
            raise WebhookEndedError
        key = WebhookKey(tenant, webhook_id)
        found = self.store.redeliver(key, delivery_id, self.clock())
        if found is None:
            raise DeliveryNotFoundError
        return found

    def forget_player(self, tenant: str, name: str) -> None:
        """Delete the deliveries that contain a player's name."""
        for webhook in self.of_tenant(tenant):
            self.store.forget(WebhookKey(tenant, webhook.id), normalize_name(name))

    def _put(self, tenant: str, webhook: Webhook) -> Webhook:
        self.store.put(WebhookKey(tenant, webhook.id), encode_webhook(webhook))
        return webhook


@dataclass(frozen=True, slots=True)
class WebhookQueue:
    """Queues messages for webhooks; an ``EndHandler``.

    Attributes:
        store: The stored webhooks.
        bodies: Makes the bodies of messages.
        clock: Returns the time in milliseconds since 1970, UTC.
    """

    store: Webhooks
    bodies: Bodies
    clock: Callable[[], int]

    def concerns(self, end: GameEnd) -> bool:
        """Whether the game belongs to a tenant, which may have webhooks."""
        return bool(end.key.tenant)

    def handle(self, end: GameEnd) -> None:
        """See ``EndHandler.handle``."""
        (tenant, digest), session = end
        listening = self._listening(
            tenant, WebhookEvent.GAME_OVER, session.ended_at or 0
        )
        if listening:
            message = NewDelivery(
                id="",
                subject=digest,
                number=session.ends,
                type=WebhookEvent.GAME_OVER,
                player=normalize_name(session.player or ""),
                body=self.bodies.game_over(end),
            )
            self._add(tenant, listening, message)

    def close_event(self, tenant: str, event: Event) -> None:
        """Queue the message that an event has closed."""
        listening = self._listening(tenant, WebhookEvent.EVENT_CLOSED, event.closes_at)
        message = NewDelivery(
            id="",
            subject=f"event:{event.id}",
            number=1,
            type=WebhookEvent.EVENT_CLOSED,
            player="",
            body=self.bodies.event_closed(event),
        )
        self._add(tenant, listening, message)

    def _listening(
        self, tenant: str, what: WebhookEvent, happened: int
    ) -> list[Webhook]:
        """Return the active webhooks for ``what`` that existed when it happened."""
        return [
            webhook
            for webhook in map(decode_webhook, self.store.of_tenant(tenant))
            if what in webhook.events
            and webhook.ended_at is None
            and webhook.created_at <= happened + _SKEW
        ]

    def _add(
        self, tenant: str, webhooks: Sequence[Webhook], message: NewDelivery
    ) -> None:
        """Queue a message for several webhooks, with a different id for each."""
        for webhook in webhooks:
            message_id = _message_id(webhook, message.subject, message.number)
            new = message._replace(id=message_id)
            key = WebhookKey(tenant, webhook.id)
            if self.store.add(key, new, self.clock()) == "full":
                WEBHOOK_DELIVERIES.labels("dropped").inc()


@dataclass(frozen=True, slots=True)
class EventClosings:
    """Queues messages about events that have closed.

    Attributes:
        texts: The stored events.
        queue: The queue of messages.
        clock: Returns the time in milliseconds since 1970, UTC.
    """

    texts: EventTexts
    queue: WebhookQueue
    clock: Callable[[], int]

    def sweep(self) -> None:
        """Queue messages about closed events, at most ``_CLOSINGS_AT_ONCE`` a call."""
        now = self.clock()
        for closing in self.texts.closings(now - _CLOSING_DELAY, _CLOSINGS_AT_ONCE):
            text = self.texts.get(closing.tenant, closing.event_id)
            if text is not None and now - closing.at < _LATEST:
                self.queue.close_event(closing.tenant, decode_event(text))
            self.texts.delete_closing(closing)


def new_secret() -> str:
    """Return a new random secret for signatures."""
    return "whsec_" + b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def _message_id(webhook: Webhook, subject: str, number: int) -> str:
    """Return the id of a delivery, which is the same in every process."""
    text = f"{webhook.id}\0{subject}\0{number}".encode()
    digest = blake2b(text, digest_size=_MESSAGE_BYTES).digest()
    return "msg_" + urlsafe_b64encode(digest).decode()
