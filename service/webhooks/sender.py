"""The sender: sends the deliveries that are due, and retries failed ones."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from service.clock import DAY_SECONDS
from service.games.webhook_hosts import read_target
from service.games.webhooks import decode_webhook, encode_webhook
from service.metrics import WEBHOOK_DELAY, WEBHOOK_DELIVERIES, WEBHOOK_SECONDS
from service.store.protocol import StoreUnavailableError
from service.store.webhooks import AttemptResult
from service.timestamps import SECOND_MS
from service.webhooks.post import SECONDS, AttemptError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from service.games.webhooks import Webhook
    from service.store.webhooks import Delivery, WebhookKey, Webhooks
    from service.webhooks.post import WebhookClient

AT_ONCE: Final = 16
"""How many deliveries of one webhook a sender sends at once."""
_AT_ONCE_OF_ALL: Final = 256
LEASE: Final = (SECONDS + 5) * SECOND_MS
"""How long a claim lasts, in milliseconds; then any sender may claim the delivery."""
_LOOK_SECONDS: Final = 0.1
"""How often a sender looks for deliveries that are due."""
_SWEEP: Final = 1 * SECOND_MS
_FIRST_PAUSE: Final = 2 * SECOND_MS
_MAX_PAUSE: Final = 6 * 3600 * SECOND_MS
_GIVE_UP: Final = DAY_SECONDS * SECOND_MS
_DELIVERED: Final = range(200, 300)
_GONE: Final = 410
_COUNTED_AS: Final = {
    "delivered": "delivered",
    "failed": "failed",
    "pending": "retried",
}
_LOG: Final = logging.getLogger(__name__)


def next_attempt(first: int, now: int) -> int | None:
    """Return when to retry a failed delivery; None if it is given up.

    Each pause is twice the time since the first attempt, at least 2 seconds and at most
    6 hours. No attempt is due later than a day after the first.

    Args:
        first: When the first attempt was due, in milliseconds since 1970.
        now: When the last attempt failed, likewise.
    """
    pause = min(max(_FIRST_PAUSE, 2 * (now - first)), _MAX_PAUSE)
    return now + pause if now + pause <= first + _GIVE_UP else None


class _Job(NamedTuple):
    """A claimed delivery."""

    key: WebhookKey
    webhook: Webhook
    delivery_id: str
    delivery: Delivery


@dataclass(slots=True, eq=False)
class Sender:
    """Sends the deliveries that are due; any number of senders share the work.

    Attributes:
        sweep: Queues the messages about events that have closed; called once a second.
        clock: Returns the time in milliseconds since 1970, UTC.
    """

    store: Webhooks
    poster: WebhookClient
    sweep: Callable[[], None]
    clock: Callable[[], int]
    _sending: Counter[WebhookKey] = field(default_factory=Counter, init=False)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set, init=False)
    _has_room: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _swept_at: int = field(default=0, init=False)

    async def run(self, stop: asyncio.Event) -> None:
        """Send deliveries until ``stop`` is set, then finish attempts under way."""
        stopping = asyncio.create_task(stop.wait())
        while not stop.is_set():
            self._has_room.clear()
            try:
                self._sweep_if_due()
                self._claim_and_send()
            except StoreUnavailableError as error:
                _LOG.debug("deliveries wait for the store: %s", error)
            room = asyncio.create_task(self._has_room.wait())
            await asyncio.wait(
                {stopping, room},
                timeout=_LOOK_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )
            room.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _sweep_if_due(self) -> None:
        now = self.clock()
        if 0 <= now - self._swept_at < _SWEEP:
            return
        self._swept_at = now
        self.sweep()

    def _claim_and_send(self) -> None:
        """Claim as many due deliveries as the limits allow, and start sending them."""
        for key in self.store.due(self.clock()):
            room = min(AT_ONCE - self._sending[key], _AT_ONCE_OF_ALL - len(self._tasks))
            if room <= 0:
                continue
            text, found = self.store.claim(key, self.clock(), room, LEASE)
            if not text:
                continue
            webhook = decode_webhook(text)
            for delivery in found:
                self._sending[key] += 1
                job = _Job(key, webhook, *delivery)
                task = asyncio.create_task(self._send(job))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def _send(self, job: _Job) -> None:
        try:
            outcome = await self._attempt(job)
            with suppress(StoreUnavailableError):  # it is sent again after the lease
                self._settle(job, outcome)
        except Exception:  # noqa: BLE001 - it must not stop the other deliveries
            _LOG.exception("A delivery has failed for a reason of this service's own.")
        finally:
            self._sending[job.key] -= 1
            if not self._sending[job.key]:
                del self._sending[job.key]
            self._has_room.set()

    async def _attempt(self, job: _Job) -> str:
        """Make an attempt and return its outcome: an HTTP status or a code."""
        webhook, body = job.webhook, job.delivery.body
        if webhook.ended_at is not None:
            return "ended"
        now = self.clock()
        fields = _signed_fields(job.delivery_id, body, webhook.secrets(now), now)
        with WEBHOOK_SECONDS.labels().time():
            try:
                target = read_target(webhook.url)
                return str(await self.poster.post(target, fields, body.encode()))
            except AttemptError as error:
                return error.outcome

    def _settle(self, job: _Job, outcome: str) -> None:
        key, webhook, delivery_id, delivery = job
        now = self.clock()
        if outcome == str(_GONE):
            ended = msgspec.structs.replace(webhook, ended_at=now)
            self.store.end(key, encode_webhook(ended), outcome, now)
            WEBHOOK_DELIVERIES.labels("failed").inc()
            return
        status, next_at = _next_status(delivery, outcome, now)
        attempt = AttemptResult(
            delivery_id, delivery.attempts, status, outcome, now, next_at
        )
        if not self.store.settle(key, attempt):
            return
        WEBHOOK_DELIVERIES.labels(_COUNTED_AS[status]).inc()
        if status == "delivered":
            WEBHOOK_DELAY.observe((now - delivery.counts_from) / SECOND_MS)


def _next_status(delivery: Delivery, outcome: str, now: int) -> tuple[str, int]:
    """Return the new status of a delivery, and when its next attempt is due or 0."""
    if outcome.isdigit() and int(outcome) in _DELIVERED:
        return "delivered", 0
    next_at = None if outcome == "ended" else next_attempt(delivery.counts_from, now)
    return ("failed", 0) if next_at is None else ("pending", next_at)


def _signed_fields(
    message_id: str, body: str, secrets: Sequence[str], now: int
) -> Mapping[str, str]:
    """Return the header fields of a message, by the Standard Webhooks specification.

    They contain its id, the time and one signature for each secret.
    """
    from standardwebhooks import Webhook  # noqa: PLC0415 - only the sender needs it

    time = datetime.fromtimestamp(now // SECOND_MS, UTC)
    signatures = [Webhook(each).sign(message_id, time, body) for each in secrets]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(now // SECOND_MS),
        "webhook-signature": " ".join(signatures),
    }
