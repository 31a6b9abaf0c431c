"""The query of a request, read strictly: UTF-8, and no parameter twice."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from service.http.errors.exceptions import (
    InputFault,
    InvalidInputError,
    MalformedRequestError,
)
from service.http.errors.json_pointer import point

if TYPE_CHECKING:
    from flask import Request


def read_query(request: Request) -> dict[str, str]:
    """Read the parameters of a query.

    Raises:
        MalformedRequestError: It is not UTF-8 when percent-decoded.
        InvalidInputError: A parameter is there twice.
    """
    if not request.query_string:
        return {}
    try:
        text = request.query_string.decode()
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise MalformedRequestError("The query is not UTF-8.") from None
    parameters = dict(pairs)
    if len(parameters) != len(pairs):
        names = [name for name, _ in pairs]
        raise InvalidInputError(
            *(
                InputFault(point(name), "This parameter is there twice.")
                for name in parameters
                if names.count(name) > 1
            )
        )
    return parameters
