"""Webhooks and their deliveries.

All keys share one hash tag, and so one slot of a cluster: one script can change all of
them. The deliveries of a webhook are queued by subject, which is a game or an event:
those of one subject are sent one after the other, those of different subjects at once.
"""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from service.store.keyspace import (
    WEBHOOKS_DUE,
    user_text,
    webhook_name,
    webhooks_name,
)
from service.store.runner import Args, Runner, pairs_of, read_script

MAX_WAITING_DELIVERIES = 50_000
"""How many deliveries of a webhook can wait; any more are dropped."""
MAX_SETTLED = 1000
"""How many deliveries of a webhook are kept after they were delivered or failed."""
_PAGE = 200

_SHARED = "webhook_queues"
_ADD = read_script("webhook_add", shared=_SHARED)
_CLAIM = read_script("webhook_claim", shared=_SHARED)
_SETTLE = read_script("webhook_settle", shared=_SHARED)
_REDELIVER = read_script("webhook_redeliver", shared=_SHARED)
_END = read_script("webhook_end")
_FORGET = read_script("webhook_forget", shared=_SHARED)
_PARTS = ("subjects", "queues", "deliveries", "queued", "settled")


class WebhookKey(NamedTuple):
    """Identifies a webhook."""

    tenant: str
    webhook_id: str

    @property
    def member(self) -> bytes:
        """The member for the webhook in the list of webhooks by their next attempt."""
        return user_text(f"{self.tenant}:{self.webhook_id}")

    @property
    def field(self) -> bytes:
        """The field for the webhook in the hash of its tenant's webhooks."""
        return user_text(self.webhook_id)


class NewDelivery(NamedTuple):
    """A delivery to queue.

    Attributes:
        subject: the game or event that it is about.
        number: 1, or more if the same happens to the subject again.
        type: the type of the message, such as `game.over`; see `WebhookEvent`.
        player: the normalised name of the player in the body; empty if there is none.
    """

    id: str
    subject: str
    number: int
    type: str
    player: str
    body: bytes


class Delivery(msgspec.Struct, array_like=True, frozen=True):
    """A stored `NewDelivery`; times are in milliseconds since 1970.

    Attributes:
        created_at: when it was queued.
        status: `pending`, `delivered` or `failed`.
        attempts: how many attempts have begun.
        last_at: when the last attempt ended; 0 before the first.
        outcome: of the last attempt: an HTTP status, or a code such as `timeout`.
        next_at: while it is pending, when the next attempt is due.
        counts_from: when it was queued or last redelivered, which pauses count from.
    """

    type: str
    subject: str
    player: str
    created_at: int
    body: str
    status: str
    attempts: int
    last_at: int
    outcome: str
    next_at: int
    counts_from: int


class AttemptResult(NamedTuple):
    """The result of an attempt; times are in milliseconds since 1970.

    Attributes:
        number: the number of the attempt, from 1.
        status: `delivered`, `failed`, or `pending` if another attempt is to be made.
        outcome: as in `Delivery`.
        now: when the attempt ended.
        next_at: when the next attempt is due; 0 if there is none.
    """

    delivery_id: str
    number: int
    status: str
    outcome: str
    now: int
    next_at: int


