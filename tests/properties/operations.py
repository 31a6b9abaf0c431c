"""Every operation of the description, and a path that it can be asked at."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.http.client import document

if TYPE_CHECKING:
    from collections.abc import Mapping

_METHODS = ("GET", "POST", "DELETE")
_VALUES = {"variant": "accordion", "date": "2026-01-31", "slug": "game-over"}


class Asked(NamedTuple):
    """An operation as it is asked for."""

    method: str
    template: str
    described: dict[str, Any]

    @property
    def parameters(self) -> list[str]:
        return re.findall(r"{(\w+)}", self.template)

    @property
    def query(self) -> list[str]:
        """The parameters that its query can have."""
        places = (one.get("in") for one in self.described["parameters"])
        pairs = zip(places, self.described["parameters"], strict=True)
        return [one["name"] for place, one in pairs if place == "query"]

    @property
    def members(self) -> list[str]:
        """The members that its body can have; none where it takes none."""
        if "requestBody" not in self.described:
            return []
        (content,) = self.described["requestBody"]["content"].values()
        name = content["schema"]["$ref"].rpartition("/")[2]
        return list(document()["components"]["schemas"][name].get("properties", {}))

    def path(self, **values: str) -> str:
        known = _VALUES | values
        return re.sub(r"{(\w+)}", lambda found: known[found[1]], self.template)


def operations(*methods: str) -> list[Asked]:
    """List the operations of these methods, or of all."""
    paths: Mapping[str, Any] = document()["paths"]
    return [
        Asked(method, template, paths[template][method.lower()])
        for template in paths
        for method in methods or _METHODS
        if method.lower() in paths[template]
    ]


def named(asked: Asked) -> str:
    """Name an operation in the report of a test."""
    return str(asked.described["operationId"])
