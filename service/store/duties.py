"""Duties: what is still to be done for games that have ended.

A duty is noted before the game is written, in a list of its own, since on a cluster
the game lies elsewhere. It is deleted once it is done. If a process dies in between,
another one does it.
"""

from typing import NamedTuple

from service.store.connection import pack
from service.store.keyspace import DUTIES
from service.store.protocol import GameKey
from service.store.runner import Runner


class Duty(NamedTuple):
    """A game that ends, or is about to.

    Attributes:
        key: the game.
        noted_at: when it was noted, in milliseconds since 1970.
    """

    key: GameKey
    noted_at: int


class Duties:
    """The list of duties.

    Args:
        runner: runs commands on the servers.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def note(self, duty: Duty) -> None:
        """Note a duty."""
        self._runner.write(DUTIES, pack(b"ZADD", DUTIES, duty.noted_at, _member(duty)))

    def strike(self, duty: Duty) -> None:
        """Delete a duty."""
        self._runner.write(DUTIES, pack(b"ZREM", DUTIES, _member(duty)))

    def list(self, until: int, most: int, start: int = 0) -> list[Duty]:
        """Duties that were noted until a time, the oldest first, from a place on."""
        limit = (b"LIMIT", start, most)
        packed = pack(b"ZRANGEBYSCORE", DUTIES, b"-inf", until, *limit)
        return [_read(member) for member in self._runner.read(DUTIES, packed)]


def _member(duty: Duty) -> bytes:
    return f"{duty.key.tenant}:{duty.key.game_id}:{duty.noted_at}".encode()


def _read(member: bytes) -> Duty:
    tenant, game_id, noted_at = member.decode().split(":")
    return Duty(GameKey(tenant, game_id), int(noted_at))
