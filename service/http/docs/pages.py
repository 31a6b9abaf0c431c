"""The documentation as pages: the description of the API, laid out for people."""

from __future__ import annotations

import json
import shlex
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from jinja2 import Environment, PackageLoader

from service.http.docs.markdown import to_html, to_line
from service.http.docs.openapi import show_problem
from service.http.errors.problem_types import PROBLEM_TYPES
from service.texts import DEFAULT_LANGUAGE, problem_explanation, problem_title

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from markupsafe import Markup

    from service.http.docs.openapi import Document
    from service.http.errors.problem import ProblemType

_TEMPLATES: Final = Environment(
    loader=PackageLoader("service.http.docs"), autoescape=True
)
_TEMPLATES.filters["problem_title"] = partial(problem_title, language=DEFAULT_LANGUAGE)
_JSON: Final = "application/json"
_PROBLEM_JSON: Final = "application/problem+json"
_FILLED_IN: Final = {
    "game_id": "$ID",
    "watch_id": "$WATCH_ID",
    "variant": "royal-marriage",
    "date": "2026-01-31",
    "slug": "illegal-move",
    "seed": "42",
}


class Row(NamedTuple):
    """A member of a body or an answer, or a parameter."""

    name: str
    kind: str
    about: Markup
    required: bool = False


class Sample(NamedTuple):
    """An example, with its title if there are several."""

    title: str
    text: str


class Reply(NamedTuple):
    """An answer that is no problem."""

    status: str
    about: str
    kind: str
    samples: list[Sample]


class Chapter(NamedTuple):
    """A chapter of the documentation."""

    name: str
    about: Markup
    operations: list[Entry]


class Entry(NamedTuple):
    """An operation."""

    name: str
    method: str
    path: str
    summary: str
    about: Markup
    commands: list[Sample]
    fields: list[Row]
    members: list[Row]
    replies: list[Reply]
    problems: list[ProblemType]


class Data(NamedTuple):
    """A kind of object in answers."""

    name: str
    about: Markup
    forms: list[list[Row]]


def docs_page(document: Document, root: str) -> str:
    """Lay out a description; links begin with the root of the service."""
    reader = _Reader(document)
    data = reader.data()
    return _TEMPLATES.get_template("docs.html").render(
        root=root,
        info=document["info"],
        about=to_html(document["info"]["description"]),
        chapters=reader.chapters(),
        data=data,
        names={kind.name for kind in data},
    )


def problems_page(root: str) -> str:
    """Lay out all types of problems."""
    return _TEMPLATES.get_template("problems.html").render(
        root=root, problems=list(PROBLEM_TYPES.values())
    )


def problem_page(problem: ProblemType, root: str) -> str:
    """Lay out a type of problem."""
    members = [
        Row(name, _kind(member.schema), to_line(member.schema["description"]))
        for name, member in problem.members.items()
    ]
    return _TEMPLATES.get_template("problem.html").render(
        root=root,
        problem=problem,
        about=to_html(problem_explanation(problem.slug, DEFAULT_LANGUAGE)),
        members=members,
        example=_pretty(show_problem(problem)),
    )


