"""Requests that may be sent again: each is executed once, with one response."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from service.store.protocol import Answered, InFlight, KeptAnswer, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.store.protocol import Claim, GameStore, IdempotencyKey

Made = TypeVar("Made")


class RequestInFlightError(Exception):
    """Another request with the same key is still running."""


class KeyReusedError(Exception):
    """A key that was used before, for another request."""


class IdempotentRequest(NamedTuple, Generic[Made]):
    """A request that has an idempotency key.

    Attributes:
        key: The key.
        fingerprint: A digest of all that makes it the same request.
        answer: Makes the answer to keep, from what the request made.
    """

    key: IdempotencyKey
    fingerprint: bytes
    answer: Callable[[Made], bytes]

    def kept(self, made: Made) -> KeptAnswer:
        """Make the answer to keep with a write."""
        return KeptAnswer(self.key, self.fingerprint, self.answer(made))

    def check(self, answered: Answered) -> Answered:
        """Return the answer that this request got before.

        Raises:
            KeyReusedError: Another request got it.
        """
        if answered.fingerprint != self.fingerprint:
            raise KeyReusedError
        return answered


@dataclass(frozen=True, slots=True)
class Creations:
    """The requests that create something and may be sent again.

    They claim their key first, since there is nothing yet that could hold the answer.

    Attributes:
        store: Where claims and answers are kept; it may raise
            ``StoreUnavailableError`` from every method.
    """

    store: GameStore

    def claim(self, request: IdempotentRequest[Made], new_id: str) -> Claim | Answered:
        """Claim a request, and note the id of what it is to create.

        Returns:
            The claim, or the answer that the request got before.

        Raises:
            RequestInFlightError: Another request with that key is still running.
            KeyReusedError: The key was used before, for another request.
        """
        match self.store.claim(request.key, request.fingerprint, new_id.encode()):
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
        self.store.settle(claim, answer)

    def release(self, claim: Claim) -> None:
        """Release a claim, so that the request can be sent again at once.

        If the store is unavailable, the claim lapses by itself.
        """
        with suppress(StoreUnavailableError):
            self.store.release(claim)
