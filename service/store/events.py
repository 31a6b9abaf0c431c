"""The events of tenants, as opaque texts by id."""

from dataclasses import dataclass
from typing import NamedTuple

from service.store.keyspace import EVENT_CLOSINGS, event_name, user_text
from service.store.runner import Runner, pairs_of


class Closing(NamedTuple):
    """The closing of an event, at a time in milliseconds since 1970."""

    tenant: str
    event_id: str
    at: int

    @property
    def member(self) -> bytes:
        """The member for the closing in the list of closings."""
        return user_text(f"{self.tenant}:{self.event_id}")


@dataclass(frozen=True)
class EventTexts:
    """The events of all tenants."""

    runner: Runner

    def put(self, closing: Closing, text: str) -> bool:
        """Store an event; return false, and keep the stored one, if its id is taken.

        In either case, the closing is first added to the list of closings.
        """
        self.runner.write(b"ZADD", EVENT_CLOSINGS, closing.at, closing.member)
        name = event_name(closing.tenant)
        return bool(self.runner.write(b"HSETNX", name, closing.event_id, text))

    def get(self, tenant: str, event_id: str) -> str | None:
        """An event, or None if it does not exist."""
        found = self.runner.read(b"HGET", event_name(tenant), user_text(event_id))
        return None if found is None else found.decode()

    def closings(self, until: int, most: int) -> list[Closing]:
        """The earliest closings up to a time in milliseconds since 1970."""
        options = (b"-inf", until, b"WITHSCORES", b"LIMIT", 0, most)
        found = self.runner.read(b"ZRANGEBYSCORE", EVENT_CLOSINGS, *options)
        pairs = ((member.decode().split(":"), at) for member, at in pairs_of(found))
        return [Closing(tenant, event, int(float(at))) for (tenant, event), at in pairs]

    def delete_closing(self, closing: Closing) -> None:
        """Delete a closing from the list of closings."""
        self.runner.write(b"ZREM", EVENT_CLOSINGS, closing.member)

    def list(self, tenant: str) -> list[str]:
        """All events of a tenant, in no order."""
        found = self.runner.read(b"HVALS", event_name(tenant))
        return [text.decode() for text in found]

    def count(self, tenant: str) -> int:
        """The number of a tenant's events."""
        count: int = self.runner.read(b"HLEN", event_name(tenant))
        return count

    def delete(self, tenant: str, event_id: str) -> bool:
        """Delete an event, but not its closing; return false if it does not exist."""
        name, field = event_name(tenant), user_text(event_id)
        return bool(self.runner.write(b"HDEL", name, field))
