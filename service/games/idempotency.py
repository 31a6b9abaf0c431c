"""Requests that may be sent again: each is done once, and answered the same."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from service.store.errors import StoreUnavailableError
from service.store.protocol import Answered, InFlight, Reused

if TYPE_CHECKING:
    from service.store.protocol import Claim, GameStore, IdempotencyKey


class RequestInFlightError(Exception):
    """Another request with the same key is still running."""


class KeyReusedError(Exception):
    """A key that was used before, for another request."""


class Retries:
    """The requests of all tenants that may be sent again.

    Args:
        store: Where claims and answers are kept; it may raise
            ``StoreUnavailableError`` from every method.
    """

    def __init__(self, store: GameStore) -> None:
        self._store = store

    def claim(self, key: IdempotencyKey, request: bytes, note: str) -> Claim | bytes:
        """Claim a request.

        Args:
            key: The request's key.
            request: What must be the same for it to be the same request.
            note: The id of the game that it would make.

        Returns:
            The claim, or the answer that the request got before.

        Raises:
            RequestInFlightError: Another request with that key is still running.
            KeyReusedError: The key was used before, for another request.
        """
        match self._store.claim(key, request, note.encode()):
            case Answered(answer):
                return answer
            case InFlight():
                raise RequestInFlightError
            case Reused():
                raise KeyReusedError
            case claim:
                return claim

    def settle(self, claim: Claim, answer: bytes) -> None:
        """Keep the answer of a claimed request, unless another has taken it over."""
        self._store.settle(claim, answer)

    def release(self, claim: Claim) -> None:
        """Give a claim up, so that the request can be sent again at once.

        A store that is away lets it lapse by itself.
        """
        with suppress(StoreUnavailableError):
            self._store.release(claim)
