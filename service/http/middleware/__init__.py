"""Middleware: each wraps a handler in another handler, around every operation."""

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
"""Problems with a 5xx status that are not faults; only the access log records them."""


def compose(handler: Handler, middleware: Iterable[Middleware]) -> Handler:
    """Wrap a handler in middleware, the first outermost.

    An error in the handler or in a middleware reaches the next outer one as a reply
    with a problem document, so every error is logged, counted and has all fields.
    """
    composed = answer_errors(handler)
    for wrap in reversed(list(middleware)):
        composed = answer_errors(wrap(composed))
    return composed


def answer_errors(handler: Handler) -> Handler:
    """Wrap a handler so that it returns a problem document instead of raising."""

    def handle(request: Request) -> Reply:
        try:
            return handler(request)
        except Exception as error:  # noqa: BLE001 - every error has a problem document
            return error_reply(error, request)

    return handle


def error_reply(error: Exception, request: Request) -> Reply:
    """Make the reply to an error, and log the error if it is a fault of the service."""
    problem = problem_for(error)
    if problem.status >= _SERVER_ERROR and problem.type.slug not in _INTENDED:
        route = request.route.path if request.route else "no route"
        trace = error if problem.status == _SERVER_ERROR else None
        _LOG.error("%s %s: %r", request.method, route, error, exc_info=trace)
    return problem_reply(problem, request.path, request.language)
