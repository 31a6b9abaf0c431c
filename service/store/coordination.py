"""What processes agree on between them: choices, leases, duties and waiting deals.

Every method raises `StoreUnavailableError` where the store cannot do its part.
"""

from dataclasses import dataclass
from typing import NamedTuple

from service.store.keyspace import DUTIES, choice_name, deals_name, lease_name
from service.store.protocol import GameKey
from service.store.runner import Runner, read_script

_CHOOSE = read_script("choose")
_LEASE_MS = 5000
"""The time after which a lease lapses unless it is extended."""


@dataclass(frozen=True)
class Choices:
    """Values by name, each chosen once for all processes."""

    runner: Runner

    def find(self, what: str) -> str | None:
        """What was chosen, or None."""
        chosen = self.runner.get(choice_name(what))
        return None if chosen is None else chosen.decode()

    def choose(self, what: str, value: str) -> str:
        """Choose a value, unless another one was chosen before; what is chosen."""
        chosen: bytes = self.runner.write_script(_CHOOSE, [choice_name(what)], [value])
        return chosen.decode()


@dataclass(frozen=True)
class Leases:
    """Which process works on something for a game, as long as it extends its lease."""

    runner: Runner

    def take(self, key: GameKey) -> bool:
        """Take a lease; false if another process holds it."""
        options = (b"NX", b"PX", _LEASE_MS)
        return self.runner.write(b"SET", lease_name(key), b"", *options) is not None

    def extend(self, key: GameKey) -> None:
        """Hold a lease for longer."""
        self.runner.write(b"SET", lease_name(key), b"", b"PX", _LEASE_MS)

    def end(self, key: GameKey) -> None:
        """Release a lease."""
        self.runner.write(b"DEL", lease_name(key))


class Duty(NamedTuple):
    """A game that ends, or is about to; noted at a time in milliseconds since 1970."""

    key: GameKey
    noted_at: int

    @property
    def member(self) -> str:
        """The duty in the list of duties."""
        return f"{self.key.tenant}:{self.key.game_id}:{self.noted_at}"


@dataclass(frozen=True)
class Duties:
    """What is still to be done for games that have ended.

    A duty is noted before the game is written, in a list of its own, since on a cluster
    the game lies elsewhere. It is deleted once it is done. If a process dies in
    between, another one does it.
    """

    runner: Runner

    def note(self, duty: Duty) -> None:
        """Note a duty."""
        self.runner.write(b"ZADD", DUTIES, duty.noted_at, duty.member)

    def delete(self, duty: Duty) -> None:
        """Delete a duty."""
        self.runner.write(b"ZREM", DUTIES, duty.member)

    def list(self, until: int, most: int, start: int = 0) -> list[Duty]:
        """Duties that were noted until a time, the oldest first, from a place on."""
        limit = (b"LIMIT", start, most)
        found = self.runner.read(b"ZRANGEBYSCORE", DUTIES, b"-inf", until, *limit)
        parts = (member.decode().split(":") for member in found)
        return [Duty(GameKey(tenant, game), int(time)) for tenant, game, time in parts]


@dataclass(frozen=True)
class WaitingDeals:
    """Seeds of certified deals that wait to be played, by variant and grade.

    Attributes:
        runner: Runs the commands.
        grading: The version of the grades; deals of another version wait apart.
    """

    runner: Runner
    grading: str

    def take(self, variant: str, grade: str) -> str | None:
        """Take the seed that has waited longest; None where none waits."""
        seed = self.runner.write(b"LPOP", self._name(variant, grade))
        return None if seed is None else seed.decode()

    def put(self, variant: str, grade: str, seed: str) -> None:
        """Add a seed."""
        self.runner.write(b"RPUSH", self._name(variant, grade), seed)

    def count(self, variant: str, grade: str) -> int:
        """How many seeds wait."""
        count: int = self.runner.read(b"LLEN", self._name(variant, grade))
        return count

    def _name(self, variant: str, grade: str) -> bytes:
        return deals_name(self.grading, variant, grade)
