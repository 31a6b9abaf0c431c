"""Data that processes share to coordinate: choices, leases, duties and waiting deals.

Every method raises `StoreUnavailableError` if the store is unavailable or refuses.
"""

from dataclasses import dataclass
from typing import NamedTuple

from service.store.keyspace import DUTIES, choice_name, deals_name, lease_name
from service.store.protocol import GameKey
from service.store.runner import Runner, read_script

_CHOOSE = read_script("choose")
_LEASE_MS = 5000
"""How long a lease is held unless it is extended."""


@dataclass(frozen=True)
class Choices:
    """Values by name, each chosen once for all processes."""

    runner: Runner

    def find(self, what: str) -> str | None:
        """The value that was chosen, or None."""
        chosen = self.runner.get(choice_name(what))
        return None if chosen is None else chosen.decode()

    def choose(self, what: str, value: str) -> str:
        """Choose a value unless one was chosen before; return the chosen value."""
        chosen: bytes = self.runner.write_script(_CHOOSE, [choice_name(what)], [value])
        return chosen.decode()


@dataclass(frozen=True)
class Leases:
    """Leases on work for a game; a process must extend its lease while it works."""

    runner: Runner

    def take(self, key: GameKey) -> bool:
        """Take a lease; return false if it is held already."""
        options = (b"NX", b"PX", _LEASE_MS)
        return self.runner.write(b"SET", lease_name(key), b"", *options) is not None

    def extend(self, key: GameKey) -> None:
        """Extend a lease, without a check that it is still held."""
        self.runner.write(b"SET", lease_name(key), b"", b"PX", _LEASE_MS)

    def end(self, key: GameKey) -> None:
        """Release a lease, without that check."""
        self.runner.write(b"DEL", lease_name(key))


class Duty(NamedTuple):
    """A duty for a game that ends; `noted_at` is in milliseconds since 1970."""

    key: GameKey
    noted_at: int

    @property
    def member(self) -> str:
        """The member for the duty in the list of duties."""
        return f"{self.key.tenant}:{self.key.game_id}:{self.noted_at}"


@dataclass(frozen=True)
class Duties:
    """Duties: notes that the handlers of a game's end are still to be called.

    A duty is noted before the game is written, as a step of its own: in a cluster, the
    list of duties and the game may be on different servers. It is deleted once it is
    done. If the process dies in between, another process does the duty.
    """

    runner: Runner

    def note(self, duty: Duty) -> None:
        """Note a duty."""
        self.runner.write(b"ZADD", DUTIES, duty.noted_at, duty.member)

    def delete(self, duty: Duty) -> None:
        """Delete a duty."""
        self.runner.write(b"ZREM", DUTIES, duty.member)

    def list(self, until: int, most: int, start: int = 0) -> list[Duty]:
        """Duties that were noted up to `until`, the oldest first; `start` is from 0."""
        limit = (b"LIMIT", start, most)
        found = self.runner.read(b"ZRANGEBYSCORE", DUTIES, b"-inf", until, *limit)
        parts = (member.decode().split(":") for member in found)
        return [Duty(GameKey(tenant, game), int(time)) for tenant, game, time in parts]


@dataclass(frozen=True)
class WaitingDeals:
    """Seeds of certified deals that wait to be played, by variant and grade.

    Attributes:
        grading: the version of the grades; each version has its own lists.
    """

    runner: Runner
    grading: str

    def take(self, variant: str, grade: str) -> str | None:
        """Remove and return the seed that has waited longest; None if none waits."""
        seed = self.runner.write(b"LPOP", self._name(variant, grade))
        return None if seed is None else seed.decode()

    def put(self, variant: str, grade: str, seed: str) -> None:
        """Add a seed to the end of the list."""
        self.runner.write(b"RPUSH", self._name(variant, grade), seed)

    def count(self, variant: str, grade: str) -> int:
        """The number of seeds that wait."""
        count: int = self.runner.read(b"LLEN", self._name(variant, grade))
        return count

    def _name(self, variant: str, grade: str) -> bytes:
        return deals_name(self.grading, variant, grade)
