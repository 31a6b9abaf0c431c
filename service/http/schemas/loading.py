"""Loading the input of a request by its schema: each invalid value has a pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marshmallow import ValidationError
from marshmallow.exceptions import SCHEMA

from service.engine.errors import InputError
from service.http.errors.details import detail_of
from service.http.errors.exceptions import InvalidInputError, InvalidValue
from service.http.errors.json_pointer import point
from service.texts import DEFAULT_LANGUAGE, Detail

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
        values = sorted(_invalid_values(error.messages), key=lambda v: v.pointer)
        raise InvalidInputError(*values) from None


def detail_of_message(message: object) -> Detail:
    """Return what a message of marshmallow is: a ``Detail``, or the key of one."""
    return message if isinstance(message, Detail) else Detail(str(message))


def explain(error: InputError | ValidationError, name: str) -> str:
    """Say in English what is wrong with the value of a name."""
    if isinstance(error, InputError):
        detail = detail_of(error)
    else:
        detail = detail_of_message(error.messages[0])
    return detail.text(DEFAULT_LANGUAGE, name)


def _invalid_values(
    messages: object, path: tuple[str | int, ...] = ()
) -> Iterator[InvalidValue]:
    """Walk through marshmallow's nested messages."""
    match messages:
        case dict():
            for name, inner in messages.items():
                inside = path if name == SCHEMA else (*path, name)
                yield from _invalid_values(inner, inside)
        case list():
            for message in messages:
                yield InvalidValue(point(*path), detail_of_message(message))
