"""Operations: what a route takes and answers, declared once beside its view.

The declaration is what requests are checked by and what OpenAPI is made from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from flask import request

from service.http.body import parse_json, read_body
from service.http.errors.exceptions import MalformedRequestError
from service.http.loading import load
from service.http.query import read_query
from service.http.schemas.requests import Input

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flask import Response

NO_QUERY: Final = Input()
"""The query of a route that has no parameters."""


@dataclass(frozen=True, slots=True)
class Body:
    """The body that a route takes.

    Attributes:
        schema: Loads it.
        examples: Bodies it can have, by a short title.
        required: Whether it must be there; if not, none is an empty object.
    """

    schema: Input
    examples: Mapping[str, Any]
    required: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of a route that is no problem.

    Attributes:
        status: Its HTTP status.
        description: When it is given, and what it holds.
        schema: The JSON Schema of its JSON, if it has any.
        examples: What that can be, by a short title.
        headers: The names of its header fields, of those that ``prose`` describes.
        links: The names of the operations to go on with, of those that ``prose``
            describes.
        others: The media types it can have besides JSON.
    """

    status: int
    description: str
    schema: Mapping[str, Any] | None = None
    examples: Mapping[str, Any] = field(default_factory=dict)
    headers: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """What a route takes and answers.

    Attributes:
        name: The ``operationId``.
        tag: The chapter of the documentation it stands in.
        summary: What it does, in a few words.
        description: What it does; Markdown.
        answers: What it answers.
        problems: The slugs of the problems it can answer with, apart from those
            that any route of its form can.
        query: Loads the query.
        body: The body, if it takes one.
        headers: The request's header fields it heeds, of those that ``prose``
            describes.
    """

    name: str
    tag: str
    summary: str
    description: str
    answers: tuple[Answer, ...]
    problems: tuple[str, ...] = ()
    query: Input = NO_QUERY
    body: Body | None = None
    headers: tuple[str, ...] = ()


class Route(NamedTuple):
    """A route of the API.

    Attributes:
        method: GET, which stands for HEAD too, POST or DELETE.
        path: The path, parameters in braces.
        operation: What is declared of it.
        view: Makes the answer, of the parameters of the path and, as ``body`` and
            ``query``, of what was loaded where there is any.
    """

    method: str
    path: str
    operation: Operation
    view: Callable[..., Response]


def endpoint_of(route: Route) -> Callable[..., Response]:
    """Make the function that Flask calls: it reads and checks, then asks the view."""
    view, query, body = route.view, route.operation.query, route.operation.body
    if body is not None:
        return _with_body(view, body)
    if query is not NO_QUERY:
        return lambda **path: view(**path, query=load(query, read_query(request)))

    def answer(**path: str) -> Response:
        _refuse_query()
        return view(**path)

    return answer


def _with_body(view: Callable[..., Response], body: Body) -> Callable[..., Response]:
    schema, required = body.schema, body.required

    def answer(**path: str) -> Response:
        _refuse_query()
        data = read_body(request)
        if not data and required:
            raise MalformedRequestError("The body is empty; this needs one in JSON.")
        return view(**path, body=load(schema, parse_json(data) if data else {}))

    return answer


def _refuse_query() -> None:
    if request.query_string:
        load(NO_QUERY, read_query(request))
