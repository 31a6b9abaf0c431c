"""The API description in OpenAPI 3.1, made from the declarations of the routes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec
import yaml
from apispec import APISpec

import service
from service.http.docs.examples import GAME_ID
from service.http.docs.inputs import (
    Document,
    describe_body,
    describe_forms,
    describe_query,
)
from service.http.docs.prose import (
    ABOUT,
    CHAPTERS,
    LINKS,
    MESSAGES,
    PATH_PARAMETERS,
    REQUEST_HEADERS,
    RESPONSE_HEADERS,
)
from service.http.docs.values import add_meanings
from service.http.errors.problem_types import PROBLEM_TYPES
from service.http.middleware.authentication import is_protected
from service.http.operation import NO_QUERY, Access
from service.http.reply import JSON, PROBLEM_JSON, TEXT
from service.http.schemas.fields import ref
from service.http.schemas.json_schema import component_schemas
from service.http.schemas.new_game import OptionsInput
from service.texts import DEFAULT_LANGUAGE, problem_explanation, problem_title

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from service.http.errors.problem import ProblemType
    from service.http.operation import Answer, Body, Route

_PARTS: Final = ("openapi", "info", "servers", "tags", "paths", "components")
"""The parts of a description, in reading order."""
_ALWAYS: Final = (
    "malformed-request",
    "uri-too-long",
    "validation-error",
    "header-fields-too-large",
    "request-timeout",
    "internal-error",
    "service-stopping",
)
"""The problems of every route; any route can get an invalid query."""
_OF_PATH: Final = ("not-found",)
"""The problems of a route with parameters in its path."""
_OF_BODY: Final = (
    "body-too-large",
    "unsupported-media-type",
    "unknown-transfer-coding",
)
"""The problems of a route that takes a body."""
_AUTHENTICATION_FIELDS: Final = ("unauthorized", "rate-limited", "store-unavailable")
"""The problems of a route to which API keys and rate limits can apply."""
_OF_PROBLEM: Final = ("Content-Language", "Vary")
"""The header fields of every problem document."""
_RATE_LIMIT_FIELDS: Final = ("RateLimit", "RateLimit-Policy")
"""The header fields of every response of such a route, if requests are limited."""

_SOME_TEXT: Final = {"type": "string", "minLength": 1}
_TYPES: Final = {"application/yaml": "object"}
"""The JSON Schema types of media types, besides JSON, that are not strings."""

_KEY: Final = "ApiKey"
_KEY_SCHEME: Final = {
    "type": "http",
    "scheme": "bearer",
    "description": "An API key, if the service requires one.",
}


def describe(routes: Sequence[Route], *, needs_key: bool = False) -> Document:
    """Describe routes in OpenAPI 3.1, as plain data ready for JSON or YAML.

    Args:
        routes: The routes.
        needs_key: Whether API keys are configured, so that /v1 needs one.
    """
    routes = [route for route in routes if route.operation.is_documented]
    spec = APISpec(
        title="Accordion",
        version=service.__version__,
        openapi_version="3.1.0",
        info={
            "summary": "Accordion solitaire in eleven variants, over HTTP.",
            "description": ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        servers=[{"url": "/", "description": "This service."}],
        tags=[{"name": name, "description": text} for name, text in CHAPTERS.items()],
    )
    _add_components(spec)
    bodies = [route.operation.body for route in routes if route.operation.body]
    schemas = {_body_name(body): body.schema for body in bodies}
    for name, schema in schemas.items():
        spec.components.schema(name, describe_body(schema))
    for schema in schemas.values():
        for name, form in describe_forms(schema).items():
            spec.components.schema(name, form)
    for path in dict.fromkeys(route.path for route in routes):
        spec.path(
            path=path,
            operations={
                route.method.lower(): _describe_operation(route, needs_key=needs_key)
                for route in routes
                if route.path == path
            },
        )
    made = msgspec.json.decode(msgspec.json.encode(spec.to_dict()))
    document: Document = {part: made[part] for part in _PARTS}
    document["components"]["links"] = {
        name: {"operationId": name, **link} for name, link in LINKS.items()
    }
    document["webhooks"] = {name: _describe_message(*m) for name, m in MESSAGES.items()}
    add_meanings(document["components"]["schemas"])
    return document


def _describe_message(event: str, schema: str) -> Document:
    """Describe a message to webhooks."""
    content = {"application/json": {"schema": ref(schema)}}
    return {
        "post": {
            "summary": f"`{event}`",
            "tags": ["Webhooks"],
            "security": [],
            "requestBody": {"required": True, "content": content},
            "responses": {
                "2XX": {"description": "It is delivered."},
                "410": {"description": "It ends the webhook."},
            },
        }
    }


def to_yaml(document: Document) -> str:
    """Write a description as YAML; collections of scalars are in flow style."""
    return yaml.dump(
        document,
        Dumper=yaml.CSafeDumper,
        default_flow_style=None,
        sort_keys=False,
        allow_unicode=True,
        width=88,
    )


def _add_components(spec: APISpec) -> None:
    spec.components.security_scheme(_KEY, dict(_KEY_SCHEME))
    for name, schema in component_schemas().items():
        spec.components.schema(name, dict(schema))
    spec.components.schema("OptionsInput", describe_body(OptionsInput()))
    spec.components.schema("ProblemType", _PROBLEM_TYPE)
    spec.components.schema(
        "Problem",
        {
            "type": "object",
            "description": "A problem document (RFC 9457).",
            "properties": dict(_PROBLEM),
            "required": list(_PROBLEM),
        },
    )
    for problem in PROBLEM_TYPES.values():
        spec.components.schema(_schema_name(problem), _describe_problem(problem))
        spec.components.example(problem.slug, {"value": show_problem(problem)})
    for name, header in RESPONSE_HEADERS.items():
        spec.components.header(name, dict(header))
    for name, header in REQUEST_HEADERS.items():
        spec.components.parameter(name, "header", dict(header))
    for name, parameter in PATH_PARAMETERS.items():
        spec.components.parameter(name, "path", dict(parameter))


_PROBLEM_TYPE: Final = {
    "type": "string",
    "description": "What kind of problem it is.",
    "enum": [problem.uri for problem in PROBLEM_TYPES.values()],
}
_PROBLEM: Final[Mapping[str, Document]] = {
    "type": {
        **ref("ProblemType"),
        "description": "What kind of problem it is; this path explains it.",
    },
    "title": {
        "type": "string",
        "description": "What went wrong, in general; in the language of the response.",
    },
    "status": {
        "type": "integer",
        "minimum": 400,
        "maximum": 599,
        "description": "The HTTP status.",
    },
    "detail": {
        "type": "string",
        "description": "What went wrong this time; in the language of the response.",
    },
    "instance": {
        "type": "string",
        "format": "uri-reference",
        "description": "The path of the request.",
    },
}
"""The members of every problem document."""


def _schema_name(problem: ProblemType) -> str:
    return "".join(map(str.capitalize, problem.slug.split("-"))) + "Problem"


def _describe_problem(problem: ProblemType) -> Document:
    """Describe a type of problem in one flat schema, for client generators."""
    fixed: Document = {
        "type": {"type": "string", "const": problem.uri},
        "status": {"type": "integer", "const": problem.status},
    }
    about = {name: {"description": _PROBLEM[name]["description"]} for name in fixed}
    members = problem.members
    return {
        "type": "object",
        "description": problem_explanation(problem.slug, DEFAULT_LANGUAGE),
        "properties": {
            **_PROBLEM,
            **{name: value | about[name] for name, value in fixed.items()},
            **{name: dict(member.schema) for name, member in members.items()},
        },
        "required": [
            *_PROBLEM,
            *(name for name in members if members[name].is_required),
        ],
    }


def show_problem(problem: ProblemType) -> Document:
    """Make an example of a problem document."""
    return {
        "type": problem.uri,
        "title": problem_title(problem.slug, DEFAULT_LANGUAGE),
        "status": problem.status,
        "detail": problem.example(DEFAULT_LANGUAGE),
        "instance": f"/v1/games/{GAME_ID}/moves",
        **{
            name: member.example
            for name, member in problem.members.items()
            if member.is_required
        },
    }


def _describe_operation(route: Route, *, needs_key: bool) -> Document:
    """Describe an operation; apispec replaces the names in it by references."""
    operation, guarded = route.operation, is_protected(route.path)
    is_bound = needs_key and operation.access in {Access.KEY, Access.PUBLIC}
    keyed: list[Document] = [{_KEY: []}] if is_bound else [{}, {_KEY: []}]
    of_path = re.findall(r"{(\w+)}", route.path)
    described: Document = {
        "operationId": operation.name,
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": operation.description,
        "parameters": [*of_path, *operation.headers],
        "security": keyed if guarded else [],
    }
    if operation.query is not NO_QUERY:
        described["parameters"] += describe_query(operation.query)
    slugs = [*operation.problems, *_ALWAYS]
    slugs += _AUTHENTICATION_FIELDS if guarded else ()
    slugs += _OF_PATH if of_path else ()
    if operation.body is not None:
        described["requestBody"] = _describe_body(operation.body)
        slugs += _OF_BODY
    described["responses"] = {
        **{str(a.status): _describe_answer(a) for a in operation.answers},
        **dict(_describe_problems(slugs)),
    }
    if guarded:
        for response in described["responses"].values():
            response.setdefault("headers", {}).update(_references(_RATE_LIMIT_FIELDS))
    return described


def _describe_body(body: Body) -> Document:
    schema = _body_name(body)
    content: Document = {JSON: {"schema": schema, **_show(body.examples)}}
    if body.read_text is not None:
        content[TEXT] = {"schema": _SOME_TEXT, "example": body.text_example}
    return {"required": body.required, "content": content}


def _body_name(body: Body) -> str:
    return type(body.schema).__name__


def _describe_answer(answer: Answer) -> Document:
    content: Document = {}
    if answer.schema is not None:
        content[JSON] = {"schema": answer.schema, **_show(answer.examples)}
    for media_type in answer.others:
        content[media_type] = {"schema": {"type": _TYPES.get(media_type, "string")}}
    parts = {
        "headers": _references(answer.headers),
        "content": content,
        "links": _references(answer.links),
    }
    filled = {name: part for name, part in parts.items() if part}
    return {"description": answer.description, **filled}


def _references(names: Iterable[str]) -> dict[str, str]:
    return {name: name for name in names}


def _show(examples: Mapping[str, Any]) -> Document:
    """Show one example without a title, or several with theirs."""
    match list(examples.items()):
        case []:
            return {}
        case [("", only)]:
            return {"example": only}
    return {"examples": {title: {"value": value} for title, value in examples.items()}}


def _describe_problems(slugs: Iterable[str]) -> Iterator[tuple[str, Document]]:
    """Describe the responses that are problems, one for each status."""
    problems = [PROBLEM_TYPES[slug] for slug in dict.fromkeys(slugs)]
    for status in sorted({problem.status for problem in problems}):
        same = [problem for problem in problems if problem.status == status]
        titles = [problem_title(problem.slug, DEFAULT_LANGUAGE) for problem in same]
        schemas = [_schema_name(problem) for problem in same]
        own = [name for problem in same for name in problem.headers]
        yield (
            str(status),
            {
                "description": " Or: ".join(f"{title}." for title in titles),
                "content": {
                    PROBLEM_JSON: {
                        "schema": {"oneOf": schemas}
                        if len(schemas) > 1
                        else schemas[0],
                        "examples": _references(problem.slug for problem in same),
                    }
                },
                "headers": _references([*_OF_PROBLEM, *own]),
            },
        )
