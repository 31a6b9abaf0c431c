"""What the server itself answers: problem documents.

The application never sees a request that cannot be parsed, that does not come in time,
or that the end of the service interrupts.
"""

from __future__ import annotations

import logging
from http import HTTPStatus
from time import perf_counter, time
from typing import TYPE_CHECKING, Final
from wsgiref.handlers import format_date_time

from gunicorn.http.errors import (
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
    UnsupportedTransferCoding,
)

from service.http.errors.mapping import RETRY_AFTER, Fault
from service.http.errors.problem import Problem
from service.http.errors.problems import PROBLEMS
from service.http.middleware.access_log import (
    FIELD,
    NO_OPERATION,
    Seen,
    choose_id,
    tell,
)
from service.http.middleware.header_fields import plain_fields
from service.http.reply import problem_answer

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_TARGET: Final = 8000
"""Characters in the longest path with its query."""

_LOG: Final = logging.getLogger(__name__)
_INTERNAL: Final = "internal-error"


class BadRequestError(ParseException):
    """A request that HTTP does not allow, and that gunicorn's parser lets pass.

    Attributes:
        detail: What is wrong, as a sentence.
    """

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class RequestTimeoutError(Exception):
    """A request of which not all came in time."""


class ServiceStoppingError(BaseException):
    """The service stops, and does not finish the request.

    Like SystemExit, it is none of the errors that an application answers for.
    """


def problem_response(error: BaseException, arrived: float) -> bytes:
    """Write the response to a request that the application does not answer.

    The request is counted and logged, as the application does with its own.

    Args:
        error: Why: an error of gunicorn's parser or of this module; any other is a
            fault of the server.
        arrived: When the request had come, by `perf_counter`.

    Returns:
        The whole response: status line, header fields and body.
    """
    fault = _fault_of(error)
    problem, request_id = fault.problem, choose_id(None)
    if problem.slug == _INTERNAL:
        _LOG.error("beside the application", exc_info=error)
    else:
        _LOG.warning("%s: %s", problem.slug, type(error).__name__)
    seen = Seen(NO_OPERATION, "unknown", None)
    tell(seen, problem.status, perf_counter() - arrived, request_id)
    answer = problem_answer(fault, "")
    fields = [
        ("Date", format_date_time(time())),
        *answer.headers.items(),
        *plain_fields(()),
        (FIELD, request_id),
        ("Connection", "close"),
    ]
    lines = [
        f"HTTP/1.1 {problem.status} {HTTPStatus(problem.status).phrase}",
        *(f"{name}: {value}" for name, value in fields),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + answer.get_data()


def _fault_of(error: BaseException) -> Fault:
    make = next(_FAULTS[kind] for kind in type(error).__mro__ if kind in _FAULTS)
    return make(error)


def _always(problem: Problem) -> Callable[[BaseException], Fault]:
    headers = {name: str(RETRY_AFTER) for name in problem.headers}
    fault = Fault(problem, problem.example, headers=headers)
    return lambda _: fault


def _malformed(error: BaseException) -> Fault:
    detail = "The request line, a header field or the framing of the body breaks HTTP."
    if isinstance(error, BadRequestError):
        detail = error.detail
    return Fault(PROBLEMS["malformed-request"], detail)


_REQUEST_TIMEOUT: Final = Problem(
    "request-timeout",
    408,
    "The request did not come in time",
    "The whole request, with its body, must come within ten seconds. Nothing was "
    "changed. Send it again.",
    "Not all of the request came within ten seconds.",
)
_SERVICE_STOPPING: Final = Problem(
    "service-stopping",
    503,
    "The service is stopping",
    "The service was told to stop before it had answered. A write that ends so was "
    "applied whole or not at all: get the game to see which. Try again after the "
    "seconds in Retry-After.",
    "The service stopped before it had answered.",
    headers=("Retry-After",),
)
_URI_TOO_LONG: Final = Fault(
    PROBLEMS["uri-too-long"],
    f"The path with its query has more than {LONGEST_TARGET} characters.",
)
_FAULTS: Final[dict[type, Callable[[BaseException], Fault]]] = {
    LimitRequestLine: lambda _: _URI_TOO_LONG,
    LimitRequestHeaders: _always(PROBLEMS["header-fields-too-large"]),
    UnsupportedTransferCoding: _always(PROBLEMS["unknown-transfer-coding"]),
    ParseException: _malformed,
    RequestTimeoutError: _always(_REQUEST_TIMEOUT),
    ServiceStoppingError: _always(_SERVICE_STOPPING),
    SystemExit: _always(_SERVICE_STOPPING),
    BaseException: _always(PROBLEMS[_INTERNAL]),
}
