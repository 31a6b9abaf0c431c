"""Operations: the requests and responses of a route, declared once beside its handler.

Requests are checked against the declaration, and OpenAPI is generated from it.
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
    """Who may use an operation below /v1 if API keys are configured."""

    KEY = "key"
    """Clients with a key; the tenant is that of the key."""
    GAME = "game_id"
    """Clients with a key, or with a game's id, which decides the tenant."""
    WATCH = "watch_id"
    """Clients with a key, or with a game's watch id, which decides the tenant."""
    PUBLIC = "public"
    """Clients with a key; if there is a public tenant, all clients, as that tenant."""
    ANYBODY = "anybody"


NO_QUERY: Final = Input()
"""The query of an operation without query parameters."""


_MAX_CACHED_BYTES: Final = 64
"""The maximum size in bytes of a body whose value is cached; a move has about 20."""


@dataclass(frozen=True, slots=True)
class Body:
    """The body that an operation takes.

    Attributes:
        schema: Loads the JSON.
        examples: Examples of the JSON, by a short title.
        required: Whether a body is required; if not, a missing one is an empty object.
        read_text: Reads a body in plain text; None if only JSON is accepted.
        text_example: An example in plain text.
    """

    schema: Input
    examples: Mapping[str, Any]
    required: bool = True
    read_text: Callable[[str], Any] | None = None
    text_example: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A response of an operation, other than a problem.

    Attributes:
        status: The HTTP status.
        description: When it is returned, and what it contains.
        schema: The JSON Schema of its JSON; None if it has no JSON.
        examples: Examples of the JSON, by a short title.
        headers: The names of its header fields, in ``prose.RESPONSE_HEADERS``.
        links: The names of the operations that can follow, in ``prose.LINKS``.
        others: The media types that it can have besides JSON.
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
    """The requests that a route accepts, and its responses.

    Attributes:
        name: The ``operationId``.
        tag: The chapter of the documentation.
        summary: What it does, in a few words.
        description: What it does, in Markdown.
        answers: The responses that are not problems.
        problems: The slugs of its problems, without those that ``docs.openapi`` adds
            because of its path or its body.
        query: Loads the query.
        body: The body; None if it takes none.
        headers: The names of the request header fields that it reads, in
            ``prose.REQUEST_HEADERS``.
        is_documented: Whether OpenAPI describes it.
        access: Who may use it if API keys are configured.
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
        """Load a query; raises the errors of ``Request.load_query``."""
        return load(self.query, read_query(query_string))

    def load_body(self, data: bytes, fields: HeaderFields) -> Any:  # noqa: ANN401
        """Load a body that was read; raises the errors of ``Request.load_body``."""
        if self.body is None:
            raise LookupError(f"{self.name} takes no body")
        if data and self.body.read_text is not None and is_text(fields):
            return self.body.read_text(decode_body(data))
        if data:
            return _load_json(self.body.schema, data)
        if self.body.required:
            raise MalformedRequestError("malformed.empty")
        return load(self.body.schema, {})


def _load_json(schema: Input, data: bytes) -> Any:  # noqa: ANN401 - what it makes
    if len(data) > _MAX_CACHED_BYTES:
        return load(schema, parse_json(data))
    return _load_small(schema, data)


@lru_cache(maxsize=4096)
def _load_small(schema: Input, data: bytes) -> Any:  # noqa: ANN401 - what it makes
    """Load a small body, cached by its bytes: there are only about 100 moves."""
    return load(schema, parse_json(data))


class Route(NamedTuple):
    """A route of the API.

    Attributes:
        method: GET (for HEAD too), POST or DELETE.
        path: The path, with parameters in braces.
    """

    method: str
    path: str
    operation: Operation
    handle: Handler
