"""Leases: who works on something for a game, as long as that process lives."""

from service.store.connection import pack
from service.store.keyspace import lease_name
from service.store.protocol import GameKey
from service.store.runner import Runner

_LIFE_MS = b"5000"
"""The time after which a lease lapses unless it is prolonged."""


class Leases:
    """The leases of all games; each method raises if the store is unavailable.

    Args:
        runner: runs commands on the servers.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def take(self, key: GameKey) -> bool:
        """Take a lease; false if another holds it."""
        name = lease_name(key)
        packed = pack(b"SET", name, b"", b"NX", b"PX", _LIFE_MS)
        return self._runner.write(name, packed) is not None

    def extend(self, key: GameKey) -> None:
        """Hold a lease for longer."""
        name = lease_name(key)
        self._runner.write(name, pack(b"SET", name, b"", b"PX", _LIFE_MS))

    def end(self, key: GameKey) -> None:
        """Release a lease."""
        name = lease_name(key)
        self._runner.write(name, pack(b"DEL", name))
