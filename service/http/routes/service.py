"""The service about itself: its health, its problems, its description."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from flask import Response, request
from werkzeug.exceptions import NotFound

from service.http.docs import pages
from service.http.docs.openapi import to_yaml
from service.http.errors.problems import PROBLEMS
from service.http.operation import Answer, Operation, Route
from service.http.reply import JSON, NOT_KEPT, empty_answer, json_answer
from service.http.schemas.json_schema import ref
from service.http.schemas.views import problem_view
from service.metrics import CONTENT_TYPE, render

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.http.docs.openapi import Document

_HTML: Final = "text/html"
_PLAIN: Final = "text/plain"
_YAML: Final = "application/yaml"

_TAG: Final = "Service"
_CACHING: Final = "public, max-age=3600"
_WELL: Final = {"status": "ok"}
_EXAMPLE: Final = problem_view(PROBLEMS["illegal-move"])


def _declare(
    name: str, summary: str, description: str, answer: Answer, *problems: str
) -> Operation:
    return Operation(name, _TAG, summary, description, (answer,), problems)


_IS_WELL: Final = Answer(200, "All is well.", ref("Health"), {"": _WELL})
_LIVE: Final = _declare(
    "getLiveness",
    "Ask whether the process lives",
    "It asks nothing of the store.",
    _IS_WELL,
)
_READY: Final = _declare(
    "getReadiness",
    "Ask whether the service is ready",
    "It is ready while the store takes writes.",
    _IS_WELL,
    "store-unavailable",
)
_METRICS: Final = _declare(
    "getMetrics",
    "Tell what was counted and timed",
    "In Prometheus's text format, over all worker processes of this machine.",
    Answer(200, "The metrics.", others=(_PLAIN,)),
)
_PROBLEMS: Final = _declare(
    "listProblems",
    "List the problems",
    "Every kind of error that the API answers with, as JSON or as a page.",
    Answer(
        200,
        "The problems.",
        ref("ProblemKinds"),
        {"": {"problems": [_EXAMPLE]}},
        others=(_HTML,),
    ),
)
_PROBLEM: Final = _declare(
    "getProblem",
    "Explain a problem",
    "What the `type` of a problem document leads to, as JSON or as a page.",
    Answer(200, "The problem.", ref("ProblemKind"), {"": _EXAMPLE}, others=(_HTML,)),
)
_OPENAPI_JSON: Final = _declare(
    "getOpenapiJson",
    "Describe the API in JSON",
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
    "Describe the API in YAML",
    "This description, in OpenAPI 3.1.",
    Answer(200, "The description.", others=(_YAML,)),
)
_DOCS: Final = _declare(
    "getDocs",
    "Read about the API",
    "This description as a page for people.",
    Answer(200, "The page.", others=(_HTML,)),
)
_HOME: Final = _declare(
    "getHome",
    "Come in",
    "Leads to the documentation.",
    Answer(302, "To the documentation.", headers=("Location",)),
)


@dataclass(frozen=True)
class ServiceRoutes:
    """The routes of the service itself.

    Attributes:
        ping: Proves that the store takes writes.
        describe: Makes the description of the API.
    """

    ping: Callable[[], None]
    describe: Callable[[], Document]

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
            Route("GET", "/", _HOME, self.home),
        )

    def live(self) -> Response:
        """Say that the process lives."""
        return json_answer(_WELL)

    def ready(self) -> Response:
        """Say that the store takes writes."""
        self.ping()
        return json_answer(_WELL)

    def metrics(self) -> Response:
        """Tell what was counted and timed."""
        fields = {"Content-Type": CONTENT_TYPE, "Cache-Control": NOT_KEPT}
        return Response(render(), headers=fields)

    def problems(self) -> Response:
        """Explain all problems."""
        kinds = [problem_view(problem) for problem in PROBLEMS.values()]
        return _negotiate({"problems": kinds}, pages.problems_page)

    def problem(self, slug: str) -> Response:
        """Explain a problem."""
        if slug not in PROBLEMS:
            raise NotFound
        problem = PROBLEMS[slug]
        return _negotiate(problem_view(problem), lambda: pages.problem_page(problem))

    def openapi_json(self) -> Response:
        """Describe the API in JSON."""
        return json_answer(self.describe(), caching=_CACHING)

    @cached_property
    def _yaml(self) -> str:
        return to_yaml(self.describe())

    def openapi_yaml(self) -> Response:
        """Describe the API in YAML."""
        return _text(self._yaml, _YAML)

    def docs(self) -> Response:
        """Describe the API on a page."""
        return _text(pages.docs_page(self.describe()), _HTML)

    def home(self) -> Response:
        """Lead to the documentation."""
        return empty_answer(302, {"Location": f"{request.script_root}/docs"})


def _negotiate(value: object, page: Callable[[], str]) -> Response:
    """Answer with a value, or with a page about it to who would rather read one."""
    if request.accept_mimetypes.best_match((JSON, _HTML), JSON) == _HTML:
        answer = _text(page(), _HTML)
    else:
        answer = json_answer(value, caching=_CACHING)
    answer.vary.add("Accept")
    return answer


def _text(text: str, media_type: str) -> Response:
    return Response(
        text,
        headers={
            "Content-Type": f"{media_type}; charset=utf-8",
            "Cache-Control": _CACHING,
        },
    )
