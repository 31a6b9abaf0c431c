"""Seeing requests: an id for each, a line in the log, counts and times."""

from __future__ import annotations

import logging
import re
import secrets
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

from flask import g, request

from service.logs import write_line
from service.metrics import REQUEST_SECONDS, REQUESTS
from service.timestamps import MILLISECONDS

if TYPE_CHECKING:
    from flask import Flask, Response

    from service.metrics import Tally

FIELD: Final = "X-Request-ID"
BEGUN: Final = "accordion.arrived"
"""Where in the environment it stands when a request arrived, if the server says so."""

_LOG: Final = logging.getLogger("accordion.requests")
_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_ID_BYTES: Final = 12
NO_OPERATION: Final = "none"
"""What stands for the operation of a request that has none."""


class Seen(NamedTuple):
    """What is told of a request, apart from how it went.

    Attributes:
        operation: The name of its operation.
        method: Its method.
        route: Its route, parameters in angle brackets, if it has one.
    """

    operation: str
    method: str
    route: str | None


def observe(app: Flask) -> None:
    """Have every request of an application seen."""
    app.before_request(_begin)
    app.after_request(_end)


def request_id() -> str:
    """Tell the id of this request: the client's own, or a random one."""
    known: str | None = g.get("request_id")
    if known is None:
        known = g.request_id = choose_id(request.headers.get(FIELD))
    return known


def choose_id(own: str | None) -> str:
    """Take the client's own id, if it can stand in a log as it is, or a random one."""
    if own is not None and _ID.fullmatch(own):
        return own
    return secrets.token_urlsafe(_ID_BYTES)


def tell(seen: Seen, status: int, seconds: float, request_id: str) -> None:
    """Count a request that is answered, and write its line in the log."""
    _counter(seen.operation, status).inc()
    _timer(seen.operation).observe(seconds)
    if _LOG.isEnabledFor(logging.INFO):
        write_line(
            _LOG.name,
            "request",
            {
                "request_id": request_id,
                "method": seen.method,
                "operation": seen.operation,
                "route": seen.route,
                "status": status,
                "milliseconds": round(seconds * MILLISECONDS, 3),
            },
        )


@cache
def _counter(operation: str, status: int) -> Tally:
    return REQUESTS.labels(operation, status)


@cache
def _timer(operation: str) -> Tally:
    return REQUEST_SECONDS.labels(operation)


def _begin() -> None:
    begun: float | None = request.environ.get(BEGUN)
    g.begun = perf_counter() if begun is None else begun


def _end(answer: Response) -> Response:
    seen = Seen(
        request.endpoint or NO_OPERATION,
        request.method,
        request.url_rule.rule if request.url_rule else None,
    )
    tell(seen, answer.status_code, perf_counter() - g.begun, request_id())
    answer.headers[FIELD] = request_id()
    return answer
