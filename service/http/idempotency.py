"""The header field ``Idempotency-Key``: reading it, and answers as they are kept."""

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
_SHORTEST_SHARED: Final = 16
"""The minimum length of a key where all clients share one set of keys."""
_LONGEST: Final = 255
_KEPT_REFUSAL: Final = 409
_VISIBLE: Final = re.compile(r"[\x21-\x7e]+")
_DIGEST_SIZE: Final = 16
_QUICK: Final = 1
"""The level of compression: a third of the usual time for nearly the same size."""


def create_once(  # noqa: PLR0913 - one for each part of a creation
    request: Request,
    creations: Creations,
    *,
    new_id: Callable[[], str],
    create: Callable[[str], Made],
    render: Callable[[Made], Reply],
    find: Callable[[str], object] | None = None,
) -> Reply:
    """Reply to a request that creates something and may be sent again.

    Args:
        request: The request.
        creations: The requests that create something.
        new_id: Makes the id of what is created.
        create: Creates it under an id, or finds it where an earlier try has.
        render: Makes the reply; its ``Location``, if it has one, ends with the id.
        find: Looks up by that id what was created; raises where it has been deleted.
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
        # It may exist all the same: the claim lapses by itself, with the id it notes.
        raise
    except Exception as error:
        refused = refusal_to_keep(request, error)
        if refused is None:
            creations.release(claim)
            raise
        reply = refused
    creations.settle(claim, pack_reply(reply))
    return reply


def refusal_to_keep(request: Request, error: Exception) -> Reply | None:
    """Make the reply of a refusal that is an answer like any other, else None."""
    problem = problem_for(error)
    if problem.status != _KEPT_REFUSAL:
        return None
    return problem_reply(problem, request.path, request.language)


def idempotent_request(
    request: Request, watch_id: str, render: Callable[[Made], Reply]
) -> IdempotentRequest[Made] | None:
    """Read the idempotency key of a request; None where it has none.

    Args:
        request: The request.
        watch_id: The watch id of the game that it changes; empty where it creates
            something.
        render: Makes its reply.

    Raises:
        IdempotencyKeyError: The key is not valid.
    """
    text = request.fields.get(IDEMPOTENCY_FIELD)
    if text is None:
        return None
    fingerprint = _fingerprint(request)  # what the body is refused for comes first
    shares = not (watch_id or request.has_key)
    least = _SHORTEST_SHARED if shares else _SHORTEST
    if not (least <= len(text) <= _LONGEST and _VISIBLE.fullmatch(text)):
        raise IdempotencyKeyError(least, _LONGEST)
    return IdempotentRequest(
        IdempotencyKey(request.tenant, watch_id, text),
        fingerprint,
        lambda made: pack_reply(render(made)),
    )


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