class _Reader:
    """Reads a description."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def chapters(self) -> list[Chapter]:
        entries = list(self._entries())
        return [
            Chapter(
                tag["name"],
                to_html(tag["description"]),
                [entry for name, entry in entries if name == tag["name"]],
            )
            for tag in self._document["tags"]
        ]

    def data(self) -> list[Data]:
        schemas = self._document["components"]["schemas"]
        return [
            Data(name, to_html(schema.get("description", "")), self._forms(schema))
            for name, schema in schemas.items()
            if not name.endswith(("Problem", "Input", "Query"))
        ]

    def _entries(self) -> Iterator[tuple[str, Entry]]:
        for path, methods in self._document["paths"].items():
            for method, operation in methods.items():
                yield operation["tags"][0], self._entry(path, method, operation)

    def _entry(self, path: str, method: str, operation: Document) -> Entry:
        body = operation.get("requestBody", {}).get("content", {}).get(_JSON, {})
        replies = [
            self._reply(status, answer)
            for status, answer in operation["responses"].items()
            if _PROBLEM_JSON not in answer.get("content", {})
        ]
        return Entry(
            name=operation["operationId"],
            method=method.upper(),
            path=path,
            summary=operation["summary"],
            about=to_html(operation["description"]),
            commands=list(_commands(_address(path, operation), method, body)),
            fields=[self._parameter(p) for p in operation.get("parameters", [])],
            members=self._members(self._resolve(body.get("schema", {}))),
            replies=replies,
            problems=list(_problems(operation)),
        )

    def _parameter(self, parameter: Document) -> Row:
        parameter = self._resolve(parameter)
        return Row(
            parameter["name"],
            f"{_kind(parameter['schema'])}, in the {parameter['in']}",
            to_line(parameter.get("description", "")),
            parameter.get("required", False),
        )

    def _reply(self, status: str, answer: Document) -> Reply:
        content = answer.get("content", {}).get(_JSON, {})
        return Reply(
            status,
            answer["description"],
            _kind(content["schema"]) if content else "",
            list(_samples(content)),
        )

    def _members(self, schema: Document) -> list[Row]:
        required = schema.get("required", [])
        return [
            row._replace(required=row.name in required) for row in self._rows(schema)
        ]

    def _rows(self, schema: Document) -> list[Row]:
        return [
            Row(name, _kind(member), self._about(member))
            for name, member in schema.get("properties", {}).items()
        ]

    def _forms(self, schema: Document) -> list[list[Row]]:
        """List the members of each form that an object can have."""
        forms = schema.get("oneOf") or schema.get("anyOf") or [schema]
        return [rows for form in forms if (rows := self._rows(form))]

    def _about(self, member: Document) -> Markup:
        text = member.get("description") or self._resolve(member).get("description", "")
        return to_line(text)

    def _resolve(self, part: Document) -> Document:
        """Follow a reference, if it is one."""
        if "$ref" not in part:
            return part
        found: Any = self._document
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        return dict(found)


def _kind(schema: Mapping[str, Any]) -> str:
    """Say in a few words what kind of value a schema describes."""
    match schema:
        case {"anyOf": kinds} | {"oneOf": kinds}:
            return " or ".join(map(_kind, kinds))
        case {"type": [kind, "null"], **rest}:
            return f"{_kind({**rest, 'type': kind})} or null"
        case {"type": "array", "items": items}:
            return f"list of {_kind(items)}"
        case {"type": kind, "format": form}:
            return f"{kind} ({form})"
    return _plain_kind(schema)


def _plain_kind(schema: Mapping[str, Any]) -> str:
    match schema:
        case {"$ref": reference}:
            return str(reference).rsplit("/", 1)[-1]
        case {"const": value}:
            return json.dumps(value)
        case {"type": kind}:
            return str(kind)
        case {"enum": _}:
            return "string"
    return "any"


def _problems(operation: Document) -> Iterator[ProblemType]:
    for answer in operation["responses"].values():
        content = answer.get("content", {}).get(_PROBLEM_JSON, {})
        for slug in content.get("examples", {}):
            yield PROBLEM_TYPES[slug]


def _samples(content: Document) -> Iterator[Sample]:
    if "example" in content:
        yield Sample("", _pretty(content["example"]))
    for title, example in content.get("examples", {}).items():
        yield Sample(title, _pretty(example["value"]))


def _pretty(value: object) -> str:
    """Write JSON, each member of an object on a line of its own."""
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    lines = [
        f"  {json.dumps(name)}: {json.dumps(member, ensure_ascii=False)}"
        for name, member in value.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}"


def _address(path: str, operation: Document) -> str:
    """Fill in the address of an operation."""
    for parameter, value in _FILLED_IN.items():
        path = path.replace("{" + parameter + "}", value)
    query = "&".join(
        f"{parameter['name']}={_FILLED_IN[parameter['name']]}"
        for parameter in operation["parameters"]
        if parameter.get("in") == "query" and parameter["required"]
    )
    return f"$HOST{path}?{query}" if query else f"$HOST{path}"


def _commands(address: str, method: str, body: Document) -> Iterator[Sample]:
    """Write an operation as commands for the shell."""
    if not body:
        flag = {"get": "", "post": "-X POST ", "delete": "-X DELETE "}[method]
        yield Sample("", f"curl {flag}{address}")
        return
    examples = {"": {"value": body["example"]}} if "example" in body else {}
    for title, example in (examples | body.get("examples", {})).items():
        text = json.dumps(example["value"], ensure_ascii=False)
        yield Sample(title, f"curl --json {shlex.quote(text)} {address}")
