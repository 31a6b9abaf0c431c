"""The service itself: health, metrics, problems, documentation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from werkzeug.datastructures import MIMEAccept
from werkzeug.exceptions import NotFound
from werkzeug.http import parse_accept_header

from service.http.docs import pages
from service.http.docs.openapi import to_yaml
from service.http.errors.problem_types import PROBLEM_TYPES
from service.http.operation import Answer, Operation, Route
from service.http.reply import (
    HTML,
    JSON,
    NOT_STORED,
    TEXT,
    Reply,
    json_reply,
    language_fields,
    text_reply,
)
from service.http.routes.assets import asset_route
from service.http.routing import Chapter, Routes, json_answer
from service.http.schemas.service import (
    Health,
    ProblemExplanations,
    problem_response,
)
from service.metrics import CONTENT_TYPE, render
from service.texts import DEFAULT_LANGUAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from service.http.docs.inputs import Document
    from service.http.request import Request

_YAML: Final = "application/yaml"
_SERVICE: Final = Chapter("Service")
_CACHING: Final = "public, max-age=3600"
_HEALTHY: Final = Health()
_STARTS_GAMES: Final = b" data-starts-games"
"""The attribute in the page of the game with which the page can start games."""
_ANY_DOCUMENT: Final = {
    "openapi": "3.1.0",
    "info": {"title": "Accordion", "version": "1.0.0"},
}
_EXAMPLE: Final = problem_response(PROBLEM_TYPES["illegal-move"], DEFAULT_LANGUAGE)


_HEALTHY_ANSWER: Final = json_answer("The service is healthy.", _HEALTHY)
_HOME: Final = Operation(
    "getHome",
    _SERVICE.tag,
    "Get the page of the game",
    "The page on which the game is played.",
    answers=(
        Answer(200, "The page.", others=(HTML,)),
        Answer(304, "The client has this page."),
    ),
    headers=("If-None-Match",),
)


@dataclass(frozen=True)
class ServiceRoutes(Routes):
    """The routes of the service itself.

    Attributes:
        ping: Checks that the store accepts writes; raises an error if it does not.
        describe: Makes the OpenAPI description.
        starts_games: Whether the page of the game can start games.
    """

    ping: Callable[[], None]
    describe: Callable[[], Document]
    starts_games: bool = True

    def routes(self) -> Iterator[Route]:
        """Yield the declared routes and the page of the game."""
        yield from super().routes()
        yield asset_route("/", self._home(), _HOME)

    def _home(self) -> bytes:
        """Return the page; without the attribute it plays only games in its links."""
        page = (files("service.http") / "page/index.html").read_bytes()
        return page if self.starts_games else page.replace(_STARTS_GAMES, b"", 1)

    @_SERVICE.operation("GET /livez", _HEALTHY_ANSWER)
    def get_liveness(self, _request: Request) -> Reply:
        """Check whether the process runs.

        The store is not checked.
        """
        return json_reply(_HEALTHY)

    @_SERVICE.operation("GET /readyz", _HEALTHY_ANSWER, problems=("store-unavailable",))
    def get_readiness(self, _request: Request) -> Reply:
        """Check whether the service is ready.

        The service is ready while the store accepts writes.
        """
        self.ping()
        return json_reply(_HEALTHY)

    @_SERVICE.operation("GET /metrics", Answer(200, "The metrics.", others=(TEXT,)))
    def get_metrics(self, _request: Request) -> Reply:
        """Get the metrics.

        Returns the metrics in the text format of Prometheus, summed over all worker
        processes of this machine.
        """
        fields = {"Content-Type": CONTENT_TYPE, "Cache-Control": NOT_STORED}
        return Reply(200, fields, render())

    @_SERVICE.operation(
        "GET /problems",
        json_answer("The problems.", ProblemExplanations([_EXAMPLE]), others=(HTML,)),
    )
    def list_problems(self, request: Request) -> Reply:
        """List the problems.

        Returns all types of errors of the API, as JSON or as an HTML page.
        """
        kinds = [
            problem_response(problem, request.language)
            for problem in PROBLEM_TYPES.values()
        ]
        page = partial(pages.problems_page, request.prefix)
        return _negotiate(request, ProblemExplanations(kinds), page)

    @_SERVICE.operation(
        "GET /problems/{slug}", json_answer("The problem.", _EXAMPLE, others=(HTML,))
    )
    def get_problem(self, request: Request) -> Reply:
        """Get the explanation of a problem.

        The `type` of a problem document is the path of its explanation. `Accept`
        chooses between JSON and an HTML page.
        """
        problem = PROBLEM_TYPES.get(request.values["slug"])
        if problem is None:
            raise NotFound
        page = partial(pages.problem_page, problem, request.prefix)
        return _negotiate(request, problem_response(problem, request.language), page)

    @_SERVICE.operation(
        "GET /openapi.json",
        Answer(200, "The description.", {"type": "object"}, {"": _ANY_DOCUMENT}),
    )
    def get_openapi_json(self, _request: Request) -> Reply:
        """Get the API description in JSON.

        Returns this description, in OpenAPI 3.1.
        """
        return json_reply(self.describe(), caching=_CACHING)

    @cached_property
    def _yaml(self) -> str:
        return to_yaml(self.describe())

    @_SERVICE.operation(
        "GET /openapi.yaml", Answer(200, "The description.", others=(_YAML,))
    )
    def get_openapi_yaml(self, _request: Request) -> Reply:
        """Get the API description in YAML.

        Returns this description, in OpenAPI 3.1.
        """
        return text_reply(self._yaml, _YAML, _CACHING)

    @_SERVICE.operation("GET /docs", Answer(200, "The page.", others=(HTML,)))
    def get_docs(self, request: Request) -> Reply:
        """Get the API documentation.

        Returns this description as an HTML page.
        """
        page = pages.docs_page(self.describe(), request.prefix)
        return text_reply(page, HTML, _CACHING)


def _negotiate(request: Request, value: object, page: Callable[[], str]) -> Reply:
    """Make a reply with a value, or with an HTML page if the client prefers one."""
    accepted = parse_accept_header(request.fields.get("Accept"), MIMEAccept)
    if accepted.best_match((JSON, HTML), JSON) == HTML:
        reply = text_reply(page(), HTML, _CACHING)
        reply.fields |= language_fields(DEFAULT_LANGUAGE)
    else:
        fields = language_fields(request.language)
        reply = json_reply(value, caching=_CACHING, fields=fields)
    reply.vary("Accept")
    return reply
