"""JSON Schemas of queries and bodies, including null and the forms of a body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from service.http.schemas.fields import ref

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from service.http.schemas.input import Form, Input, Value

Document: TypeAlias = "dict[str, Any]"
"""The API description or a part of it, as plain data ready for JSON."""


def describe_query(query: Input) -> list[Document]:
    """Describe the parameters of a query."""
    return [
        {
            "in": "query",
            "name": name,
            "description": value.description,
            "schema": value.field_type.schema,
            "required": value.required,
        }
        for name, value in query.members.items()
    ]


def describe_body(body: Input) -> Document:
    """Describe a body; if it has several forms, as a choice of them.

    The forms are closed objects, so that client generators make a type of each.
    """
    description = " ".join((body.__doc__ or "").split())
    if body.forms:
        return {"description": description, "oneOf": [*map(ref, body.forms)]}
    required = _required(body)
    return {
        "type": "object",
        "properties": {name: _describe(it) for name, it in body.members.items()},
        **({"required": sorted(required)} if required else {}),
        "additionalProperties": False,
        "description": description,
    }


def describe_forms(body: Input) -> Mapping[str, Document]:
    """Describe the forms of a body, by the names of their schemas."""
    return {name: _describe_form(form, body) for name, form in body.forms.items()}


def _describe_form(form: Form, body: Input) -> Document:
    needed, refused = _needed(form, body), _refused(form, body)
    properties: Document = {}
    for name, value in body.members.items():
        if name in form.narrowed:
            narrowed = form.narrowed[name]
            properties[name] = {**narrowed, "description": value.description}
        elif name in refused:
            properties[name] = _any_of([*map(_constant, value.absent or (None,))])
        elif name in needed and not value.allow_none:
            properties[name] = _describe(value, absent=())
        else:
            properties[name] = _describe(value)
    return {
        "type": "object",
        "description": form.description,
        "properties": properties,
        "required": sorted(_required(body) | needed),
        "additionalProperties": False,
    }


def _required(body: Input) -> set[str]:
    return {name for name, value in body.members.items() if value.required}


def _needed(form: Form, body: Input) -> set[str]:
    """Return the members that a form requires."""
    return {
        *form.required,
        *(body.requires[m] for m in form.required if m in body.requires),
    }


def _refused(form: Form, body: Input) -> set[str]:
    """Return the members that a form cannot have."""
    own = {*_needed(form, body), *form.narrowed}
    of_others = {name for other in body.forms.values() for name in other.required}
    excluded_members = {
        excluded
        for one, others in body.excludes.items()
        for other in others
        for own_member, excluded in ((one, other), (other, one))
        if own_member in form.required
    }
    refused = (of_others | excluded_members) - own
    return refused | {one for one, other in body.requires.items() if other in refused}


def _describe(value: Value[Any], absent: Iterable[object] | None = None) -> Document:
    """Describe a member; if optional, with the values that count as leaving it out."""
    schema, about = value.field_type.schema, {"description": value.description}
    if value.required:
        return {**about, **schema}
    constants = map(_constant, value.absent if absent is None else absent)
    return _any_of([*schema.get("anyOf", [schema]), *constants]) | about


def _any_of(kinds: Sequence[Mapping[str, Any]]) -> Document:
    return dict(kinds[0]) if len(kinds) == 1 else {"anyOf": kinds}


def _constant(value: object) -> Mapping[str, Any]:
    if value is None:
        return {"type": "null"}
    return {"type": "boolean", "const": value}
