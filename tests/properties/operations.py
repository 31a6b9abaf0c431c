"""The operations of the API description, and their paths."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.http.client import document

if TYPE_CHECKING:
    from collections.abc import Mapping

_METHODS = ("GET", "POST", "DELETE")
_PATH_VALUES = {
    "variant": "accordion",
    "date": "2026-01-31",
    "month": "2026-01",
    "player": "Ada",
    "event": "none",
    "webhook": "none",
    "delivery": "none",
    "slug": "game-over",
}


class Operation(NamedTuple):
    """An operation of the API."""

    method: str
    template: str
    described: dict[str, Any]

    @property
    def parameters(self) -> list[str]:
        return re.findall(r"{(\w+)}", self.template)

    @property
    def query(self) -> list[str]:
        """The names of its query parameters."""
        places = (one.get("in") for one in self.described["parameters"])
        pairs = zip(places, self.described["parameters"], strict=True)
        return [one["name"] for place, one in pairs if place == "query"]

    @property
    def media_types(self) -> list[str]:
        """The media types that its body can have."""
        return list(self.described.get("requestBody", {}).get("content", {}))

    @property
    def members(self) -> list[str]:
        """The names of the members of its body; empty if it has no body."""
        names = (name for form in self._forms for name in form["properties"])
        return list(dict.fromkeys(names))

    @property
    def required(self) -> list[str]:
        """The names of the members that every form of its body requires."""
        required = [set(form.get("required", [])) for form in self._forms]
        return sorted(set.intersection(*required)) if required else []

    @property
    def _forms(self) -> list[dict[str, Any]]:
        """The schemas of the forms of its body."""
        if "requestBody" not in self.described:
            return []
        content = self.described["requestBody"]["content"]["application/json"]
        body = _schema(content["schema"])
        return [_schema(form) for form in body.get("oneOf", [body])]

    def path(self, **values: str) -> str:
        known = _PATH_VALUES | values
        return re.sub(r"{(\w+)}", lambda found: known[found[1]], self.template)


def _schema(reference: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in reference:
        return reference
    name = reference["$ref"].rpartition("/")[2]
    found: dict[str, Any] = document()["components"]["schemas"][name]
    return found


def operations(*methods: str) -> list[Operation]:
    """List the operations of these methods, or of all methods."""
    paths: Mapping[str, Any] = document()["paths"]
    return [
        Operation(method, template, paths[template][method.lower()])
        for template in paths
        for method in methods or _METHODS
        if method.lower() in paths[template]
    ]


def operation_id(operation: Operation) -> str:
    """The operation's id, for test reports."""
    return str(operation.described["operationId"])
