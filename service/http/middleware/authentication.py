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
BY_ID: Final = frozenset({Access.GAME, Access.WATCH})
_KEYLESS: Final = BY_ID | {Access.PUBLIC}


def authentication(
    keys: Keys, public: str | None = None, *, everywhere: bool = False
) -> Middleware:
    """Demand an API key; its tenant is the request's from then on.

    Where an operation takes a game's id instead of a key, a request without one is of
    the tenant that the id names; where it is open to the public, of the public tenant.

    Args:
        keys: The keys.
        public: The public tenant, if there is one.
        everywhere: Whether a key is demanded there too.
    """

    def wrap(handler: Handler) -> Handler:
        def handle(request: Request) -> Reply:
            if not needs_key(request):
                return handler(request)
            if request.fields.get("Authorization") is None and not everywhere:
                tenant = _tenant_of(request, public)
                if tenant is not None:
                    request.tenant = tenant
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


def is_keyless(request: Request) -> bool:
    """Return whether a request of a tenant has no key."""
    return not request.has_key and access_of(request) in _KEYLESS


def _tenant_of(request: Request, public: str | None) -> str | None:
    """Return the tenant of a request without a key; None where it needs one."""
    access = access_of(request)
    if access in BY_ID:
        return tenant_of(request.values[access.value])
    return {Access.ANYBODY: NO_TENANT, Access.PUBLIC: public}.get(access)


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