class Webhooks:
    """The webhooks of all tenants, as opaque texts by id, and their deliveries.

    Every method raises `StoreUnavailableError` if the store is unavailable or refuses.
    `now` is in milliseconds since 1970.

    Args:
        runner: runs commands and scripts on the servers.
        game_life: the seconds that a game lives after its last write; for twice as
            long, a delivery with the same subject and number is not queued again.
    """

    def __init__(self, runner: Runner, *, game_life: int) -> None:
        self._runner = runner
        self._end_life = 2 * game_life * 1000

    def put(self, key: WebhookKey, text: str) -> None:
        """Store a webhook, in place of an earlier one with its id."""
        self._runner.write(b"HSET", webhooks_name(key.tenant), key.field, text)

    def get(self, key: WebhookKey) -> str | None:
        """A webhook, or None."""
        found = self._runner.read(b"HGET", webhooks_name(key.tenant), key.field)
        return None if found is None else found.decode()

    def of_tenant(self, tenant: str) -> list[str]:
        """All webhooks of a tenant."""
        found = self._runner.read(b"HVALS", webhooks_name(tenant))
        return [text.decode() for text in found]

    def delete(self, key: WebhookKey) -> bool:
        """Delete a webhook and its deliveries; return false if it does not exist."""
        is_deleted = self._runner.write(b"HDEL", webhooks_name(key.tenant), key.field)
        self._runner.write(b"ZREM", WEBHOOKS_DUE, key.member)
        self._runner.write(b"DEL", *_parts(key))
        return bool(is_deleted)

    def end(self, key: WebhookKey, text: str, outcome: str, now: int) -> bool:
        """Store a webhook that has ended, and fail its deliveries; false if deleted."""
        args = (key.member, key.field, text, outcome, now)
        return bool(self._runner.write_script(_END, _names(key), args))

    def add(self, key: WebhookKey, new: NewDelivery, now: int) -> str:
        """Queue a delivery, once for each number of a subject.

        Returns:
            `added`; `known` if it, or one with a higher number, was handled before;
            `gone` if the webhook does not exist; `full` if too many deliveries wait.
        """
        names = [*_names(key), webhook_name(key.webhook_id, f":told:{new.subject}")]
        args = (
            key.member,
            key.field,
            *new,
            now,
            MAX_WAITING_DELIVERIES,
            self._end_life,
        )
        state: bytes = self._runner.write_script(_ADD, names, args)
        return state.decode()

    def due(self, now: int) -> list[WebhookKey]:
        """The webhooks that have deliveries due at `now`."""
        found = self._runner.read(b"ZRANGEBYSCORE", WEBHOOKS_DUE, b"-inf", now)
        return [WebhookKey(*member.decode().split(":")) for member in found]

    def claim(
        self, key: WebhookKey, now: int, most: int, lease: int
    ) -> tuple[str, list[tuple[str, Delivery]]]:
        """Claim due deliveries, the first of each subject, for `lease` milliseconds.

        Returns:
            The webhook's text, empty if it was deleted; and the deliveries with their
            ids.
        """
        args = (key.member, key.field, now, most, lease)
        text, found = self._runner.write_script(_CLAIM, _names(key)[:5], args)
        return text.decode(), _pairs(found)

    def settle(self, key: WebhookKey, attempt: AttemptResult) -> bool:
        """Store the result of an attempt; return false if it does not count.

        It does not count if the delivery is no longer pending, or if another sender has
        begun a later attempt and this one did not succeed.
        """
        args = (key.member, *attempt, MAX_SETTLED)
        return bool(self._runner.write_script(_SETTLE, _names(key), args))

    def deliveries(
        self, key: WebhookKey, start: int, most: int
    ) -> list[tuple[str, Delivery]]:
        """Deliveries with their ids, the newest first; `start` is from 0."""
        name = webhook_name(key.webhook_id, ":queued")
        ids = self._runner.read(b"ZREVRANGE", name, start, start + most - 1)
        if not ids:
            return []
        name = webhook_name(key.webhook_id, ":deliveries")
        values = self._runner.read(b"HMGET", name, *ids)
        pairs = zip(ids, values, strict=True)
        return [(i.decode(), _read(v)) for i, v in pairs if v is not None]

    def redeliver(self, key: WebhookKey, delivery_id: str, now: int) -> Delivery | None:
        """Queue a delivery to be sent again; return None if it does not exist."""
        args: Args = (key.member, user_text(delivery_id), now)
        packed = self._runner.write_script(_REDELIVER, _names(key), args)
        return _read(packed) if packed else None

    def forget(self, key: WebhookKey, player: str) -> None:
        """Delete the deliveries that name a player."""
        for delivery_id, delivery in [*self._all(key)]:
            if delivery.player == player:
                args: Args = (key.member, delivery_id)
                self._runner.write_script(_FORGET, _names(key), args)

    def _all(self, key: WebhookKey) -> Iterator[tuple[str, Delivery]]:
        name, cursor = webhook_name(key.webhook_id, ":deliveries"), b"0"
        while True:
            cursor, found = self._runner.read(b"HSCAN", name, cursor, b"COUNT", _PAGE)
            yield from _pairs(found)
            if cursor == b"0":
                return


def _names(key: WebhookKey) -> list[bytes]:
    return [WEBHOOKS_DUE, webhooks_name(key.tenant), *_parts(key)]


def _parts(key: WebhookKey) -> list[bytes]:
    return [webhook_name(key.webhook_id, f":{part}") for part in _PARTS]


def _pairs(found: list[bytes]) -> list[tuple[str, Delivery]]:
    return [(name.decode(), _read(packed)) for name, packed in pairs_of(found)]


def _read(packed: bytes) -> Delivery:
    return msgspec.msgpack.decode(packed, type=Delivery)
