"""Seeing requests: an id for each, a line in the log, counts and times."""

from __future__ import annotations

import logging
import re
import secrets
from time import perf_counter
from typing import TYPE_CHECKING, Final

from flask import g, request

from service.logs import DETAILS
from service.metrics import REQUEST_SECONDS, REQUESTS

if TYPE_CHECKING:
    from flask import Flask, Response

FIELD: Final = "X-Request-ID"

_LOG: Final = logging.getLogger("accordion.requests")
_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_ID_BYTES: Final = 12
_MILLISECONDS: Final = 1000
_NO_OPERATION: Final = "none"


def observe(app: Flask) -> None:
    """Have every request of an application seen."""
    app.before_request(_begin)
    app.after_request(_end)


def request_id() -> str:
    """Tell the id of this request: the client's own, or a random one."""
    known: str | None = g.get("request_id")
    if known is None:
        known = g.request_id = _read_id() or secrets.token_urlsafe(_ID_BYTES)
    return known


def _read_id() -> str | None:
    """Read the client's id; what could not stand in a log as it is, is not taken."""
    text = request.headers.get(FIELD, "")
    return text if _ID.fullmatch(text) else None


def _begin() -> None:
    g.begun = perf_counter()


def _end(answer: Response) -> Response:
    seconds = perf_counter() - g.begun
    operation = request.endpoint or _NO_OPERATION
    REQUESTS.labels(operation, answer.status_code).inc()
    REQUEST_SECONDS.labels(operation).observe(seconds)
    answer.headers[FIELD] = request_id()
    if _LOG.isEnabledFor(logging.INFO):
        details = {
            "request_id": request_id(),
            "method": request.method,
            "operation": operation,
            "route": request.url_rule.rule if request.url_rule else None,
            "status": answer.status_code,
            "milliseconds": round(seconds * _MILLISECONDS, 3),
        }
        _LOG.info("request", extra={DETAILS: details})
    return answer
