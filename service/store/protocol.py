"""What the service requires of a store, in values independent of Redis.

A stored game is opaque bytes under a revision that starts at 1 and grows by 1 with
each write. Every write is one atomic step, so two writers that read the same revision
never both win.
"""

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol


class StoreUnavailableError(Exception):
    """The store is unavailable, fails or refuses; nothing was applied in part.

    A write that fails this way was applied completely or not at all. The message says
    why, for the log, and holds no stored value.
    """


class GameKey(NamedTuple):
    """Which game: one tenant's game id.

    Attributes:
        tenant: the API key's tenant; empty where no keys are configured.
        game_id: the game's id; both hold letters, digits, `-` and `_` only.
    """

    tenant: str
    game_id: str


class IdempotencyKey(NamedTuple):
    """Which request a client may send again.

    Attributes:
        tenant: as in `GameKey`.
        game_id: the game that the request writes; empty for one that makes a game.
        text: the client's `Idempotency-Key`.
    """

    tenant: str
    game_id: str
    text: str


class PlayerKey(NamedTuple):
    """A player.

    Attributes:
        player: the name, normalised.
        digest: a digest of the key that came with the name; empty without one.
    """

    tenant: str
    player: str
    digest: bytes = b""


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer that a request with an idempotency key got before.

    Attributes:
        fingerprint: the digest of that request.
    """

    fingerprint: bytes
    answer: bytes


class KeptAnswer(NamedTuple):
    """An answer to keep for a request that may be sent again.

    Attributes:
        key: the request's key; of the game that is written.
        fingerprint: the digest of the request, 16 bytes.
    """

    key: IdempotencyKey
    fingerprint: bytes
    answer: bytes


class Stored(NamedTuple):
    """A stored game, its revision, and the answer that is kept for a request."""

    revision: int
    payload: bytes
    answered: Answered | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to answer one request, held from `claim` until `settle` or `release`.

    It lapses some seconds after it was given: another request with the same key may
    then take it over, and what this one still tries under it is refused.

    Attributes:
        key: the request.
        fingerprint: a digest of the request.
        token: tells this claim from an earlier or a later one of the same key.
        note: what the first claim of this key noted (the id of the game to make), so
            that a request that takes over a lapsed claim carries on with the same.
    """

    key: IdempotencyKey
    fingerprint: bytes
    token: bytes
    note: bytes


@dataclass(frozen=True, slots=True)
class InFlight:
    """A request with this key is still running.

    Attributes:
        fingerprint: the digest of that request.
    """

    fingerprint: bytes


@dataclass(frozen=True, slots=True)
class Done:
    """The write was applied; the game now has this revision."""

    revision: int


@dataclass(frozen=True, slots=True)
class Stale:
    """The game is another than expected; nothing was written.

    Attributes:
        revision: the revision it has.
        payload: what it is, where the store tells at once; else empty.
    """

    revision: int
    payload: bytes = field(default=b"", compare=False)


@dataclass(frozen=True, slots=True)
class Gone:
    """There is no such game: never made, deleted or expired; nothing was written."""


GONE = Gone()


class GameStore(Protocol):
    """A store of games and of the answers that a client may ask for again.

    Every method raises `StoreUnavailableError` where the store cannot do its part.
    """

    def create(self, key: GameKey, payload: bytes) -> bool:
        """Store a new game at revision 1; false, and nothing written, if it exists."""

    def load(
        self, key: GameKey, request: IdempotencyKey | None = None
    ) -> Stored | None:
        """The game as it is now, or None; with the answer kept for a request."""

    def replace(
        self,
        key: GameKey,
        expected: int,
        payload: bytes,
        known: bytes = b"",
        answer: KeptAnswer | None = None,
    ) -> Done | Stale | Gone | Answered:
        """Write the game if it still has the expected revision; its life starts anew.

        With `known`, the payload of that revision as the writer knows it, it must also
        be just that: a store that has lost writes may have a revision twice.

        With `answer`, the answer is kept in the same step; where one is kept already
        for its key, nothing is written and that one is returned.
        """

    def keep(self, answer: KeptAnswer) -> Answered | None:
        """Keep an answer without a write; the one that is kept already, or None."""

    def delete(self, key: GameKey, expected: int | None = None) -> Done | Stale | Gone:
        """Delete the game, if it has the expected revision where one is given."""

    def claim(
        self, key: IdempotencyKey, fingerprint: bytes, note: bytes = b""
    ) -> Claim | Answered | InFlight:
        """Claim a request: of those sent at once with one key, one gets the claim.

        `fingerprint` is a digest of whatever must be the same for it to be the same
        request, 16 bytes. A claim that lapsed is taken over by the same request, with
        its note.
        """

    def settle(self, claim: Claim, answer: bytes) -> bool:
        """Keep the claimed request's answer; false if the claim was lost."""

    def release(self, claim: Claim) -> None:
        """Release the claim: the request may be sent again as if never sent."""

    def ping(self) -> None:
        """Prove that the store takes writes."""
