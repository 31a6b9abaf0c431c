"""Authentication: which tenant a request is for, by its API key or a game's id.

It concerns the paths below /v1; the rest is open to everybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.games.ids import tenant_of
from service.http.errors.exceptions import UnauthorizedError
from service.http.operation import Access
from service.http.request import NO_TENANT

if TYPE_CHECKING:
    from service.access.api_keys import Keys
    from service.http.middleware import Handler, Middleware
    from service.http.reply import Reply
    from service.http.request import Request

_ROOT: Final = "/v1"
_BY_ID: Final = frozenset({Access.GAME, Access.WATCH})


def authentication(keys: Keys, *, everywhere: bool = False) -> Middleware:
    """Demand an API key; its tenant is the request's from then on.

    Where an operation takes a game's id instead of a key, a request without one is of
    the tenant that the id names.

    Args:
        keys: The keys.
        everywhere: Whether a key is demanded there too.
    """

    def wrap(handler: Handler) -> Handler:
        def handle(request: Request) -> Reply:
            if not needs_key(request):
                return handler(request)
            if request.fields.get("Authorization") is None and not everywhere:
                access = access_of(request)
                if access is not Access.KEY:
                    request.tenant = _tenant_of(request, access)
                    return _private(handler(request))
            text = _bearer_token(request)
            key = None if text is None else keys.find(text)
            if key is None:
                raise UnauthorizedError(tried=text is not None)
            request.tenant, request.key_name = key.tenant, key.name
            request.has_key = True
            return _private(handler(request))

        return handle

    return wrap


def access_of(request: Request) -> Access:
    """Return who may use the operation of a request."""
    return Access.KEY if request.route is None else request.route.operation.access


def is_by_id(request: Request) -> bool:
    """Return whether a request has a game's id instead of a key."""
    return not request.has_key and access_of(request) in _BY_ID


def _tenant_of(request: Request, access: Access) -> str:
    return tenant_of(request.values[access.value]) if access in _BY_ID else NO_TENANT


def needs_key(request: Request) -> bool:
    """Return whether API keys and rate limits concern a request."""
    return request.method != "OPTIONS" and is_protected(
        request.path.removeprefix(request.prefix)
    )


def is_protected(path: str) -> bool:
    """Return whether API keys and rate limits concern a path."""
    return path == _ROOT or path.startswith(f"{_ROOT}/")


def _private(reply: Reply) -> Reply:
    """Keep the caches of others from storing a reply."""
    caching = reply.fields.get("Cache-Control")
    if caching is not None:
        reply.fields["Cache-Control"] = caching.replace("public", "private")
    return reply


def _bearer_token(request: Request) -> str | None:
    """Read the key of a request; None where it has none."""
    scheme, _, token = (request.fields.get("Authorization") or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None
