"""Answers: JSON, problems, and the header fields that go with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import orjson
from flask import Response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.http.errors.mapping import Fault

JSON: Final = "application/json"
PROBLEM_JSON: Final = "application/problem+json"

PRIVATE: Final = "private, no-cache"
"""Caching of what one client owns: kept, and asked about each time."""
NOT_KEPT: Final = "no-store"
FOREVER: Final = "public, max-age=31536000, immutable"
"""Caching of what can never change, for a year."""


def json_answer(
    value: object,
    *,
    status: int = 200,
    caching: str = NOT_KEPT,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Answer with a value as JSON."""
    fields = {"Content-Type": JSON, "Cache-Control": caching}
    if headers:
        fields |= headers
    return Response(orjson.dumps(value), status, fields)


def empty_answer(status: int, headers: Mapping[str, str]) -> Response:
    """Answer without a body."""
    answer = Response(status=status, headers=headers)
    del answer.headers["Content-Type"]
    return answer


def problem_answer(fault: Fault, path: str) -> Response:
    """Answer with a problem document (RFC 9457).

    Args:
        fault: What happened.
        path: The path of the request it happened to.
    """
    problem = fault.problem
    document = {
        "type": problem.type,
        "title": problem.title,
        "status": problem.status,
        "detail": fault.detail,
        "instance": quote(path),
        **fault.members,
    }
    fields = {"Content-Type": PROBLEM_JSON, "Cache-Control": NOT_KEPT}
    return Response(
        orjson.dumps(document), problem.status, fields | dict(fault.headers)
    )


def etag_of(version: int) -> str:
    """Write the strong entity tag of a version."""
    return f'"{version}"'
