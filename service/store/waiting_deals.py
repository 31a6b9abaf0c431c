"""Seeds of certified deals that wait to be played, by variant and grade."""

from service.store.connection import pack
from service.store.keyspace import deals_name
from service.store.runner import Runner


class WaitingDeals:
    """The deals that all processes share; the methods raise without the store.

    Args:
        runner: runs commands on the servers.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def take(self, variant: str, grade: str) -> str | None:
        """Take the seed that has waited longest; None where none waits."""
        name = deals_name(variant, grade)
        seed = self._runner.write(name, pack(b"LPOP", name))
        return None if seed is None else seed.decode()

    def put(self, variant: str, grade: str, seed: str) -> None:
        """Add a seed."""
        name = deals_name(variant, grade)
        self._runner.write(name, pack(b"RPUSH", name, seed.encode()))

    def count(self, variant: str, grade: str) -> int:
        """How many seeds wait."""
        name = deals_name(variant, grade)
        count: int = self._runner.read(name, pack(b"LLEN", name))
        return count
