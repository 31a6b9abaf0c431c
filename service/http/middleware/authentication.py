"""Authentication: the tenant of a request, from its API key or a game's id.

It applies to paths below /v1; all others are public.
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
    """Require an API key, and set the tenant of the request to that of the key.

    Without a key, an operation that accepts a game's id uses the tenant that the id
    names, and an operation open to the public uses the public tenant.

    Args:
        keys: The valid keys.
        public: The public tenant, if there is one.
        everywhere: Whether those operations require a key too.
    """

    def wrap(handler: Handler) -> Handler:
        def handle(request: Request) -> Reply:
            if not is_protected_request(request):
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
    """Return whether a request uses a game's id or the public tenant, not a key."""
    return not request.has_key and access_of(request) in _KEYLESS


def _tenant_of(request: Request, public: str | None) -> str | None:
    """Return the tenant of a request without a key; None if it needs one."""
    access = access_of(request)
    if access in BY_ID:
        return tenant_of(request.values[access.value])
    return {Access.ANYBODY: NO_TENANT, Access.PUBLIC: public}.get(access)


def is_protected_request(request: Request) -> bool:
    """Return whether API keys and rate limits apply to a request."""
    return request.method != "OPTIONS" and is_protected(
        request.path.removeprefix(request.prefix)
    )


def is_protected(path: str) -> bool:
    """Return whether API keys and rate limits apply to a path."""
    return path == _ROOT or path.startswith(f"{_ROOT}/")


def _private(reply: Reply) -> Reply:
    """Prevent shared caches from storing a reply."""
    caching = reply.fields.get("Cache-Control")
    if caching is not None:
        reply.fields["Cache-Control"] = caching.replace("public", "private")
    return reply


def _bearer_token(request: Request) -> str | None:
    """Read the API key of a request; None if it has none."""
    scheme, _, token = (request.fields.get("Authorization") or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None
