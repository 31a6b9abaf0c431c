"""Changing a stored game by something else than play: its version stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.games.codec import decode, encode
from service.store.protocol import Stale

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.games.session import Session
    from service.store.protocol import GameKey, GameStore


def rewrite(games: GameStore, key: GameKey, edit: Callable[[Session], Session]) -> None:
    """Change a game, if there is one, as often as other writers are faster."""
    while (stored := games.load(key)) is not None:
        session = decode(stored.payload, stored.revision)
        edited = edit(session)
        if edited == session:
            return
        written = games.replace(key, stored.revision, encode(edited), stored.payload)
        if not isinstance(written, Stale):
            return
