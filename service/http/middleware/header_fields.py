"""Header fields of every reply: security, and CORS where it is configured."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from service.http.reply import empty_reply

if TYPE_CHECKING:
    from service.http.middleware import Handler, Middleware
    from service.http.reply import Reply
    from service.http.request import Request

_POLICY: Final = "Content-Security-Policy"
_NO_ANCESTORS: Final = "frame-ancestors 'none'"
_ALL: Final = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
DATA_FIELDS: Final = {
    **_ALL,
    _POLICY: "default-src 'none'; frame-ancestors 'none'",
}
"""The fields of a reply that is not a page."""
_PAGE: Final = {
    **_ALL,
    _POLICY: "default-src 'none'; script-src 'self'; "
    "style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    f"manifest-src 'self'; base-uri 'none'; form-action 'none'; {_NO_ANCESTORS}",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
}
"""The fields of a page, which uses only files of this service and nothing inline."""
_EXPOSED: Final = (
    "ETag, Location, Link, Retry-After, Idempotent-Replayed, RateLimit, "
    "RateLimit-Policy, X-Request-ID, Content-Language, Date"
)
_PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, DELETE",
    "Access-Control-Allow-Headers": "Accept-Language, Authorization, Content-Type, "
    "Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-ID",
    "Access-Control-Max-Age": "86400",
}
_ANY: Final = "*"
_ALLOWED: Final = "Access-Control-Allow-Origin"
_ASKED_METHOD: Final = "Access-Control-Request-Method"
_HIDDEN_FROM_PREFLIGHT: Final = frozenset(
    {HTTPStatus.NOT_FOUND, HTTPStatus.REQUEST_URI_TOO_LONG}
)
"""Statuses that a preflight gets as 204, so that the page can read the error itself."""


def header_fields(
    origins: tuple[str, ...], frame_ancestors: tuple[str, ...] = ()
) -> Middleware:
    """Add the security fields to every reply, and CORS fields if configured.

    Args:
        origins: The origins whose pages may call the API; ``*`` means any.
        frame_ancestors: The origins whose pages may frame the page of the game.
    """
    framed = _PAGE | {
        _POLICY: _PAGE[_POLICY].replace(
            _NO_ANCESTORS,
            " ".join(("frame-ancestors", *(frame_ancestors or ("'none'",)))),
        )
    }

    def wrap(handler: Handler) -> Handler:
        def handle(request: Request) -> Reply:
            reply = handler(request)
            if (
                origins
                and _is_preflight(request)
                and reply.status in _HIDDEN_FROM_PREFLIGHT
            ):
                reply = empty_reply(HTTPStatus.NO_CONTENT)
            if reply.may_be_framed:
                reply.fields |= framed
            else:
                reply.fields |= _PAGE if reply.is_page else DATA_FIELDS
            if reply.is_shared:
                reply.fields[_ALLOWED] = _ANY
            elif origins:
                _allow_origin(request, reply, origins)
            return reply

        return handle

    return wrap


def _allow_origin(request: Request, reply: Reply, origins: tuple[str, ...]) -> None:
    """Let pages of other origins read the reply (CORS)."""
    origin = request.fields.get("Origin")
    if _ANY in origins:
        allowed: str | None = _ANY
    else:
        reply.vary("Origin")
        allowed = origin if origin in origins else None
    if origin is None or allowed is None:
        return
    reply.fields[_ALLOWED] = allowed
    reply.fields["Access-Control-Expose-Headers"] = _EXPOSED
    if _is_preflight(request):
        reply.fields |= _PREFLIGHT


def _is_preflight(request: Request) -> bool:
    """Return whether a request is a CORS preflight."""
    return request.method == "OPTIONS" and bool(request.fields.get(_ASKED_METHOD))
