"""Parameters of queries and paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar
from urllib.parse import parse_qsl

from service.http.errors.exceptions import (
    InvalidInputError,
    MalformedRequestError,
    Violation,
)
from service.http.errors.json_pointer import point
from service.http.schemas.input import load_value
from service.texts import Detail

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.http.request import Request

T = TypeVar("T")


def read_query(query_string: str) -> dict[str, str]:
    """Read the parameters of a query.

    Args:
        query_string: The percent-encoded query; WSGI passes its bytes as Latin-1.

    Raises:
        MalformedRequestError: It is not UTF-8, as it is or percent-decoded.
        InvalidInputError: A parameter is repeated.
    """
    if not query_string:
        return {}
    try:
        text = query_string.encode("latin-1").decode()
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise MalformedRequestError("malformed.query-encoding") from None
    parameters = dict(pairs)
    if len(parameters) != len(pairs):
        names = [name for name, _ in pairs]
        raise InvalidInputError(
            *(
                Violation(point(name), Detail("repeated"))
                for name in parameters
                if names.count(name) > 1
            )
        )
    return parameters


def read_value(request: Request, name: str, read: Callable[[object], T]) -> T:
    """Read a parameter of the path.

    Raises:
        InvalidInputError: It is not valid.
    """
    return load_value(name, read, request.values[name])
