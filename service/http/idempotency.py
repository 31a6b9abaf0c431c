"""Answers to requests that may be sent again (``Idempotency-Key``)."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import orjson
from flask import Response, request

from service.games.service import Receipt, new_game_id, watch_id_of
from service.http.errors.exceptions import InputFault, InvalidInputError
from service.http.errors.mapping import fault_of
from service.http.reply import problem_answer
from service.store.errors import StoreUnavailableError
from service.store.protocol import IdempotencyKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.games.idempotency import Retries
    from service.games.service import GameSnapshot
    from service.store.protocol import Claim

FIELD: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotent-Replayed"

_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")
_KEPT_PROBLEMS: Final = frozenset({409, 412})
"""Statuses of refusals that are answers like any other: they are kept too."""


@dataclass(frozen=True, slots=True)
class Once:
    """What does each request once, however often it is sent.

    Attributes:
        retries: The requests that were sent before.
        render: Makes the answer of the game that a request has written.
    """

    retries: Retries
    render: Callable[[GameSnapshot], Response]

    def answer(
        self,
        tenant: str,
        game_id: str | None,
        write: Callable[[Receipt | None], GameSnapshot],
    ) -> Response:
        """Answer the current request.

        Args:
            tenant: Whose request it is.
            game_id: The game that it changes, or None where it makes one.
            write: Does what it asks, and leaves the receipt.

        Raises:
            InvalidInputError: Its key is no key.
            RequestInFlightError: Another request with that key is still running.
            KeyReusedError: The key was used before, for another request.
        """
        text = request.headers.get(FIELD)
        if text is None:
            return self.render(write(None))
        key = IdempotencyKey(
            tenant, "" if game_id is None else watch_id_of(game_id), _check(text)
        )
        claim = self.retries.claim(key, _sent(), new_game_id())
        if isinstance(claim, bytes):
            return unpack(claim)
        return self._answer_claimed(claim, game_id, write)

    def _answer_claimed(
        self,
        claim: Claim,
        game_id: str | None,
        write: Callable[[Receipt | None], GameSnapshot],
    ) -> Response:
        answers: list[Response] = []

        def render(kept: GameSnapshot) -> bytes:
            answers.append(self.render(kept))
            return pack(answers[-1])

        try:
            kept = write(Receipt(claim, render))
            if game_id is None:
                self.retries.settle(claim, render(kept))
        except Exception as error:
            self._refuse(claim, error)
            raise
        return answers[-1]

    def _refuse(self, claim: Claim, error: Exception) -> None:
        if isinstance(error, StoreUnavailableError):
            # It may be done all the same: let the claim lapse, with what it notes.
            return
        fault = fault_of(error)
        if fault.problem.status in _KEPT_PROBLEMS:
            answer = problem_answer(fault, request.script_root + request.path)
            self.retries.settle(claim, pack(answer))
        else:
            self.retries.release(claim)


def pack(answer: Response) -> bytes:
    """Write an answer as it is kept: compressed, for it is kept a whole day."""
    body = answer.get_data(as_text=True)
    parts = [answer.status_code, list(answer.headers.items()), body]
    return zlib.compress(orjson.dumps(parts))


def unpack(data: bytes) -> Response:
    """Read a kept answer, marked as given again."""
    status, headers, body = orjson.loads(zlib.decompress(data))
    answer = Response(body, status)
    answer.headers.clear()
    answer.headers.extend([*headers, (REPLAYED, "true")])
    return answer


def _check(text: str) -> str:
    if not _KEY.fullmatch(text):
        detail = f"{FIELD} has 1 to 255 visible ASCII characters."
        raise InvalidInputError(InputFault("", detail))
    return text


def _sent() -> bytes:
    """What must be the same for the current request to be the same request."""
    line = f"{request.method} {request.script_root}{request.path}"
    return line.encode(errors="surrogatepass") + b"\0" + request.get_data()
