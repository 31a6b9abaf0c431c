"""The header field ``Idempotency-Key``, and replies as they are stored for retries."""

from __future__ import annotations

import json
import re
import zlib
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import msgspec

from service.games.idempotency import Creations, IdempotentRequest, Made
from service.http.body import parse_json
from service.http.errors.exceptions import IdempotencyKeyError
from service.http.errors.mapping import problem_for
from service.http.reply import Reply, problem_reply
from service.store.protocol import Answered, IdempotencyKey, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.http.request import Request

IDEMPOTENCY_FIELD: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotent-Replayed"

_SHORTEST: Final = 1
_MIN_SHARED_LENGTH: Final = 16
"""The minimum length for a creation without an API key: clients share those keys."""
_MAX_LENGTH: Final = 255
_STORED_STATUS: Final = 409
_VISIBLE: Final = re.compile(r"[\x21-\x7e]+")
_DIGEST_SIZE: Final = 16
_COMPRESSION_LEVEL: Final = 1
"""The zlib level: a third of the default's time for nearly the same size."""


def create_once(  # noqa: PLR0913 - one for each part of a creation
    request: Request,
    creations: Creations,
    *,
    new_id: Callable[[], str],
    create: Callable[[str], Made],
    render: Callable[[Made], Reply],
    find: Callable[[str], object] | None = None,
) -> Reply:
    """Handle a request that creates an object and may be sent again.

    Args:
        request: The request.
        creations: Claims idempotency keys and stores replies.
        new_id: Makes the id of the object.
        create: Creates the object, or returns it if an earlier attempt created it.
        render: Makes the reply; its ``Location``, if it has one, ends with the id.
        find: Looks up the object by its id; raises an error if it has been deleted.
    """
    idempotent = idempotent_request(request, "", render)
    if idempotent is None:
        return render(create(new_id()))
    claim = creations.claim(idempotent, new_id())
    if isinstance(claim, Answered):
        reply = unpack_reply(claim.answer)
        location = reply.fields.get("Location")
        if location is not None and find is not None:
            find(location.rpartition("/")[2])
        return reply
    try:
        reply = render(create(claim.note.decode()))
    except StoreUnavailableError:
        # The object may exist, so the claim on its id is left to expire.
        raise
    except Exception as error:
        refused = reply_to_store(request, error)
        if refused is None:
            creations.release(claim)
            raise
        reply = refused
    creations.settle(claim, pack_reply(reply))
    return reply


def reply_to_store(request: Request, error: Exception) -> Reply | None:
    """Make the reply to an error if it is to be stored for retries, else None."""
    problem = problem_for(error)
    if problem.status != _STORED_STATUS:
        return None
    return problem_reply(problem, request.path, request.language)


def idempotent_request(
    request: Request, watch_id: str, render: Callable[[Made], Reply]
) -> IdempotentRequest[Made] | None:
    """Read the idempotency key of a request; None if it has none.

    Args:
        request: The request.
        watch_id: The watch id of the game that it changes; empty for a creation.
        render: Makes the reply.

    Raises:
        IdempotencyKeyError: The key is not valid.
        MalformedRequestError: The body is not JSON.
    """
    text = request.fields.get(IDEMPOTENCY_FIELD)
    if text is None:
        return None
    fingerprint = _fingerprint(request)  # errors of the body come first
    shares = not (watch_id or request.has_key)
    min_length = _MIN_SHARED_LENGTH if shares else _SHORTEST
    if not (min_length <= len(text) <= _MAX_LENGTH and _VISIBLE.fullmatch(text)):
        raise IdempotencyKeyError(min_length, _MAX_LENGTH)
    return IdempotentRequest(
        IdempotencyKey(request.tenant, watch_id, text),
        fingerprint,
        lambda made: pack_reply(render(made)),
    )


def pack_reply(reply: Reply) -> bytes:
    """Encode a reply for the store; compressed, since it is kept for 24 hours."""
    parts = (reply.status, reply.fields, reply.body.decode())
    return zlib.compress(msgspec.json.encode(parts), _COMPRESSION_LEVEL)


def unpack_reply(data: bytes) -> Reply:
    """Decode a stored reply, and mark it as replayed."""
    status, fields, body = msgspec.json.decode(
        zlib.decompress(data), type=tuple[int, dict[str, str], str]
    )
    return Reply(status, {**fields, REPLAYED: "true"}, body.encode())


def _fingerprint(request: Request) -> bytes:
    """Return a digest of the method, the path and the body, compared as JSON."""
    data = request.body
    value = parse_json(data) if data else {}
    text = f"{request.method} {request.path}\0{json.dumps(value, sort_keys=True)}"
    sent = text.encode(errors="surrogatepass")
    return blake2b(sent, digest_size=_DIGEST_SIZE).digest()
