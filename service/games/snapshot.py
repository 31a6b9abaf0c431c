"""A game as read from the store, and the errors of a change."""

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
    """The game never existed, was deleted or has expired."""


class VersionMismatchError(Exception):
    """A change that expects another version than the current one.

    Attributes:
        snapshot: The current state of the game.
    """

    def __init__(self, snapshot: GameSnapshot) -> None:
        super().__init__(f"the game is at version {snapshot.version}")
        self.snapshot = snapshot


class ChangeRefusedError(Exception):
    """A change that the rules or the game's options refuse; nothing changed.

    Attributes:
        version: The version of the game for which the change was refused.
        refusal: The reason.
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
        game_id: The secret id that the player uses; None for a spectator.
        watch_id: The public id, which allows only watching.
        revision: 1 at first, incremented by every write, including hints.
    """

    game_id: str | None
    watch_id: str
    revision: int
    session: Session

    @property
    def version(self) -> int:
        """1 at first, incremented by every change of play."""
        return self.session.version


Versions: TypeAlias = Collection[int]


def read_snapshot(stored: Stored, game_id: str | None, watch_id: str) -> GameSnapshot:
    """Decode a stored game.

    Raises:
        StoredFormError: The bytes are damaged or not in a known form.
        NewerFormError: A newer release of the service wrote it.
    """
    session = decode(stored.payload, stored.revision)
    return GameSnapshot(game_id, watch_id, stored.revision, session)


def edit_session(
    games: GameStore, key: GameKey, edit: Callable[[Session], Session]
) -> None:
    """Change a game, if it exists, without changing its version.

    Retries for as long as other writers are faster.
    """
    while (stored := games.load(key)) is not None:
        session = decode(stored.payload, stored.revision)
        edited = edit(session)
        if edited == session:
            return
        written = games.replace(key, stored.revision, encode(edited), stored.payload)
        if not isinstance(written, Stale):
            return
