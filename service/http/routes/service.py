"""The service about itself: its health, its problems, its description."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
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
    Reply,
    json_reply,
    language_fields,
    text_reply,
)
from service.http.routes.assets import asset_route
from service.http.schemas.fields import ref
from service.http.schemas.service import (
    Health,
    ProblemExplanations,
    problem_response,
)
from service.metrics import CONTENT_TYPE, render
from service.texts import DEFAULT_LANGUAGE

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.http.docs.openapi import Document
    from service.http.request import Request

_PLAIN: Final = "text/plain"
_YAML: Final = "application/yaml"

_TAG: Final = "Service"
_CACHING: Final = "public, max-age=3600"
_WELL: Final = Health()
_STARTS_GAMES: Final = b" data-starts-games"
"""The mark of the page of the game that lets it start games."""
_EXAMPLE: Final = problem_response(PROBLEM_TYPES["illegal-move"], DEFAULT_LANGUAGE)


def _declare(
    name: str, summary: str, description: str, answer: Answer, *problems: str
) -> Operation:
    return Operation(name, _TAG, summary, description, (answer,), problems)


_IS_WELL: Final = Answer(200, "The service is well.", ref("Health"), {"": _WELL})
_LIVE: Final = _declare(
    "getLiveness",
    "Check whether the process runs",
    "Does not use the store.",
    _IS_WELL,
)
_READY: Final = _declare(
    "getReadiness",
    "Check whether the service is ready",
    "The service is ready while the store accepts writes.",
    _IS_WELL,
    "store-unavailable",
)
_METRICS: Final = _declare(
    "getMetrics",
    "Get the metrics",
    "In Prometheus's text format, over all worker processes of this machine.",
    Answer(200, "The metrics.", others=(_PLAIN,)),
)
_PROBLEMS: Final = _declare(
    "listProblems",
    "List the problems",
    "Every kind of error of the API, as JSON or as a page.",
    Answer(
        200,
        "The problems.",
        ref("ProblemExplanations"),
        {"": ProblemExplanations([_EXAMPLE])},
        others=(HTML,),
    ),
)
_PROBLEM: Final = _declare(
    "getProblem",
    "Get the explanation of a problem",
    "The `type` of a problem document is this path. As JSON or as a page.",
    Answer(
        200, "The problem.", ref("ProblemExplanation"), {"": _EXAMPLE}, others=(HTML,)
    ),
)
_OPENAPI_JSON: Final = _declare(
    "getOpenapiJson",
    "Get the API description in JSON",
    "This description, in OpenAPI 3.1.",
    Answer(
        200,
        "The description.",
        {"type": "object"},
        {"": {"openapi": "3.1.0", "info": {"title": "Accordion", "version": "1.0.0"}}},
    ),
)
_OPENAPI_YAML: Final = _declare(
    "getOpenapiYaml",
    "Get the API description in YAML",
    "This description, in OpenAPI 3.1.",
    Answer(200, "The description.", others=(_YAML,)),
)
_DOCS: Final = _declare(
    "getDocs",
    "Get the API documentation",
    "This description as a page.",
    Answer(200, "The page.", others=(HTML,)),
)
_HOME: Final = Operation(
    "getHome",
    _TAG,
    "Get the page of the game",
    "The page on which the game is played.",
    answers=(
        Answer(200, "The page.", others=(HTML,)),
        Answer(304, "The client has this page."),
    ),
    headers=("If-None-Match",),
)


@dataclass(frozen=True)
class ServiceRoutes:
    """The routes of the service itself.

    Attributes:
        ping: Proves that the store takes writes.
        describe: Makes the description of the API.
        starts_games: Whether the page of the game may start games.
    """

    ping: Callable[[], None]
    describe: Callable[[], Document]
    starts_games: bool = True

    def routes(self) -> tuple[Route, ...]:
        """List them."""
        return (
            Route("GET", "/livez", _LIVE, self.live),
            Route("GET", "/readyz", _READY, self.ready),
            Route("GET", "/metrics", _METRICS, self.metrics),
            Route("GET", "/problems", _PROBLEMS, self.problems),
            Route("GET", "/problems/{slug}", _PROBLEM, self.problem),
            Route("GET", "/openapi.json", _OPENAPI_JSON, self.openapi_json),
            Route("GET", "/openapi.yaml", _OPENAPI_YAML, self.openapi_yaml),
            Route("GET", "/docs", _DOCS, self.docs),
            asset_route("/", self._home(), _HOME),
        )

    def _home(self) -> bytes:
        """Return the page of the game; without the mark it plays only given games."""
        page = (files("service.http") / "page/index.html").read_bytes()
        return page if self.starts_games else page.replace(_STARTS_GAMES, b"", 1)

    def live(self, _request: Request) -> Reply:
        """Say that the process lives."""
        return json_reply(_WELL)

    def ready(self, _request: Request) -> Reply:
        """Say that the store takes writes."""
        self.ping()
        return json_reply(_WELL)

    def metrics(self, _request: Request) -> Reply:
        """Return what was counted and timed."""
        fields = {"Content-Type": CONTENT_TYPE, "Cache-Control": NOT_STORED}
        return Reply(200, fields, render())

    def problems(self, request: Request) -> Reply:
        """Explain all types of problems."""
        kinds = [
            problem_response(problem, request.language)
            for problem in PROBLEM_TYPES.values()
        ]
        return _negotiate(
            request,
            ProblemExplanations(kinds),
            lambda: pages.problems_page(request.prefix),
        )

    def problem(self, request: Request) -> Reply:
        """Explain a type of problem."""
        problem = PROBLEM_TYPES.get(request.values["slug"])
        if problem is None:
            raise NotFound
        return _negotiate(
            request,
            problem_response(problem, request.language),
            lambda: pages.problem_page(problem, request.prefix),
        )

    def openapi_json(self, _request: Request) -> Reply:
        """Describe the API in JSON."""
        return json_reply(self.describe(), caching=_CACHING)

    @cached_property
    def _yaml(self) -> str:
        return to_yaml(self.describe())

    def openapi_yaml(self, _request: Request) -> Reply:
        """Describe the API in YAML."""
        return text_reply(self._yaml, _YAML, _CACHING)

    def docs(self, request: Request) -> Reply:
        """Describe the API on a page."""
        page = pages.docs_page(self.describe(), request.prefix)
        return text_reply(page, HTML, _CACHING)


def _negotiate(request: Request, value: object, page: Callable[[], str]) -> Reply:
    """Reply with a value, or with a page about it to a client that prefers one."""
    accepted = parse_accept_header(request.fields.get("Accept"), MIMEAccept)
    if accepted.best_match((JSON, HTML), JSON) == HTML:
        reply = text_reply(page(), HTML, _CACHING)
        reply.fields |= language_fields(DEFAULT_LANGUAGE)
    else:
        fields = language_fields(request.language)
        reply = json_reply(value, caching=_CACHING, fields=fields)
    reply.vary("Accept")
    return reply
