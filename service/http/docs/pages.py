"""HTML pages of the documentation, made from the API description."""

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
from service.http.reply import JSON, PROBLEM_JSON
from service.texts import DEFAULT_LANGUAGE, problem_explanation, problem_title

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from service.http.docs.inputs import Document
    from service.http.errors.problem import ProblemType

_TEMPLATES: Final = Environment(
    loader=PackageLoader("service.http.docs"), autoescape=True
)
_FILLED_IN: Final = {
    "game_id": "$ID",
    "watch_id": "$WATCH_ID",
    "variant": "royal-marriage",
    "date": "2026-01-31",
    "slug": "illegal-move",
    "seed": "42",
}


class MemberRow(NamedTuple):
    """A member of a body or a response, or a parameter."""

    name: str
    kind: Markup
    about: Markup
    required: bool = False


class DescribedOperation(NamedTuple):
    """An operation in the description.

    Attributes:
        method: The HTTP method, in upper case.
        path: The path, with parameters in braces.
        operation: The description of the operation.
        body: The description of its JSON body; empty if it has none.
    """

    method: str
    path: str
    operation: Document
    body: Document


def docs_page(document: Document, root: str) -> str:
    """Render a description; links begin with ``root``, the prefix of the service."""
    return _TEMPLATES.get_template("docs.html").render(
        root=root, document=document, reader=_Reader(document)
    )


def problems_page(root: str) -> str:
    """Render the list of all types of problems; ``root`` as in ``docs_page``."""
    return _TEMPLATES.get_template("problems.html").render(
        root=root, problems=list(PROBLEM_TYPES.values())
    )


def problem_page(problem: ProblemType, root: str) -> str:
    """Render the explanation of a type of problem; ``root`` as in ``docs_page``."""
    members = [
        MemberRow(
            name, _member_kind(member.schema), to_line(member.schema["description"])
        )
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
    """Return the kind of value of a member of a problem, without links."""
    name = _name(schema) or _name(schema.get("items", {}))
    text = name or _word(schema.get("enum") or schema["type"])
    return escape(f"list of {text}" if "items" in schema else text)


class _Reader:
    """Reads a description."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._bodies = set(self._body_names())

    def entries(self, tag: str = "") -> Iterator[DescribedOperation]:
        """Yield the operations of a chapter; all if the tag is empty."""
        for path, methods in self._document["paths"].items():
            for method, operation in methods.items():
                if tag in {"", *operation["tags"]}:
                    yield DescribedOperation(
                        method.upper(), path, operation, _body(operation)
                    )

    def is_shown(self, name: str) -> bool:
        """Return whether a schema is listed; those of bodies and problems are not."""
        is_problem = name.endswith("Problem") and name != "Problem"
        return not is_problem and name not in self._bodies

    def _body_names(self) -> Iterator[str]:
        """Yield the names of the schemas of bodies and of their forms."""
        for entry in self.entries():
            schema = entry.body.get("schema", {})
            for part in (schema, *self._resolve(schema).get("oneOf", [])):
                yield _name(part)

    def parameters(self, operation: Document) -> Iterator[MemberRow]:
        """Yield the parameters of an operation."""
        for parameter in map(self._resolve, operation["parameters"]):
            kind = self.kind(parameter["schema"])
            yield MemberRow(
                parameter["name"],
                Markup("{}, in the {}").format(kind, parameter["in"]),
                to_line(parameter["description"]),
                parameter.get("required", False),
            )

    def forms(self, body: Document) -> Iterator[tuple[str, list[MemberRow]]]:
        """Yield the forms of a body: the description of each, and its members."""
        whole = self._resolve(body.get("schema", {}))
        for part in map(self._resolve, whole.get("oneOf", [])):
            yield part["description"], self.rows(part)
        if rows := self.rows(whole):
            yield "", rows

    def rows(self, schema: Document) -> list[MemberRow]:
        """List the members of an object, except those that are always null."""
        required = schema.get("required", [])
        return [
            MemberRow(name, self.kind(member), self._about(member), name in required)
            for name, member in schema.get("properties", {}).items()
            if member != {"type": "null"}
        ]

    def _about(self, member: Document) -> Markup:
        """Return the description of a member, or the first line of its type's."""
        text = member.get("description") or self._resolve(member).get("description", "")
        return to_line(text.split("\n\n")[0])

    def kind(self, schema: Mapping[str, Any]) -> Markup:
        """Return in a few words what kind of value a schema describes."""
        match schema:
            case {"anyOf": kinds} | {"oneOf": kinds}:
                return Markup(" or ").join(map(self.kind, kinds))
            case {"$ref": _}:
                return self._link(_name(schema))
            case {"type": "array", "items": items}:
                return Markup("list of {}").format(self.kind(items))
        return _plain_kind(schema)

    def _link(self, name: str) -> Markup:
        if not self.is_shown(name):
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
    return dict(content.get(JSON, {}))


def _name(schema: Mapping[str, Any]) -> str:
    """Return the name of the referenced schema; empty if there is no reference."""
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


def _problems_of(operation: Document) -> Iterator[ProblemType]:
    """Yield the problems that an operation can return."""
    for answer in operation["responses"].values():
        content = answer.get("content", {}).get(PROBLEM_JSON, {})
        for slug in content.get("examples", {}):
            yield PROBLEM_TYPES[slug]


def _values(content: Document) -> Iterator[tuple[str, object]]:
    """Yield the examples of a body or a response, with their titles."""
    if "example" in content:
        yield "", content["example"]
    for title, example in content.get("examples", {}).items():
        yield title, example["value"]


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _pretty(value: object) -> str:
    """Write JSON, with each member of an object on its own line."""
    if not isinstance(value, dict):
        return _compact(value)
    lines = [f"  {json.dumps(name)}: {_compact(value[name])}" for name in value]
    return "{\n" + ",\n".join(lines) + "\n}"


def _address(entry: DescribedOperation) -> str:
    """Return the address of an operation, filled in with example values."""
    path = entry.path
    for parameter, value in _FILLED_IN.items():
        path = path.replace("{" + parameter + "}", value)
    query = "&".join(
        f"{parameter['name']}={_FILLED_IN[parameter['name']]}"
        for parameter in entry.operation["parameters"]
        if parameter.get("in") == "query" and parameter["required"]
    )
    return f"{path}?{query}" if query else path


def _commands(entry: DescribedOperation) -> Iterator[tuple[str, str]]:
    """Yield shell commands that call an operation, with their titles."""
    flag = {"GET": "", "POST": "-X POST ", "DELETE": "-X DELETE "}[entry.method]
    address, examples = f"$HOST{_address(entry)}", list(_values(entry.body))
    if not examples:
        yield "", f"curl {flag}{address}"
    for title, value in examples:
        yield title, f"curl --json {shlex.quote(_compact(value))} {address}"


def _example_body(entry: DescribedOperation) -> str:
    """Return the body that the page offers for trying an operation."""
    values = [value for _, value in _values(entry.body)]
    return _compact(values[0]) if values else ""


_TEMPLATES.filters |= {
    "html": to_html,
    "problem_title": partial(problem_title, language=DEFAULT_LANGUAGE),
    "address": _address,
    "commands": _commands,
    "trial": _example_body,
    "examples": _values,
    "pretty": _pretty,
    "problems": _problems_of,
}
