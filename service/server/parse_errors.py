"""What the server itself answers: problem documents.

The application never sees a request that cannot be parsed, that does not come in time,
or that the end of the service interrupts.
"""

from __future__ import annotations

import logging
from http import HTTPStatus
from time import perf_counter
from typing import TYPE_CHECKING, Final

from gunicorn.http.errors import (
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
    UnsupportedTransferCoding,
)

from service.http.errors.mapping import RETRY_AFTER
from service.http.errors.problem import Problem, ProblemType
from service.http.errors.problem_types import PROBLEM_TYPES
from service.http.middleware.access_log import (
    FIELD,
    NO_OPERATION,
    RequestInfo,
    choose_id,
    log_request,
)
from service.http.middleware.header_fields import DATA_FIELDS
from service.http.reply import problem_reply
from service.server.wsgi import write_head

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
    problem, request_id = _problem_for(error), choose_id(None)
    if problem.type.slug == _INTERNAL:
        _LOG.error("An error beside the application.", exc_info=error)
    elif isinstance(error, ParseException):
        _LOG.warning("%s: %s", problem.type.slug, type(error).__name__)
    info = RequestInfo(NO_OPERATION, "unknown", None)
    log_request(info, problem.status, perf_counter() - arrived, request_id)
    reply = problem_reply(problem, "")
    fields = {
        "Content-Length": str(len(reply.body)),
        **reply.fields,
        **DATA_FIELDS,
        FIELD: request_id,
    }
    status = f"{reply.status} {HTTPStatus(reply.status).phrase}"
    return write_head(status, fields.items()) + reply.body


def _problem_for(error: BaseException) -> Problem:
    make = next(_PROBLEMS[kind] for kind in type(error).__mro__ if kind in _PROBLEMS)
    return make(error)


def _always(kind: ProblemType) -> Callable[[BaseException], Problem]:
    headers = {name: str(RETRY_AFTER) for name in kind.headers}
    problem = Problem(kind, kind.example, headers=headers)
    return lambda _: problem


def _malformed(error: BaseException) -> Problem:
    detail = "The request line, a header field or the framing of the body breaks HTTP."
    if isinstance(error, BadRequestError):
        detail = error.detail
    return Problem(PROBLEM_TYPES["malformed-request"], detail)


_REQUEST_TIMEOUT: Final = ProblemType(
    "request-timeout",
    408,
    "The request did not come in time",
    "The whole request, with its body, must come within ten seconds. Nothing was "
    "changed. Send it again.",
    "Not all of the request came within ten seconds.",
)
_SERVICE_STOPPING: Final = ProblemType(
    "service-stopping",
    503,
    "The service is stopping",
    "The service was told to stop before it had answered. A write that ends so was "
    "applied whole or not at all: get the game to see which. Try again after the "
    "seconds in Retry-After.",
    "The service stopped before it had answered.",
    headers=("Retry-After",),
)
_URI_TOO_LONG: Final = Problem(
    PROBLEM_TYPES["uri-too-long"],
    f"The path with its query has more than {LONGEST_TARGET} characters.",
)
_PROBLEMS: Final[dict[type, Callable[[BaseException], Problem]]] = {
    LimitRequestLine: lambda _: _URI_TOO_LONG,
    LimitRequestHeaders: _always(PROBLEM_TYPES["header-fields-too-large"]),
    UnsupportedTransferCoding: _always(PROBLEM_TYPES["unknown-transfer-coding"]),
    ParseException: _malformed,
    RequestTimeoutError: _always(_REQUEST_TIMEOUT),
    ServiceStoppingError: _always(_SERVICE_STOPPING),
    SystemExit: _always(_SERVICE_STOPPING),
    BaseException: _always(PROBLEM_TYPES[_INTERNAL]),
}
