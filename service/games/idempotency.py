"""Requests that may be sent again: each is done once, and answered the same."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from service.store.errors import StoreUnavailableError
from service.store.protocol import Answered, InFlight, KeptAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.games.snapshot import GameSnapshot
    from service.store.protocol import Claim, GameStore, IdempotencyKey


class RequestInFlightError(Exception):
    """Another request with the same key is still running."""


class KeyReusedError(Exception):
    """A key that was used before, for another request."""


class IdempotentRequest(NamedTuple):
    """A request that has an idempotency key.

    Attributes:
        key: The key.
        fingerprint: A digest of all that makes it the same request.
        answer: Makes the answer to keep, from the game as it becomes.
    """

    key: IdempotencyKey
    fingerprint: bytes
    answer: Callable[[GameSnapshot], bytes]

    def kept(self, snapshot: GameSnapshot) -> KeptAnswer:
        """Make the answer to keep with a write."""
        return KeptAnswer(self.key, self.fingerprint, self.answer(snapshot))

    def check(self, answered: Answered) -> Answered:
        """Return the answer that this request got before.

        Raises:
            KeyReusedError: Another request got it.
        """
        if answered.fingerprint != self.fingerprint:
            raise KeyReusedError
        return answered


class Creations:
    """The requests that create games and may be sent again.

    They claim their key first, since there is no game yet that could hold the answer.

    Args:
        store: Where claims and answers are kept; it may raise
            ``StoreUnavailableError`` from every method.
    """

    def __init__(self, store: GameStore) -> None:
        self._store = store

    def claim(self, request: IdempotentRequest, game_id: str) -> Claim | Answered:
        """Claim a request, and note the id of the game that it is to create.

        Returns:
            The claim, or the answer that the request got before.

        Raises:
            RequestInFlightError: Another request with that key is still running.
            KeyReusedError: The key was used before, for another request.
        """
        match self._store.claim(request.key, request.fingerprint, game_id.encode()):
            case InFlight(fingerprint):
                if fingerprint != request.fingerprint:
                    raise KeyReusedError
                raise RequestInFlightError
            case Answered() as answered:
                return request.check(answered)
            case claim:
                return claim

    def settle(self, claim: Claim, answer: bytes) -> None:
        """Keep the answer of a claimed request, unless another has taken it over."""
        self._store.settle(claim, answer)

    def release(self, claim: Claim) -> None:
        """Give a claim up, so that the request can be sent again at once.

        If the store is unavailable, the claim lapses by itself.
        """
        with suppress(StoreUnavailableError):
            self._store.release(claim)
