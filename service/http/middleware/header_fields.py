"""Header fields that every answer carries: security, and CORS where configured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flask import request

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Response

_ALL: Final = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_DATA: Final = {
    **_ALL,
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
"""The fields of an answer that is no page."""
_PAGE: Final = {
    **_ALL,
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; "
    "style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
}
"""The fields of a page: it uses what this service serves, and nothing inline."""
_EXPOSED: Final = (
    "ETag, Location, Link, Retry-After, Idempotent-Replayed, RateLimit, "
    "RateLimit-Policy"
)
_PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, DELETE",
    "Access-Control-Allow-Headers": "Accept-Language, Authorization, Content-Type, "
    "Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-ID",
    "Access-Control-Max-Age": "86400",
}
_ANY: Final = "*"


def header_fields(origins: tuple[str, ...]) -> Callable[[Response], Response]:
    """Make what adds these fields to an answer.

    Args:
        origins: The origins whose pages may call the API; ``*`` is any.
    """

    def finish(answer: Response) -> Response:
        is_page = answer.headers.get("Content-Type", "").startswith("text/html")
        answer.headers.extend(_PAGE if is_page else _DATA)
        if origins:
            _allow_origin(answer, origins)
        return answer

    return finish


def plain_fields(origins: tuple[str, ...]) -> list[tuple[str, str]]:
    """List the fields of data that answers a request without an ``Origin``."""
    fields = list(_DATA.items())
    if origins and _ANY not in origins:
        fields.append(("Vary", "Origin"))
    return fields


def _allow_origin(answer: Response, origins: tuple[str, ...]) -> None:
    """Let pages of other origins read the answer (CORS)."""
    origin = request.headers.get("Origin")
    if _ANY in origins:
        allowed: str | None = _ANY
    else:
        answer.vary.add("Origin")
        allowed = origin if origin in origins else None
    if origin is None or allowed is None:
        return
    answer.headers["Access-Control-Allow-Origin"] = allowed
    answer.headers["Access-Control-Expose-Headers"] = _EXPOSED
    if (
        request.method == "OPTIONS"
        and "Access-Control-Request-Method" in request.headers
    ):
        answer.headers.extend(_PREFLIGHT)
