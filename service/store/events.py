"""A tenant's events, as opaque texts by their ids."""

from service.store.connection import pack
from service.store.keyspace import event_name
from service.store.runner import Runner


class EventTexts:
    """The events of all tenants.

    Args:
        runner: runs commands on the servers.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def put(self, tenant: str, event_id: str, text: str) -> bool:
        """Store an event; false, and nothing stored, if there is one of that id."""
        name = event_name(tenant)
        packed = pack(b"HSETNX", name, event_id.encode(), text.encode())
        return bool(self._runner.write(name, packed))

    def get(self, tenant: str, event_id: str) -> str | None:
        """An event, or None."""
        name = event_name(tenant)
        found = self._runner.read(name, pack(b"HGET", name, _field(event_id)))
        return None if found is None else found.decode()

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


def _field(event_id: str) -> bytes:
    return event_id.encode("utf-8", "surrogatepass")
