"""The games that the processes of this machine wrote last.

An entry may be out of date, since another machine may have written the game later. A
change that is based on an entry must let the store compare it with the stored game.
"""

from __future__ import annotations

import mmap
import zlib
from functools import lru_cache
from hashlib import blake2b
from struct import Struct
from typing import TYPE_CHECKING, Final

from service.store.keyspace import game_name
from service.store.protocol import Stored

if TYPE_CHECKING:
    from service.store.protocol import GameKey

_SLOTS: Final = 16384
"""The system allocates memory on the first write, so few games need little memory."""
_SLOT_SIZE: Final = 1024
_DIGEST_SIZE: Final = 16
_HEAD: Final = Struct(f">{_DIGEST_SIZE}sIHI")
"""The game's digest, its revision, the payload's size in bytes, and a checksum."""
_MAX_PAYLOAD: Final = _SLOT_SIZE - _HEAD.size


class WriteCache:
    """A cache in memory that this process shares with the processes forked from it.

    Each game maps to one slot, and a slot keeps the game last written to it. There are
    no locks: if two processes write a slot at once, its checksum is wrong, and the slot
    counts as empty.

    Args:
        slots: The number of slots.
    """

    def __init__(self, slots: int = _SLOTS) -> None:
        self._count = slots
        self.memory = mmap.mmap(-1, slots * _SLOT_SIZE)

    def get(self, key: GameKey) -> Stored | None:
        """Return a game as last written on this machine; None if it is not cached."""
        digest = _digest(key)
        at = self._offset(digest)
        found, revision, size, checksum = _HEAD.unpack_from(self.memory, at)
        if found != digest:
            return None
        start = at + _HEAD.size
        payload = self.memory[start : start + size]
        if not payload or checksum != _checksum(digest, revision, payload):
            return None
        return Stored(revision, payload)

    def put(self, key: GameKey, revision: int, payload: bytes) -> None:
        """Store a game; one that is too large only empties its slot."""
        digest = _digest(key)
        at = self._offset(digest)
        if len(payload) > _MAX_PAYLOAD:
            payload = b""
        checksum = _checksum(digest, revision, payload)
        head = _HEAD.pack(digest, revision, len(payload), checksum)
        self.memory[at : at + _HEAD.size + len(payload)] = head + payload

    def _offset(self, digest: bytes) -> int:
        return int.from_bytes(digest[:4]) % self._count * _SLOT_SIZE


@lru_cache(maxsize=4096)
def _digest(key: GameKey) -> bytes:
    return blake2b(game_name(key), digest_size=_DIGEST_SIZE).digest()


def _checksum(digest: bytes, revision: int, payload: bytes) -> int:
    return zlib.crc32(payload, zlib.crc32(digest, revision))
