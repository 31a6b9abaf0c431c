"""Parts that the JSON Schemas of answers are put together from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Shape: TypeAlias = "Mapping[str, Any]"
"""A JSON Schema."""


def ref(name: str) -> Shape:
    """Refer to a schema by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def object_shape(description: str, members: Mapping[str, Shape]) -> Shape:
    """Describe an object that has all these members and no others."""
    return {
        "type": "object",
        "description": description,
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def array_shape(items: Shape, description: str) -> Shape:
    """Describe an array."""
    return {"type": "array", "items": items, "description": description}


def text_shape(description: str, **more: Any) -> Shape:  # noqa: ANN401 - any keyword
    """Describe a string, with what other keywords of JSON Schema it has."""
    return {"type": "string", "description": description, **more}


def count_shape(description: str) -> Shape:
    """Describe a whole number that is not negative."""
    return {"type": "integer", "minimum": 0, "description": description}


def flag_shape(description: str) -> Shape:
    """Describe a true or false."""
    return {"type": "boolean", "description": description}


def word_shape(words: Iterable[str], description: str) -> Shape:
    """Describe one of a few words."""
    return text_shape(description, enum=[str(word) for word in words])


def or_null(shape: Shape) -> Shape:
    """Allow null too."""
    description = shape.get("description", "")
    if "type" in shape and "enum" not in shape:
        return {**shape, "type": [shape["type"], "null"]}
    bare = {key: value for key, value in shape.items() if key != "description"}
    return {"anyOf": [bare, {"type": "null"}], "description": description}


VERSION: Final = {
    "type": "integer",
    "minimum": 1,
    "description": "1 at first, one more with every write; the ETag in quotes.",
}
