"""Replies: status, header fields and body, and functions that make common ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import msgspec

from service.texts import DEFAULT_LANGUAGE, problem_title

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.http.errors.problem import Problem

JSON: Final = "application/json"
PROBLEM_JSON: Final = "application/problem+json"
HTML: Final = "text/html"
TEXT: Final = "text/plain"

PRIVATE: Final = "private, no-cache"
"""``Cache-Control`` of one client's data: stored, and revalidated before each use."""
NOT_STORED: Final = "no-store"
FOREVER: Final = "public, max-age=31536000, immutable"
"""``Cache-Control`` of data that never changes: cacheable for a year."""

_encode: Final = msgspec.json.Encoder().encode


@dataclass(slots=True, eq=False)
class Reply:
    """A reply.

    Attributes:
        fields: The header fields; middleware adds more.
        is_page: Whether it is an HTML page of this service.
        may_be_framed: Whether the origins that the settings name may frame it.
        is_shared: Whether pages of all origins may use it.
    """

    status: int
    fields: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    is_page: bool = False
    may_be_framed: bool = False
    is_shared: bool = False

    def vary(self, name: str) -> None:
        """Declare that the reply depends on a header field of the request."""
        known = self.fields.get("Vary")
        self.fields["Vary"] = name if known is None else f"{known}, {name}"


def json_reply(
    value: object,
    *,
    status: int = 200,
    caching: str = NOT_STORED,
    fields: Mapping[str, str] | None = None,
) -> Reply:
    """Make a reply with a value as JSON."""
    all_fields = {"Content-Type": JSON, "Cache-Control": caching}
    if fields:
        all_fields |= fields
    return Reply(status, all_fields, _encode(value))


def empty_reply(status: int, fields: Mapping[str, str] | None = None) -> Reply:
    """Make a reply without a body."""
    return Reply(status, dict(fields or {}))


def text_reply(text: str, media_type: str, caching: str) -> Reply:
    """Make a reply with a text in UTF-8."""
    fields = {
        "Content-Type": f"{media_type}; charset=utf-8",
        "Cache-Control": caching,
    }
    return Reply(200, fields, text.encode(), is_page=media_type == HTML)


def problem_reply(
    problem: Problem, path: str, language: str = DEFAULT_LANGUAGE
) -> Reply:
    """Make a reply with a problem document (RFC 9457).

    Args:
        problem: The problem.
        path: The decoded path of the request.
        language: The language of the texts, one of ``service.texts.LANGUAGES``.
    """
    document = {
        "type": problem.type.uri,
        "title": problem_title(problem.type.slug, language),
        "status": problem.status,
        "detail": problem.detail(language),
        "instance": quote(path),
        **problem.members,
        **problem.texts(language),
    }
    fields = {
        "Content-Type": PROBLEM_JSON,
        "Cache-Control": NOT_STORED,
        **language_fields(language),
    }
    return Reply(problem.status, fields | dict(problem.headers), _encode(document))


def language_fields(language: str) -> dict[str, str]:
    """Make the header fields of a reply whose texts are in ``Request.language``."""
    return {"Content-Language": language, "Vary": "Accept-Language"}
