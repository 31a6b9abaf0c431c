"""The games that the processes of this machine wrote last.

Worth a guess at what a game is now, and no more than that: another machine may have
written since. Who begins a change with a guess has the store compare it.
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
"""As memory is taken when it is first written to, few games take little."""
_SLOT_SIZE: Final = 1024
_DIGEST_SIZE: Final = 16
_HEAD: Final = Struct(f">{_DIGEST_SIZE}sIHI")
"""The game's digest, its revision, the size of its payload, and a checksum of all."""
_LARGEST: Final = _SLOT_SIZE - _HEAD.size


class WriteCache:
    """Memory that this process shares with those that are forked from it.

    Every game has one slot, and a slot keeps the last game written to it. Nobody waits
    for anybody: a slot that two write at once is told by its checksum, and is empty.

    Args:
        slots: How many there are.

    Attributes:
        memory: The slots.
    """

    def __init__(self, slots: int = _SLOTS) -> None:
        self._count = slots
        self.memory = mmap.mmap(-1, slots * _SLOT_SIZE)

    def get(self, key: GameKey) -> Stored | None:
        """Guess what a game is."""
        digest = _digest(key)
        at = self._place(digest)
        found, revision, size, checksum = _HEAD.unpack_from(self.memory, at)
        if found != digest:
            return None
        start = at + _HEAD.size
        payload = self.memory[start : start + size]
        if not payload or checksum != _checksum(digest, revision, payload):
            return None
        return Stored(revision, payload)

    def put(self, key: GameKey, revision: int, payload: bytes) -> None:
        """Remember what a game has become; one that is too large is forgotten."""
        digest = _digest(key)
        at = self._place(digest)
        if len(payload) > _LARGEST:
            payload = b""
        checksum = _checksum(digest, revision, payload)
        head = _HEAD.pack(digest, revision, len(payload), checksum)
        self.memory[at : at + _HEAD.size + len(payload)] = head + payload

    def _place(self, digest: bytes) -> int:
        return int.from_bytes(digest[:4]) % self._count * _SLOT_SIZE


@lru_cache(maxsize=4096)
def _digest(key: GameKey) -> bytes:
    return blake2b(game_name(key), digest_size=_DIGEST_SIZE).digest()


def _checksum(digest: bytes, revision: int, payload: bytes) -> int:
    return zlib.crc32(payload, zlib.crc32(digest, revision))
