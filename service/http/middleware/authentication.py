"""Authentication: which tenant a request is for, by its API key.

It concerns the paths below /v1; the rest is open to everybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.http.errors.exceptions import UnauthorizedError

if TYPE_CHECKING:
    from service.access.api_keys import Keys
    from service.http.middleware import Handler, Middleware
    from service.http.reply import Reply
    from service.http.request import Request

_ROOT: Final = "/v1"


def authentication(keys: Keys) -> Middleware:
    """Demand an API key; its tenant is the request's from then on."""

    def wrap(handler: Handler) -> Handler:
        def handle(request: Request) -> Reply:
            if not needs_key(request):
                return handler(request)
            text = _bearer_token(request)
            key = None if text is None else keys.find(text)
            if key is None:
                raise UnauthorizedError(tried=text is not None)
            request.tenant, request.key_name = key.tenant, key.name
            return _private(handler(request))

        return handle

    return wrap


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
