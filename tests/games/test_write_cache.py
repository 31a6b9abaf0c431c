"""The write cache returns the last state of a game, or nothing."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.games.write_cache import WriteCache
from service.store.protocol import GameKey, Stored

GAME, OTHER = GameKey("", "a game"), GameKey("ann", "a game")
HEAD = 26
"""Bytes of a slot before the payload."""
PAYLOADS = st.binary(min_size=1, max_size=600)


@given(st.lists(st.tuples(st.integers(1, 2**32 - 1), PAYLOADS), min_size=1))
def test_the_last_state_is_remembered(states: list[tuple[int, bytes]]) -> None:
    cache = WriteCache()
    assert cache.get(GAME) is None
    for version, payload in states:
        cache.put(GAME, version, payload)
        cache.put(OTHER, 1, b"another")
        assert cache.get(GAME) == Stored(version, payload)
        assert cache.get(OTHER) == Stored(1, b"another")


def test_games_that_share_a_slot_are_not_confused() -> None:
    cache = WriteCache(slots=1)
    cache.put(GAME, 1, b"one")
    cache.put(OTHER, 2, b"two")
    assert cache.get(GAME) is None
    assert cache.get(OTHER) == Stored(2, b"two")


@pytest.mark.parametrize(("size", "fits"), [(998, True), (999, False), (5000, False)])
def test_a_state_that_is_too_large_is_not_remembered_nor_the_one_before(
    size: int, *, fits: bool
) -> None:
    cache = WriteCache(slots=1)
    cache.put(GAME, 1, b"small")
    cache.put(GAME, 2, b"x" * size)
    assert cache.get(GAME) == (Stored(2, b"x" * size) if fits else None)


@given(PAYLOADS, st.data())
def test_a_slot_that_was_half_written_is_empty(
    payload: bytes, data: st.DataObject
) -> None:
    cache = WriteCache(slots=1)
    cache.put(GAME, 7, payload)
    at = data.draw(st.integers(0, HEAD + len(payload) - 1))
    cache.memory[at] ^= data.draw(st.integers(1, 255))
    assert cache.get(GAME) is None


def test_the_cache_is_shared_with_forked_processes() -> None:
    cache = WriteCache()
    child = os.fork()
    if not child:
        cache.put(GAME, 3, b"by the child")
        os._exit(0)
    os.waitpid(child, 0)
    assert cache.get(GAME) == Stored(3, b"by the child")
