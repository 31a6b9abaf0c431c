"""A client that asks until it is answered, and lets no answer pass unseen."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from loadtests.wire import Address, Answer, Connection, ProtocolError

if TYPE_CHECKING:
    from random import Random

    from loadtests.tally import Tally

OK, CREATED, NO_CONTENT, NOT_MODIFIED = 200, 201, 204, 304
NOT_FOUND, CONFLICT, PRECONDITION_FAILED = 404, 409, 412
_SERVER_ERRORS, _UNAVAILABLE = 500, 503
_IN_FLIGHT = "/problems/idempotency-in-flight"

_ANSWER_SECONDS = 30.0
"""Far more than an answer takes: who hangs up early leaves a request behind."""
_PAUSE_SECONDS = (0.02, 0.4)


class NeverAnsweredError(Exception):
    """A request that was not answered however often it was sent."""


class Stubborn:
    """A client that asks until it is answered.

    Args:
        address: where the service listens.
        tally: where its answers are counted.
        dice: its own chance.
        patience: how many seconds an unavailability may last.
    """

    def __init__(
        self,
        address: Address,
        tally: Tally,
        dice: Random,
        patience: float,
    ) -> None:
        self._patience = patience
        self._address = address
        self._tally = tally
        self._dice = dice

    def try_once(self, data: bytes) -> Answer | None:
        """Send a request once.

        Returns:
            The answer; None where the service is away, or still busy with the request.
        """
        begun = time.monotonic()
        with Connection(self._address, _ANSWER_SECONDS) as connection:
            try:
                answer = connection.send(data)
            except (OSError, ProtocolError):
                self._tally.answer("none")
                return None
        self._tally.answer(str(answer.status))
        if answer.status >= _SERVER_ERRORS and answer.status != _UNAVAILABLE:
            self._tally.fault(f"{_first_line(data)}: {answer.status} {answer.body!r}")
        if answer.status == _UNAVAILABLE:
            self._tally.refusal(time.monotonic() - begun)
        if answer.status == _UNAVAILABLE or problem_of(answer) == _IN_FLIGHT:
            if not answer.fields.get("retry-after", "").isdigit():
                self._tally.fault(f"{_first_line(data)}: no Retry-After")
            return None
        return answer

    def ask(self, data: bytes) -> Answer:
        """Send a request until it is answered; it must do no harm when sent twice.

        Raises:
            NeverAnsweredError: It is not answered.
        """
        begun = time.monotonic()
        while (answer := self.try_once(data)) is None:
            self.pause(begun, data)
            self._tally.event("requests sent again")
        return answer

    def pause(self, begun: float, data: bytes) -> None:
        """Wait a little before a request that was first sent at `begun` is sent again.

        Raises:
            NeverAnsweredError: It has been tried for too long.
        """
        if time.monotonic() - begun > self._patience:
            raise NeverAnsweredError(_first_line(data))
        time.sleep(self._dice.uniform(*_PAUSE_SECONDS))


def problem_of(answer: Answer) -> str:
    """The type of the problem that an answer tells of; empty if it tells of none."""
    if answer.fields.get("content-type") != "application/problem+json":
        return ""
    kind: str = answer.json()["type"]
    return kind


def _first_line(data: bytes) -> str:
    return data.partition(b"\r\n")[0].decode()
