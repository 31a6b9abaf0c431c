"""Loading what a request brings through its schema, with every fault pointed at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marshmallow import ValidationError
from marshmallow.exceptions import SCHEMA

from service.http.errors.exceptions import InputFault, InvalidInputError
from service.http.errors.json_pointer import point

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marshmallow import Schema


def load(schema: Schema, data: object) -> Any:  # noqa: ANN401 - what the schema makes
    """Load a body or a query.

    Raises:
        InvalidInputError: It does not fit.
    """
    try:
        return schema.load(data)  # type: ignore[arg-type]  # it checks the type itself
    except ValidationError as error:
        faults = sorted(_faults(error.messages, ()))
        raise InvalidInputError(*faults) from None


def _faults(messages: object, path: tuple[str | int, ...]) -> Iterator[InputFault]:
    """Walk through marshmallow's nested messages."""
    match messages:
        case dict():
            for name, inner in messages.items():
                yield from _faults(inner, path if name == SCHEMA else (*path, name))
        case list():
            for message in messages:
                yield InputFault(point(*path), str(message))
