"""The adapter between WSGI and the operations.

Routes are declared to Flask, so that its tools know them (``flask routes``, the test
client), and are matched with its ``url_map``. Flask's own dispatch is not used: its
request hooks, error handlers and view functions never run. Middleware replaces them.
"""

from __future__ import annotations

import re
from functools import cache, partial
from http import HTTPStatus
from time import perf_counter
from typing import TYPE_CHECKING, Final

from flask import Flask
from werkzeug.exceptions import (
    HTTPException,
    MethodNotAllowed,
    NotFound,
    RequestURITooLarge,
)

from service.http.body import content_length, read_body
from service.http.errors.exceptions import MalformedRequestError
from service.http.errors.problem_types import MAX_TARGET_LENGTH
from service.http.middleware import compose
from service.http.middleware.access_log import REQUEST_ID_FIELD, choose_id
from service.http.middleware.authentication import is_protected
from service.http.operation import NO_QUERY
from service.http.reply import Reply, empty_reply
from service.http.request import Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from wsgiref.types import StartResponse, WSGIEnvironment

    from werkzeug.routing import Rule

    from service.http.middleware import Handler, Middleware
    from service.http.operation import Route

ARRIVED: Final = "accordion.arrived"
"""The WSGI key of a request's arrival time, by ``perf_counter``; servers may set it."""

_NO_CONTENT: Final = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED})
_UNREADABLE: Final = (MalformedRequestError, RequestURITooLarge)
_BARE_VARIABLES: Final = frozenset({"CONTENT_TYPE", "CONTENT_LENGTH"})
_LABEL: Final = "[A-Za-z0-9_-]{1,63}"
_HOST: Final = re.compile(
    rf"(?:{_LABEL}(?:\.{_LABEL})*\.?|\[[0-9A-Fa-f:.]+\])?(?::[0-9]{{0,5}})?"
)


class Application(Flask):
    """The WSGI application; ``wsgi_app`` handles every request.

    Args:
        routes: All routes of the API.
        middleware: The middleware around each operation, outermost first.
    """

    def __init__(
        self, routes: Sequence[Route], middleware: Sequence[Middleware]
    ) -> None:
        super().__init__("service.http", static_folder=None)
        self.url_map.merge_slashes = False
        for route in routes:
            self.add_url_rule(
                route.path.replace("{", "<").replace("}", ">"),
                endpoint=route.operation.name,
                view_func=route.handle,  # type: ignore[arg-type]  # never called
                methods=[route.method],
            )
        self._routes = {route.operation.name: route for route in routes}
        self._matcher = self.url_map.bind("")
        self._handle = compose(_dispatch, middleware)

    def wsgi_app(
        self, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        """Handle a request, and return the body of the response."""
        request = self._read(environ)
        reply = self._handle(request)
        fields = list(reply.fields.items())
        if reply.status not in _NO_CONTENT:
            fields.insert(0, ("Content-Length", str(len(reply.body))))
        start_response(_status_line(reply.status), fields)
        return [] if request.method == "HEAD" else [reply.body]

    def _read(self, environ: WSGIEnvironment) -> Request:
        fields = _EnvironFields(environ)
        path = _decode(environ["PATH_INFO"]) or "/"
        prefix = _decode(environ["SCRIPT_NAME"])
        request = Request(
            method=environ["REQUEST_METHOD"],
            path=prefix + path,
            prefix=prefix,
            query_string=environ.get("QUERY_STRING", ""),
            fields=fields,
            read_body=partial(read_body, environ, fields),
            has_body=content_length(environ) > 0 or "HTTP_TRANSFER_ENCODING" in environ,
            address=environ.get("REMOTE_ADDR", ""),
            id=choose_id(fields.get(REQUEST_ID_FIELD)),
            arrived=environ.get(ARRIVED) or perf_counter(),
        )
        try:
            _check_host(environ.get("HTTP_HOST", ""))
            _check_target(environ)
            self._match(request, path)
        except (MalformedRequestError, HTTPException) as failure:
            request.failure = failure
        return request

    def _match(self, request: Request, path: str) -> None:
        """Find the route of a request.

        Raises:
            MethodNotAllowed: The path has only routes with other methods.
            NotFound: No route matches the path.
        """
        if path.startswith("//"):  # the matcher would ignore the first slash
            raise NotFound
        rule: Rule
        rule, values = self._matcher.match(path, request.method, return_rule=True)
        if request.method == "OPTIONS":
            raise MethodNotAllowed(self._matcher.allowed_methods(path))
        request.route, request.values = self._routes[rule.endpoint], values
        body = request.route.operation.body
        if body is not None and body.read_text is not None:
            request.read_body = partial(request.read_body, takes_text=True)


class _EnvironFields:
    """The header fields of a WSGI environment."""

    __slots__ = ("_environ",)

    def __init__(self, environ: WSGIEnvironment) -> None:
        self._environ = environ

    def get(self, name: str, /) -> str | None:
        value: str | None = self._environ.get(_variable(name))
        return value


def refuse_unreadable(handler: Handler) -> Handler:
    """Refuse a request that is not readable HTTP, before anything else is checked."""

    def handle(request: Request) -> Reply:
        if isinstance(request.failure, _UNREADABLE):
            raise request.failure
        return handler(request)

    return handle


def _dispatch(request: Request) -> Reply:
    """Call the operation of a request's route, or raise why there is none."""
    route = request.route
    if request.method == "OPTIONS" and isinstance(request.failure, MethodNotAllowed):
        methods = sorted(request.failure.valid_methods or ())
        return empty_reply(HTTPStatus.NO_CONTENT, {"Allow": ", ".join(methods)})
    if request.failure is not None or route is None:
        raise request.failure or NotFound
    if request.query_string and _takes_no_query(route):
        request.load_query()
    if request.has_body and route.operation.body is None:
        raise MalformedRequestError("malformed.body-not-allowed", method=request.method)
    return route.handle(request)


def _takes_no_query(route: Route) -> bool:
    """Return whether a query is refused; links to pages may have any query."""
    return route.operation.query is NO_QUERY and is_protected(route.path)


@cache
def _variable(name: str) -> str:
    """Return the CGI variable of a header field."""
    variable = name.upper().replace("-", "_")
    return variable if variable in _BARE_VARIABLES else f"HTTP_{variable}"


@cache
def _status_line(status: int) -> str:
    return f"{status:d} {HTTPStatus(status).phrase}"


def _decode(text: str) -> str:
    """Decode a path from UTF-8; WSGI passes its bytes as Latin-1 characters."""
    return text if text.isascii() else text.encode("latin-1").decode(errors="replace")


def _check_host(host: str) -> None:
    if not _HOST.fullmatch(host):
        raise MalformedRequestError("malformed.host")


def _check_target(environ: WSGIEnvironment) -> None:
    """Check the length of the path and query, as sent if the server provides that.

    Raises:
        RequestURITooLarge: It is too long.
    """
    target = environ.get("RAW_URI") or environ["PATH_INFO"] + environ.get(
        "QUERY_STRING", ""
    )
    if len(target) > MAX_TARGET_LENGTH:
        raise RequestURITooLarge
