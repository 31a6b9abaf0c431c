"""The source ``accordion/1``: SHA-256 in counter mode and an unbiased shuffle."""

from __future__ import annotations

import base64
import hashlib
import struct
from itertools import count
from typing import TYPE_CHECKING, Final

from service.engine.deals.source import Draws, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_WORDS: Final = struct.Struct(">8I")
_WORD_VALUES: Final = 1 << 32
_SEED_BYTES: Final = 16


def _draws(seed: str) -> Draws:
    """Start the draws of a seed, which may be any text."""
    words = _words(seed)

    def below(bound: int) -> int:
        """Draw a number from 0 to ``bound - 1``, each with the same probability."""
        limit = _WORD_VALUES - _WORD_VALUES % bound
        while (word := next(words)) >= limit:
            pass
        return word % bound

    return Draws(below)


def _words(seed: str) -> Iterator[int]:
    """Yield 32-bit words without end."""
    prefix = hashlib.sha256(b"accordion/1\0" + seed.encode() + b"\0")
    for i in count():
        block = prefix.copy()
        block.update(str(i).encode("ascii"))
        yield from _WORDS.unpack(block.digest())


def _random_seed(bits: Callable[[int], int]) -> str:
    number = bits(8 * _SEED_BYTES).to_bytes(_SEED_BYTES)
    return base64.urlsafe_b64encode(number).decode().rstrip("=")


SOURCE: Final = Source("accordion/1", 1, _draws, _random_seed)
