"""Declarations of operations, by a decorator on each handler.

The name of the handler becomes the ``operationId`` (``get_game``: ``getGame``), the
first line of its docstring the summary, and the rest the description, in Markdown.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MethodType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from service.http.idempotency import IDEMPOTENCY_FIELD
from service.http.middleware.authentication import BY_ID
from service.http.operation import NO_QUERY, Access, Answer, Body, Operation, Route
from service.http.schemas.fields import ref
from service.http.schemas.play import NothingInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from service.games.use_cases import UseCases
    from service.http.game_replies import GameReplies
    from service.http.reply import Reply
    from service.http.request import Request
    from service.http.schemas.input import Input

Method: TypeAlias = "Callable[..., Reply]"
"""A handler as a method of a subclass of ``Routes``; it also takes the instance."""
Declare: TypeAlias = "Callable[[Method], Route]"
"""Makes a route from a method; ``Routes.routes`` binds the instance."""

NOTHING: Final = Body(NothingInput(), {"": {}}, required=False)
"""The body of an operation that needs no input."""
CREATED: Final = ("Cache-Control", "Location", "Idempotent-Replayed")
"""The header fields of the response to a creation."""

_OF_FIELDS: Final = {
    "If-Match": ("version-mismatch", "precondition-required"),
    IDEMPOTENCY_FIELD: ("idempotency-key-reused", "idempotency-in-flight"),
}
"""The problems of an operation, by the request header field that it reads."""


class Routes:
    """The base of classes whose declared methods handle requests."""

    __slots__ = ()

    def routes(self) -> Iterator[Route]:
        """Yield a route for each declared method, in the order of definition."""
        for route in vars(type(self)).values():
            if isinstance(route, Route):
                yield route._replace(handle=MethodType(route.handle, self))


@dataclass(frozen=True, slots=True)
class CaseRoutes(Routes):
    """Routes that call the use cases.

    Attributes:
        clock: Returns the time in milliseconds since 1970, UTC.
    """

    cases: UseCases
    replies: GameReplies
    clock: Callable[[], int]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter of the documentation.

    Attributes:
        tag: The name of the chapter, a tag in OpenAPI.
        problems: The slugs of the problems that all its operations share.
        needs_key: Whether all its operations refuse requests without an API key, even
            if no keys are configured.
    """

    tag: str
    problems: tuple[str, ...] = ()
    needs_key: bool = False

    def operation(  # noqa: PLR0913 - one for each part of the declaration
        self,
        target: str,
        *answers: Answer,
        problems: tuple[str, ...] = (),
        query: Input = NO_QUERY,
        body: Body | None = None,
        headers: tuple[str, ...] = (),
        access: Access = Access.KEY,
        needs_key: bool = False,
        description: str = "",
    ) -> Declare:
        """Declare the operation that a method of a subclass of ``Routes`` handles.

        The arguments are as in ``Operation`` and ``Chapter``, except for ``target``,
        the HTTP method and the path, as in ``GET /v1/games/{game_id}``; ``problems``,
        without those that the chapter or other arguments imply; and ``description``,
        which replaces the description in the method's docstring.
        """
        method, path = target.split()
        needs_key = needs_key or self.needs_key
        slugs = (
            *(("game-not-found",) if access in BY_ID else ()),
            *problems,
            *(("key-required",) if needs_key else ()),
            *(slug for field in headers for slug in _OF_FIELDS.get(field, ())),
            *self.problems,
        )

        def declare(handle: Method) -> Route:
            summary, _, text = (handle.__doc__ or "").partition("\n")
            operation = Operation(
                _camel_case(handle.__name__),
                self.tag,
                summary.removesuffix("."),
                description or " ".join(text.split()),
                answers,
                slugs,
                query,
                body,
                headers,
                access=access,
            )
            checked = _with_key(handle) if needs_key else handle
            return Route(method, path, operation, checked)

        return declare


def json_answer(
    description: str,
    example: Any,  # noqa: ANN401 - a response, or several with their titles
    headers: tuple[str, ...] = (),
    *,
    status: int = 200,
    schema: str = "",
    **more: tuple[str, ...],
) -> Answer:
    """Declare a response with JSON.

    Args:
        description: As in ``Answer``.
        example: An example, or several by their titles.
        headers: As in ``Answer``.
        status: The HTTP status.
        schema: The name of the JSON Schema; by default that of the example's type.
        more: ``links`` and ``others``, as in ``Answer``.
    """
    examples = example if isinstance(example, dict) else {"": example}
    name = schema or type(next(iter(examples.values()))).__name__
    return Answer(status, description, ref(name), examples, headers, **more)


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _with_key(handle: Method) -> Method:
    """Refuse requests without an API key."""

    def handle_with_key(routes: Any, request: Request) -> Reply:  # noqa: ANN401
        request.require_key()
        return handle(routes, request)

    return handle_with_key
