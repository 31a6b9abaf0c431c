"""The problem documents that the server itself sends.

They answer requests that never reach the application because they cannot be parsed or
do not arrive in time, and requests that are interrupted because the service stops.
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
from werkzeug import exceptions as http

from service.http.errors.exceptions import MalformedRequestError
from service.http.errors.mapping import problem_for
from service.http.middleware.access_log import (
    NO_OPERATION,
    REQUEST_ID_FIELD,
    RequestInfo,
    choose_id,
    log_request,
)
from service.http.middleware.header_fields import DATA_FIELDS
from service.http.reply import problem_reply
from service.server.wsgi import write_head

if TYPE_CHECKING:
    from service.http.errors.problem import Problem

_LOG: Final = logging.getLogger(__name__)
_INTERNAL: Final = "internal-error"


class NoHostError(ParseException):
    """An HTTP/1.1 request without `Host`, which gunicorn's parser accepts."""


class RequestTimeoutError(Exception):
    """A request that did not arrive completely in time."""


class ServiceStoppingError(BaseException):
    """The service stops, and does not finish the request.

    Like `SystemExit` it is not an `Exception`, so that the application does not handle
    it.
    """


def parse_error_response(error: BaseException, arrived: float) -> bytes:
    """Return the response to a request that the application does not answer.

    The request is counted and logged like those that the application answers.

    Args:
        error: The reason: an error of gunicorn's parser or of this module, or
            `SystemExit`; any other error is reported as an internal error.
        arrived: When the request arrived, by `perf_counter`.

    Returns:
        The whole response: status line, header fields and body.
    """
    problem, request_id = _problem_for(error), choose_id(None)
    if problem.type.slug == _INTERNAL:
        _LOG.error("An error outside the application.", exc_info=error)
    elif isinstance(error, ParseException):
        _LOG.warning("%s: %s", problem.type.slug, type(error).__name__)
    info = RequestInfo(NO_OPERATION, "unknown", None)
    log_request(info, problem.status, perf_counter() - arrived, request_id)
    reply = problem_reply(problem, "")
    fields = {
        "Content-Length": str(len(reply.body)),
        **reply.fields,
        **DATA_FIELDS,
        REQUEST_ID_FIELD: request_id,
    }
    status = f"{reply.status} {HTTPStatus(reply.status).phrase}"
    return write_head(status, fields.items()) + reply.body


def _problem_for(error: BaseException) -> Problem:
    return next(_PROBLEMS[kind] for kind in type(error).__mro__ if kind in _PROBLEMS)


_PROBLEMS: Final[dict[type[BaseException], Problem]] = {
    LimitRequestLine: problem_for(http.RequestURITooLarge()),
    LimitRequestHeaders: problem_for(http.RequestHeaderFieldsTooLarge()),
    UnsupportedTransferCoding: problem_for(http.NotImplemented()),
    NoHostError: problem_for(MalformedRequestError("malformed.host")),
    ParseException: problem_for(http.BadRequest()),
    RequestTimeoutError: problem_for(http.RequestTimeout()),
    ServiceStoppingError: problem_for(http.ServiceUnavailable()),
    SystemExit: problem_for(http.ServiceUnavailable()),
    BaseException: problem_for(http.InternalServerError()),
}
