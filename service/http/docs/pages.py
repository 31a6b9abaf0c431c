"""The documentation as pages: the description of the API, laid out for people."""

from __future__ import annotations

import json
import shlex
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape

from service.http.docs.markdown import to_html, to_line
from service.http.docs.openapi import show_problem
from service.http.errors.problem_types import PROBLEM_TYPES
from service.texts import DEFAULT_LANGUAGE, problem_explanation, problem_title

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
    """A member of a body or a response, or a parameter."""

    name: str
    kind: Markup
    about: Markup
    required: bool = False


class Form(NamedTuple):
    """One of the forms of an object."""

    about: str
    members: list[Row]


class Sample(NamedTuple):
    """An example, with its title if there are several."""

    title: str
    text: str


class Reply(NamedTuple):
    """A response that is no problem."""

    status: str
    about: str
    kind: Markup
    samples: list[Sample]


class Chapter(NamedTuple):
    """A chapter of the documentation."""

    name: str
    about: Markup
    operations: list[Entry]


class Trial(NamedTuple):
    """What a request that is tried from the page is filled in with."""

    path: str
    body: str
    has_body: bool


class Entry(NamedTuple):
    """An operation."""

    name: str
    method: str
    path: str
    summary: str
    about: Markup
    commands: list[Sample]
    fields: list[Row]
    forms: list[Form]
    replies: list[Reply]
    problems: list[ProblemType]
    trial: Trial


class Data(NamedTuple):
    """A named type."""

    name: str
    about: Markup
    kind: Markup
    members: list[Row]


def docs_page(document: Document, root: str) -> str:
    """Lay out a description; links begin with the root of the service."""
    reader = _Reader(document)
    return _TEMPLATES.get_template("docs.html").render(
        root=root,
        info=document["info"],
        about=to_html(document["info"]["description"]),
        chapters=reader.chapters(),
        data=reader.data(),
    )


def problems_page(root: str) -> str:
    """Lay out all types of problems."""
    return _TEMPLATES.get_template("problems.html").render(
        root=root, problems=list(PROBLEM_TYPES.values())
    )


def problem_page(problem: ProblemType, root: str) -> str:
    """Lay out a type of problem."""
    members = [
        Row(name, _member_kind(member.schema), to_line(member.schema["description"]))
        for name, member in problem.members.items()
    ]
    return _TEMPLATES.get_template("problem.html").render(
        root=root,
        problem=problem,
        about=to_html(problem_explanation(problem.slug, DEFAULT_LANGUAGE)),
        members=members,
        example=_pretty(show_problem(problem)),
    )


def _member_kind(schema: Mapping[str, Any]) -> Markup:
    """Say what kind of value a member of a problem is, which has no links."""
    name = _name(schema) or _name(schema.get("items", {}))
    text = name or _word(schema.get("enum") or schema["type"])
    return escape(f"list of {text}" if "items" in schema else text)


