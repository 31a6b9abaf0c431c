"""A game as it is in the store, and why a change of it can fail."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from service.games.codec import decode, encode
from service.store.protocol import Stale

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.engine.errors import RefusedError
    from service.games.session import Session
    from service.store.protocol import GameKey, GameStore, Stored


class GameNotFoundError(Exception):
    """A game that never existed, was deleted or has expired."""


class VersionMismatchError(Exception):
    """A change of a version that is not the current one any more.

    Attributes:
        snapshot: The game as it is.
    """

    def __init__(self, snapshot: GameSnapshot) -> None:
        super().__init__(f"the game is at version {snapshot.version}")
        self.snapshot = snapshot


class ChangeRefusedError(Exception):
    """A change that the rules or the game's options refuse; nothing changed.

    Attributes:
        version: The version of the game that it was refused for.
        refusal: Why.
    """

    def __init__(self, version: int, refusal: RefusedError) -> None:
        super().__init__(f"at version {version}: {refusal}")
        self.version = version
        self.refusal = refusal


class GameBusyError(Exception):
    """A change that conflicted with another write at every attempt; nothing changed."""


class GameSnapshot(NamedTuple):
    """A game in the store.

    Attributes:
        game_id: The player's secret; None for one who watches.
        watch_id: What others may know the game by.
        revision: 1 at first, one more with every write, hints included.
        session: The game.
    """

    game_id: str | None
    watch_id: str
    revision: int
    session: Session

    @property
    def version(self) -> int:
        """1 at first, one more with every change of play."""
        return self.session.version


Versions: TypeAlias = Collection[int]


def read_snapshot(stored: Stored, game_id: str | None, watch_id: str) -> GameSnapshot:
    """Read the stored form of a game.

    Raises:
        StoredFormError: It is in no known form, or damaged.
        NewerFormError: A newer release of the service wrote it.
    """
    session = decode(stored.payload, stored.revision)
    return GameSnapshot(game_id, watch_id, stored.revision, session)


def rewrite(games: GameStore, key: GameKey, edit: Callable[[Session], Session]) -> None:
    """Change a game, if there is one, by something else than play: its version stays.

    It is tried as often as other writers are faster.
    """
    while (stored := games.load(key)) is not None:
        session = decode(stored.payload, stored.revision)
        edited = edit(session)
        if edited == session:
            return
        written = games.replace(key, stored.revision, encode(edited), stored.payload)
        if not isinstance(written, Stale):
            return
