"""The JSON Schemas of bodies: null, and the forms that a body can have."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeAlias

from service.http.schemas.fields import ref

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.http.schemas.input import Form, Input

Document: TypeAlias = "dict[str, Any]"
"""A part of the description, ready for JSON."""


def complete(schemas: Document, name: str, body: Input) -> None:
    """Complete the schema that was made of a body, in place.

    A body with several forms becomes a choice of closed objects, one for each form, so
    that generators of clients make a type of each.
    """
    described = schemas[name]
    described["description"] = " ".join((body.__doc__ or "").split())
    properties = described["properties"]
    for member in properties.keys() - described.get("required", []):
        properties[member] = _or_absent(properties[member], body.absent_values(member))
    if body.forms:
        for form_name, form in body.forms.items():
            schemas[form_name] = _describe_form(described, form, body)
        schemas[name] = {
            "description": described["description"],
            "oneOf": [ref(form_name) for form_name in body.forms],
        }


def _describe_form(whole: Document, form: Form, body: Input) -> Document:
    required, refused = _needed(form, body), _refused(form, body)
    properties: Document = {}
    for member, value in whole["properties"].items():
        about = {"description": value.get("description", "")}
        if member in form.narrowed:
            properties[member] = {**deepcopy(form.narrowed[member]), **about}
        elif member in refused:
            properties[member] = _absent(body.absent_values(member))
        elif member in required:
            never = () if body.is_nullable(member) else body.absent_values(member)
            properties[member] = _present(value, never)
        else:
            properties[member] = deepcopy(value)
    return {
        "type": "object",
        "description": form.description,
        "properties": properties,
        "required": sorted({*whole.get("required", []), *required}),
        "additionalProperties": False,
    }


def _needed(form: Form, body: Input) -> set[str]:
    """Return the members that a form has to have."""
    return {*form.required, *(body.needs[m] for m in form.required if m in body.needs)}


def _refused(form: Form, body: Input) -> set[str]:
    """Return the members that a form cannot have."""
    own = {*_needed(form, body), *form.narrowed}
    of_others = {name for other in body.forms.values() for name in other.required}
    apart = {
        excluded
        for one, others in body.apart.items()
        for other in others
        for own, excluded in ((one, other), (other, one))
        if own in form.required
    }
    refused = (of_others | apart) - own
    return refused | {one for one, other in body.needs.items() if other in refused}


def _or_absent(value: Document, absent: tuple[object, ...]) -> Document:
    """Allow an optional member to be null, or what else is as left out."""
    if not absent:
        return value
    about = {"description": value["description"]}
    rest = {name: part for name, part in value.items() if name != "description"}
    return {"anyOf": [*rest.get("anyOf", [rest]), *map(_constant, absent)]} | about


def _present(value: Document, absent: tuple[object, ...]) -> Document:
    """Refuse what is as left out in a member that has to be there."""
    refused = [_constant(one) for one in absent]
    left = [deepcopy(kind) for kind in value["anyOf"] if kind not in refused]
    about = {"description": value["description"]}
    return ({"anyOf": left} if len(left) > 1 else left[0]) | about


def _absent(absent: tuple[object, ...]) -> Document:
    kinds = [*map(_constant, absent or (None,))]
    return dict(kinds[0]) if len(kinds) == 1 else {"anyOf": kinds}


def _constant(value: object) -> Mapping[str, Any]:
    if value is None:
        return {"type": "null"}
    return {"type": "boolean", "const": value}