class _Reader:
    """Reads a description."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._schemas: Document = document["components"]["schemas"]
        self._bodies = set(self._body_names())

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
        """List the named types, but for bodies and problems, which stand elsewhere."""
        return [
            Data(
                name,
                to_html(schema.get("description", "")),
                Markup() if "properties" in schema else self._kind(schema),
                self._rows(schema),
            )
            for name, schema in self._schemas.items()
            if self._is_shown(name)
        ]

    def _is_shown(self, name: str) -> bool:
        is_problem = name.endswith("Problem") and name != "Problem"
        return not is_problem and name not in self._bodies

    def _body_names(self) -> Iterator[str]:
        """Yield the names of the schemas of bodies and of their forms."""
        for methods in self._document["paths"].values():
            for operation in methods.values():
                schema = _body(operation).get("schema", {})
                whole = self._resolve(schema)
                for part in (schema, *whole.get("oneOf", [])):
                    yield _name(part)

    def _entries(self) -> Iterator[tuple[str, Entry]]:
        for path, methods in self._document["paths"].items():
            for method, operation in methods.items():
                yield operation["tags"][0], self._entry(path, method, operation)

    def _entry(self, path: str, method: str, operation: Document) -> Entry:
        body = _body(operation)
        address = _address(path, operation)
        examples = list(_examples(body))
        return Entry(
            name=operation["operationId"],
            method=method.upper(),
            path=path,
            summary=operation["summary"],
            about=to_html(operation["description"]),
            commands=list(_commands(address, method, examples)),
            fields=[self._parameter(p) for p in operation.get("parameters", [])],
            forms=self._forms(body.get("schema", {})),
            replies=[
                self._reply(status, answer)
                for status, answer in operation["responses"].items()
                if _PROBLEM_JSON not in answer.get("content", {})
            ],
            problems=list(_problems(operation)),
            trial=Trial(
                address.removeprefix("$HOST"),
                examples[0].text if examples else "",
                has_body=bool(body),
            ),
        )

    def _parameter(self, parameter: Document) -> Row:
        parameter = self._resolve(parameter)
        place = Markup("{}, in the {}")
        return Row(
            parameter["name"],
            place.format(self._kind(parameter["schema"]), parameter["in"]),
            to_line(parameter.get("description", "")),
            parameter.get("required", False),
        )

    def _reply(self, status: str, answer: Document) -> Reply:
        content = answer.get("content", {}).get(_JSON, {})
        return Reply(
            status,
            answer["description"],
            self._kind(content["schema"]) if content else Markup(),
            [Sample(title, _pretty(value)) for title, value in _values(content)],
        )

    def _forms(self, schema: Document) -> list[Form]:
        """List the forms that a body can have."""
        whole = self._resolve(schema)
        if "oneOf" not in whole:
            return [Form("", rows)] if (rows := self._rows(whole)) else []
        parts = [self._resolve(part) for part in whole["oneOf"]]
        return [Form(part["description"], self._rows(part)) for part in parts]

    def _rows(self, schema: Document) -> list[Row]:
        """List the members of an object, but for those that are always null."""
        required = schema.get("required", [])
        return [
            Row(name, self._kind(member), self._about(member), name in required)
            for name, member in schema.get("properties", {}).items()
            if member != {"type": "null"}
        ]

    def _about(self, member: Document) -> Markup:
        """Return the description of a member, or the first line of its type's."""
        text = member.get("description") or self._resolve(member).get("description", "")
        return to_line(text.split("\n\n")[0])

    def _kind(self, schema: Mapping[str, Any]) -> Markup:
        """Say in a few words what kind of value a schema describes."""
        match schema:
            case {"anyOf": kinds} | {"oneOf": kinds}:
                return Markup(" or ").join(map(self._kind, kinds))
            case {"$ref": _}:
                return self._link(_name(schema))
            case {"type": "array", "items": items}:
                return Markup("list of {}").format(self._kind(items))
        return _plain_kind(schema)

    def _link(self, name: str) -> Markup:
        if not self._is_shown(name):
            return Markup("<code>{}</code>").format(name)
        return Markup('<a href="#data-{0}"><code>{0}</code></a>').format(name)

    def _resolve(self, part: Document) -> Document:
        """Follow a reference, if it is one."""
        if "$ref" not in part:
            return part
        found: Any = self._document
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        return dict(found)


def _body(operation: Document) -> Document:
    content: Document = operation.get("requestBody", {}).get("content", {})
    return dict(content.get(_JSON, {}))


def _name(schema: Mapping[str, Any]) -> str:
    """Return the name of the schema that is referred to; empty if none is."""
    return str(schema.get("$ref", "")).rsplit("/", 1)[-1]


def _plain_kind(schema: Mapping[str, Any]) -> Markup:
    match schema:
        case {"const": value}:
            return _codes([value])
        case {"enum": values}:
            return _codes(values)
        case {"type": kind, "format": form}:
            return Markup("{} ({})").format(kind, form)
    return escape(schema.get("type", "any"))


def _codes(values: list[object]) -> Markup:
    codes = (Markup("<code>{}</code>").format(_word(value)) for value in values)
    return Markup(", ").join(codes)


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _problems(operation: Document) -> Iterator[ProblemType]:
    for answer in operation["responses"].values():
        content = answer.get("content", {}).get(_PROBLEM_JSON, {})
        for slug in content.get("examples", {}):
            yield PROBLEM_TYPES[slug]


def _values(content: Document) -> Iterator[tuple[str, object]]:
    """Yield the examples of a body or a response, with their titles."""
    if "example" in content:
        yield "", content["example"]
    for title, example in content.get("examples", {}).items():
        yield title, example["value"]


def _examples(body: Document) -> Iterator[Sample]:
    for title, value in _values(body):
        yield Sample(title, json.dumps(value, ensure_ascii=False))


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


def _commands(
    address: str, method: str, examples: Sequence[Sample]
) -> Iterator[Sample]:
    """Write an operation as commands for the shell."""
    if not examples:
        flag = {"get": "", "post": "-X POST ", "delete": "-X DELETE "}[method]
        yield Sample("", f"curl {flag}{address}")
    for title, text in examples:
        yield Sample(title, f"curl --json {shlex.quote(text)} {address}")
