"""What surrounds every operation: each wraps a handler and is a handler itself."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, TypeAlias

from service.http.errors.mapping import problem_for
from service.http.reply import problem_reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from service.http.reply import Reply
    from service.http.request import Request

    Handler: TypeAlias = Callable[[Request], Reply]
    Middleware: TypeAlias = Callable[[Handler], Handler]

_LOG: Final = logging.getLogger(__name__)
_SERVER_ERROR: Final = 500
_INTENDED: Final = frozenset({"solver-busy"})
"""The types of problems of 5xx that are no faults; the access log has them."""


def compose(handler: Handler, middleware: Iterable[Middleware]) -> Handler:
    """Surround a handler, the first middleware outermost.

    Whatever the handler or one of them raises reaches the next one out as a reply with
    a problem document, so that every error is logged, counted and has all fields.
    """
    composed = answer_errors(handler)
    for wrap in reversed(list(middleware)):
        composed = answer_errors(wrap(composed))
    return composed


def answer_errors(handler: Handler) -> Handler:
    """Have a handler reply with a problem document instead of raising."""

    def handle(request: Request) -> Reply:
        try:
            return handler(request)
        except Exception as error:  # noqa: BLE001 - every error has a problem document
            return error_reply(error, request)

    return handle


def error_reply(error: Exception, request: Request) -> Reply:
    """Reply to an error, and log it where it is the service's own."""
    problem = problem_for(error)
    if problem.status >= _SERVER_ERROR and problem.type.slug not in _INTENDED:
        route = request.route.path if request.route else "no route"
        trace = error if problem.status == _SERVER_ERROR else None
        _LOG.error("%s %s: %r", request.method, route, error, exc_info=trace)
    return problem_reply(problem, request.path, request.language)
