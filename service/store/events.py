"""A tenant's events, as opaque texts by their ids."""

from typing import NamedTuple

from service.store.connection import pack
from service.store.keyspace import EVENT_CLOSINGS, event_name
from service.store.runner import Runner


class Closing(NamedTuple):
    """An event that closes.

    Attributes:
        tenant: the tenant.
        event_id: the event.
        at: when it closes, in milliseconds since 1970.
    """

    tenant: str
    event_id: str
    at: int


class EventTexts:
    """The events of all tenants.

    Args:
        runner: runs commands on the servers.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def put(self, closing: Closing, text: str) -> bool:
        """Store an event; false, and nothing stored, if there is one of that id.

        That it closes is noted first, for `closings`.
        """
        add = pack(b"ZADD", EVENT_CLOSINGS, closing.at, _member(closing))
        self._runner.write(EVENT_CLOSINGS, add)
        name, field = event_name(closing.tenant), closing.event_id.encode()
        packed = pack(b"HSETNX", name, field, text.encode())
        return bool(self._runner.write(name, packed))

    def get(self, tenant: str, event_id: str) -> str | None:
        """An event, or None."""
        name = event_name(tenant)
        found = self._runner.read(name, pack(b"HGET", name, _field(event_id)))
        return None if found is None else found.decode()

    def closings(self, until: int, most: int) -> list[Closing]:
        """The first events in the list of closings that close until a time."""
        options = (b"-inf", until, b"WITHSCORES", b"LIMIT", 0, most)
        packed = pack(b"ZRANGEBYSCORE", EVENT_CLOSINGS, *options)
        found = self._runner.read(EVENT_CLOSINGS, packed)
        pairs = zip(found[::2], found[1::2], strict=True)
        return [_read(member, score) for member, score in pairs]

    def strike(self, closing: Closing) -> None:
        """Delete a closing."""
        packed = pack(b"ZREM", EVENT_CLOSINGS, _member(closing))
        self._runner.write(EVENT_CLOSINGS, packed)

    def list(self, tenant: str) -> list[str]:
        """All events."""
        name = event_name(tenant)
        found = self._runner.read(name, pack(b"HVALS", name))
        return [text.decode() for text in found]

    def count(self, tenant: str) -> int:
        """How many events there are."""
        name = event_name(tenant)
        count: int = self._runner.read(name, pack(b"HLEN", name))
        return count

    def delete(self, tenant: str, event_id: str) -> bool:
        """Delete an event; false if there is none."""
        name = event_name(tenant)
        return bool(self._runner.write(name, pack(b"HDEL", name, _field(event_id))))


def _read(member: bytes, score: bytes) -> Closing:
    tenant, event_id = member.decode().split(":")
    return Closing(tenant, event_id, int(float(score)))


def _member(closing: Closing) -> bytes:
    return _field(f"{closing.tenant}:{closing.event_id}")


def _field(event_id: str) -> bytes:
    return event_id.encode("utf-8", "surrogatepass")
