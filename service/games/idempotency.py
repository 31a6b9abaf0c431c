"""Idempotent requests: a request that is sent again is executed only once."""

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
    """The key was used before, for another request."""


class IdempotentRequest(NamedTuple, Generic[Made]):
    """A request that has an idempotency key.

    Attributes:
        fingerprint: A digest of everything that must match in a repeated request.
        answer: Makes the answer to keep from the result of the request.
    """

    key: IdempotencyKey
    fingerprint: bytes
    answer: Callable[[Made], bytes]

    def kept(self, made: Made) -> KeptAnswer:
        """Return the answer to keep, for a result of the request."""
        return KeptAnswer(self.key, self.fingerprint, self.answer(made))

    def check(self, answered: Answered) -> Answered:
        """Check that a kept answer belongs to this request, and return it.

        Raises:
            KeyReusedError: It belongs to another request.
        """
        if answered.fingerprint != self.fingerprint:
            raise KeyReusedError
        return answered


@dataclass(frozen=True, slots=True)
class Creations:
    """Idempotent requests that create something.

    A request claims its key first, since there is no stored game yet that could hold
    the answer.

    Attributes:
        store: The store of claims and answers; all its methods may raise
            ``StoreUnavailableError``.
    """

    store: GameStore

    def claim(self, request: IdempotentRequest[Made], new_id: str) -> Claim | Answered:
        """Claim the key of a request, and note the id of what it will create.

        Returns:
            The claim, or the answer kept from an earlier execution.

        Raises:
            RequestInFlightError: Another request with the same key is still running.
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
        """Keep the answer of a claimed request, unless its claim was taken over."""
        self.store.settle(claim, answer)

    def release(self, claim: Claim) -> None:
        """Release a claim, so that the request can be sent again at once.

        If the store is unavailable, the claim expires after some seconds.
        """
        with suppress(StoreUnavailableError):
            self.store.release(claim)
