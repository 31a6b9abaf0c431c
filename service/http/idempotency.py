"""The header field ``Idempotency-Key``: reading it, and answers as they are kept."""

from __future__ import annotations

import json
import re
import zlib
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NoReturn

import msgspec

from service.games.idempotency import IdempotentRequest
from service.http.body import parse_json
from service.http.errors.exceptions import IdempotencyKeyError
from service.http.reply import Reply
from service.store.errors import StoreUnavailableError
from service.store.protocol import Answered, IdempotencyKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.games.idempotency import Creations
    from service.games.snapshot import GameSnapshot
    from service.http.request import Request

FIELD: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotent-Replayed"

_LONGEST: Final = 255
_KEY: Final = re.compile(rf"[\x21-\x7e]{{1,{_LONGEST}}}")
_DIGEST_SIZE: Final = 16
_QUICK: Final = 1
"""The level of compression: a third of the usual time for nearly the same size."""


def idempotent_request(
    request: Request, watch_id: str, render: Callable[[GameSnapshot], Reply]
) -> IdempotentRequest | None:
    """Read the idempotency key of a request; None where it has none.

    Args:
        request: The request.
        watch_id: The watch id of the game that it changes; empty where it creates one.
        render: Makes its reply.

    Raises:
        IdempotencyKeyError: The key is not valid.
    """
    text = request.fields.get(FIELD)
    if text is None:
        return None
    if not _KEY.fullmatch(text):
        raise IdempotencyKeyError(1, _LONGEST)
    return IdempotentRequest(
        IdempotencyKey(request.tenant, watch_id, text),
        _fingerprint(request),
        lambda snapshot: pack_reply(render(snapshot)),
    )


def do_once(request: Request, creations: Creations, act: Callable[[], Reply]) -> Reply:
    """Do what a request asks for; if it is sent again with its key, reply as before.

    Raises:
        IdempotencyKeyError: The key is not valid.
        KeyReusedError: The key was used before, for another request.
        RequestInFlightError: Another request with that key is still running.
    """
    idempotent = idempotent_request(request, "", _no_game)
    if idempotent is None:
        return act()
    claim = creations.claim(idempotent, "")
    if isinstance(claim, Answered):
        return unpack_reply(claim.answer)
    try:
        reply = act()
    except StoreUnavailableError:  # it may be done: the claim lapses by itself
        raise
    except Exception:
        creations.release(claim)
        raise
    creations.settle(claim, pack_reply(reply))
    return reply


def _no_game(_snapshot: GameSnapshot) -> NoReturn:
    raise LookupError("the request concerns no game")


def pack_reply(reply: Reply) -> bytes:
    """Write a reply as it is kept: compressed, since it is kept for a whole day."""
    parts = (reply.status, reply.fields, reply.body.decode())
    return zlib.compress(msgspec.json.encode(parts), _QUICK)


def unpack_reply(data: bytes) -> Reply:
    """Read a reply that was kept, and mark it as replayed."""
    status, fields, body = msgspec.json.decode(
        zlib.decompress(data), type=tuple[int, dict[str, str], str]
    )
    return Reply(status, {**fields, REPLAYED: "true"}, body.encode())


def _fingerprint(request: Request) -> bytes:
    """Digest what makes it the same request: method, path, and the body as JSON."""
    data = request.body
    value = parse_json(data) if data else {}
    text = f"{request.method} {request.path}\0{json.dumps(value, sort_keys=True)}"
    sent = text.encode(errors="surrogatepass")
    return blake2b(sent, digest_size=_DIGEST_SIZE).digest()
