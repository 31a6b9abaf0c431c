"""Operations: what a route takes and answers, declared once beside its handler.

The declaration is what requests are checked by and what OpenAPI is made from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from service.http.body import decode_body, is_text, parse_json
from service.http.errors.exceptions import MalformedRequestError
from service.http.query import read_query
from service.http.schemas.input import Input, load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from service.http.middleware import Handler
    from service.http.request import HeaderFields


class Access(Enum):
    """Who may use an operation below /v1 where API keys are configured."""

    KEY = "key"
    """Clients with a key; the tenant is that of the key."""
    GAME = "game_id"
    """Clients with a key, or with a game's id, which decides the tenant."""
    WATCH = "watch_id"
    """Clients with a key, or with a game's watch id, which decides the tenant."""
    PUBLIC = "public"
    """Clients with a key; for the public tenant, if there is one, all clients."""
    ANYBODY = "anybody"


NO_QUERY: Final = Input()
"""The query of an operation that has no parameters."""


_SMALL: Final = 64
"""Bytes in a body that is remembered; a move has about 20."""


@dataclass(frozen=True, slots=True)
class Body:
    """The body that an operation takes.

    Attributes:
        schema: Loads it.
        examples: Bodies it can have, by a short title.
        required: Whether it must be there; if not, none is an empty object.
        read_text: Reads it from plain text, if that is taken as well as JSON.
        text_example: What it can be in plain text.
    """

    schema: Input
    examples: Mapping[str, Any]
    required: bool = True
    read_text: Callable[[str], Any] | None = None
    text_example: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A response of an operation that is not a problem.

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
            that any operation of its form can.
        query: Loads the query.
        body: The body, if it takes one.
        headers: The request's header fields it reads, of those that ``prose``
            describes.
        is_documented: Whether OpenAPI describes it.
        access: Who may use it where API keys are configured.
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
    is_documented: bool = True
    access: Access = Access.KEY

    def load_query(self, query_string: str) -> Any:  # noqa: ANN401 - as the schema has it
        """Load a query; raises as ``Request.load_query`` does."""
        return load(self.query, read_query(query_string))

    def load_body(self, data: bytes, fields: HeaderFields) -> Any:  # noqa: ANN401
        """Load a body; raises as ``Request.load_body`` does."""
        if self.body is None:
            raise LookupError(f"{self.name} takes no body")
        if data and self.body.read_text is not None and is_text(fields):
            return self.body.read_text(decode_body(data))
        if data:
            return _load_json(self.body.schema, data)
        if self.body.required:
            raise MalformedRequestError("malformed.empty")
        return load(self.body.schema, {})


def _load_json(schema: Input, data: bytes) -> Any:  # noqa: ANN401 - as there
    if len(data) > _SMALL:
        return load(schema, parse_json(data))
    return _load_small(schema, data)


@lru_cache(maxsize=4096)
def _load_small(schema: Input, data: bytes) -> Any:  # noqa: ANN401 - as there
    """Load a body of few bytes, which comes often: there are about 100 moves."""
    return load(schema, parse_json(data))


class Route(NamedTuple):
    """A route of the API.

    Attributes:
        method: GET, which stands for HEAD too, POST or DELETE.
        path: The path, parameters in braces.
        operation: What is declared of it.
        handle: Answers a request.
    """

    method: str
    path: str
    operation: Operation
    handle: Handler
