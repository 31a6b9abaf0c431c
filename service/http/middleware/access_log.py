"""The access log: an id for each request, a log line, counts and durations."""

from __future__ import annotations

import logging
import re
import secrets
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

from service.logs import write_line
from service.metrics import REQUEST_SECONDS, REQUESTS
from service.timestamps import SECOND_MS

if TYPE_CHECKING:
    from service.http.middleware import Handler
    from service.http.reply import Reply
    from service.http.request import Request
    from service.metrics import Tally

REQUEST_ID_FIELD: Final = "X-Request-ID"
NO_OPERATION: Final = "none"
"""The operation name of a request without a route."""

_LOG: Final = logging.getLogger("accordion.requests")
_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_ID_BYTES: Final = 12


class RequestInfo(NamedTuple):
    """The properties by which a request is logged and counted, without its result.

    Attributes:
        operation: The name of its operation, or ``NO_OPERATION``.
        method: The HTTP method.
        route: The path with parameters in braces; None without a route.
    """

    operation: str
    method: str
    route: str | None


def access_log(handler: Handler) -> Handler:
    """Log and count each request, and add its id to the reply."""

    def handle(request: Request) -> Reply:
        reply = handler(request)
        reply.fields[REQUEST_ID_FIELD] = request.id
        seconds = perf_counter() - request.arrived
        log_request(_info(request), reply.status, seconds, request.id)
        return reply

    return handle


def choose_id(own: str | None) -> str:
    """Return the client's id if it is safe to log, else a random id."""
    if own is not None and _ID.fullmatch(own):
        return own
    return secrets.token_urlsafe(_ID_BYTES)


def log_request(
    info: RequestInfo, status: int, seconds: float, request_id: str
) -> None:
    """Count a completed request, and write its line in the log."""
    _counter(info.operation, status).inc()
    _timer(info.operation).observe(seconds)
    if _LOG.isEnabledFor(logging.INFO):
        write_line(
            _LOG.name,
            "request",
            {
                "request_id": request_id,
                "method": info.method,
                "operation": info.operation,
                "route": info.route,
                "status": status,
                "milliseconds": round(seconds * SECOND_MS, 3),
            },
        )


def _info(request: Request) -> RequestInfo:
    if request.route is None:
        return RequestInfo(NO_OPERATION, request.method, None)
    return RequestInfo(request.route.operation.name, request.method, request.route.path)


@cache
def _counter(operation: str, status: int) -> Tally:
    return REQUESTS.labels(operation, status)


@cache
def _timer(operation: str) -> Tally:
    return REQUEST_SECONDS.labels(operation)
