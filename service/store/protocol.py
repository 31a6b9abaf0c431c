"""What the service asks of a store, in values that know nothing of Redis.

A stored game is opaque bytes under a version that starts at 1 and grows by 1 with
each write. Every write is one atomic step, so two writers that read the same version
never both win.
"""

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol


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


class Stored(NamedTuple):
    """A stored game and the version it was read at."""

    version: int
    payload: bytes


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
class Answered:
    """The request was answered before; here is the answer."""

    answer: bytes


@dataclass(frozen=True, slots=True)
class InFlight:
    """Another request with this key is still running."""


@dataclass(frozen=True, slots=True)
class Reused:
    """The key was used before, for another request."""


@dataclass(frozen=True, slots=True)
class Done:
    """The write was applied; the game now has this version."""

    version: int


@dataclass(frozen=True, slots=True)
class Stale:
    """The game is another than expected; nothing was written.

    Attributes:
        version: the version it has.
        payload: what it is, where the store tells at once; else empty.
    """

    version: int
    payload: bytes = field(default=b"", compare=False)


@dataclass(frozen=True, slots=True)
class Gone:
    """There is no such game: never made, deleted or expired; nothing was written."""


@dataclass(frozen=True, slots=True)
class ClaimLost:
    """The claim lapsed and was taken over; nothing was written."""


IN_FLIGHT = InFlight()
REUSED = Reused()
GONE = Gone()
CLAIM_LOST = ClaimLost()


class GameStore(Protocol):
    """A store of games and of the answers that a client may ask for again.

    Every method raises `StoreUnavailableError` where the store cannot do its part.
    """

    def create(self, key: GameKey, payload: bytes) -> bool:
        """Store a new game at version 1; false, and nothing written, if it exists."""

    def load(self, key: GameKey) -> Stored | None:
        """The game as it is now, or None."""

    def replace(
        self, key: GameKey, expected: int, payload: bytes, known: bytes = b""
    ) -> Done | Stale | Gone:
        """Write the game if it still has the expected version; its life starts anew.

        With `known`, the payload of that version as the writer knows it, it must also
        be just that: a store that has lost writes may have a version twice.
        """

    def replace_and_settle(  # noqa: PLR0913 - a write, and a claim with its answer
        self,
        key: GameKey,
        expected: int,
        payload: bytes,
        claim: Claim,
        answer: bytes,
        *,
        known: bytes = b"",
    ) -> Done | Stale | Gone | ClaimLost:
        """`replace` and `settle` in one step: both are applied or neither."""

    def delete(self, key: GameKey, expected: int | None = None) -> Done | Stale | Gone:
        """Delete the game, if it has the expected version where one is given."""

    def claim(
        self, key: IdempotencyKey, request: bytes, note: bytes = b""
    ) -> Claim | Answered | InFlight | Reused:
        """Claim a request: of those sent at once with one key, one gets the claim.

        `request` is whatever must be the same for it to be the same request: method,
        path and body. A claim that lapsed is taken over, with its note.
        """

    def settle(self, claim: Claim, answer: bytes) -> bool:
        """Keep the claimed request's answer; false if the claim was lost."""

    def release(self, claim: Claim) -> None:
        """Give the claim up: the request may be sent again as if never sent."""

    def ping(self) -> None:
        """Prove that the store takes writes."""
