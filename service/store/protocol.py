"""The interface that the service requires of a store, independent of Redis.

A stored game is opaque bytes under a revision that starts at 1 and grows by 1 with
each write. Every write is one atomic step, so of two writers that read the same
revision at most one succeeds.
"""

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol


class StoreUnavailableError(Exception):
    """The store is unavailable, fails or refuses a request.

    A write that fails this way was applied completely or not at all. The message gives
    the reason, for the log, and contains no stored value.
    """


class GameKey(NamedTuple):
    """Identifies a game.

    Both attributes contain only letters, digits, `-` and `_`.

    Attributes:
        tenant: the API key's tenant; empty if no keys are configured.
    """

    tenant: str
    game_id: str


class IdempotencyKey(NamedTuple):
    """Identifies a request that a client may send again.

    Attributes:
        tenant: as in `GameKey`.
        game_id: the game that the request writes; empty if it creates a game.
        text: the client's `Idempotency-Key`.
    """

    tenant: str
    game_id: str
    text: str


class PlayerKey(NamedTuple):
    """Identifies a player.

    Attributes:
        tenant: as in `GameKey`.
        player: the normalised name.
        digest: a digest of the key that was sent with the name; empty without one.
    """

    tenant: str
    player: str
    digest: bytes = b""


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to an earlier request with the same idempotency key.

    Attributes:
        fingerprint: the digest of the earlier request.
    """

    fingerprint: bytes
    answer: bytes


class KeptAnswer(NamedTuple):
    """An answer to keep for a request that may be sent again.

    Attributes:
        key: the request's key, with the id of the game that the request writes.
        fingerprint: the digest of the request, 16 bytes.
    """

    key: IdempotencyKey
    fingerprint: bytes
    answer: bytes


class Stored(NamedTuple):
    """A stored game, and the answer kept for a request if one was asked for."""

    revision: int
    payload: bytes
    answered: Answered | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to answer one request, held from `claim` until `settle` or `release`.

    It lapses after some seconds: the same request, sent again, may then take it over,
    after which the earlier holder can no longer settle or release it.

    Attributes:
        key: the request's key.
        fingerprint: the digest of the request, 16 bytes.
        token: distinguishes this claim from earlier and later ones with the same key.
        note: the note of the first claim with this key (the id of the game to create),
            so that a request that takes over a lapsed claim creates the same game.
    """

    key: IdempotencyKey
    fingerprint: bytes
    token: bytes
    note: bytes


@dataclass(frozen=True, slots=True)
class InFlight:
    """Another request with this key is still running.

    Attributes:
        fingerprint: the digest of the running request.
    """

    fingerprint: bytes


@dataclass(frozen=True, slots=True)
class Done:
    """The write was applied; `revision` is the new revision, or the deleted one."""

    revision: int


@dataclass(frozen=True, slots=True)
class Stale:
    """The game is not as expected; nothing was written.

    Attributes:
        revision: the game's current revision.
        payload: its current payload, after `replace`; empty after `delete`.
    """

    revision: int
    payload: bytes = field(default=b"", compare=False)


@dataclass(frozen=True, slots=True)
class Gone:
    """The game never existed, was deleted or has expired; nothing was written."""


GONE = Gone()


class GameStore(Protocol):
    """A store of games, and of the answers to requests that may be sent again.

    Every method raises `StoreUnavailableError` if the store is unavailable or refuses.
    """

    def create(self, key: GameKey, payload: bytes) -> bool:
        """Store a new game at revision 1; if it exists, write nothing, return false."""

    def load(
        self, key: GameKey, request: IdempotencyKey | None = None
    ) -> Stored | None:
        """The current game, with the answer kept for `request`; None without a game."""

    def replace(
        self,
        key: GameKey,
        expected: int,
        payload: bytes,
        known: bytes = b"",
        answer: KeptAnswer | None = None,
    ) -> Done | Stale | Gone | Answered:
        """Write the game if it has the expected revision, and restart its lifetime.

        If `known` is given, the stored payload must also equal it: a store that has
        lost writes may use the same revision for two different payloads.

        If `answer` is given, it is kept in the same step. If one is already kept for
        its key, nothing is written and the kept answer is returned.
        """

    def keep(self, answer: KeptAnswer) -> Answered | None:
        """Keep an answer, without a write, unless one is kept; return that or None."""

    def delete(self, key: GameKey, expected: int | None = None) -> Done | Stale | Gone:
        """Delete the game; if `expected` is given, only if it has that revision."""

    def claim(
        self, key: IdempotencyKey, fingerprint: bytes, note: bytes = b""
    ) -> Claim | Answered | InFlight:
        """Claim a request; of concurrent requests with one key, only one gets a claim.

        `fingerprint` is a digest, 16 bytes, of everything that makes two requests the
        same. A lapsed claim can be taken over only with the same fingerprint, and keeps
        its note.
        """

    def settle(self, claim: Claim, answer: bytes) -> bool:
        """Keep the answer to the claimed request; false if the claim was lost."""

    def release(self, claim: Claim) -> None:
        """Release the claim, as if the request had never been sent."""

    def ping(self) -> None:
        """Check that the store accepts writes."""
