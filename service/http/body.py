"""The body of a request, read strictly as JSON in UTF-8 (RFC 8259).

Refused, besides what is no JSON: NaN and infinities, a member named twice, half a
surrogate pair, nesting deeper and numbers longer than any request needs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, NoReturn

from werkzeug.exceptions import RequestEntityTooLarge

from service.http.errors.exceptions import MalformedRequestError, MediaTypeError

if TYPE_CHECKING:
    from flask import Request

LARGEST: Final = 64 * 1024
"""Bytes in the largest body that is read."""

_JSON: Final = "application/json"
_CODING: Final = "Content-Encoding"
_NO_CODING: Final = "identity"
_UTF8: Final = frozenset({"utf-8", "utf8"})


def read_body(request: Request) -> bytes:
    """Read the body of a request, which is empty or declared as JSON.

    Raises:
        MalformedRequestError: It could not be read to its end.
        MediaTypeError: It is not declared as JSON in UTF-8, or is compressed.
        RequestEntityTooLarge: It is longer than ``LARGEST`` bytes.
    """
    data = _read_bytes(request)
    if data and (request.content_type != _JSON or _CODING in request.headers):
        _check_media_type(request)
    return data


def parse_json(data: bytes) -> object:
    """Parse a JSON text.

    Raises:
        MalformedRequestError: It is none.
    """
    try:
        text = data.decode()
        value: object = _DECODER.decode(text)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError:
        raise MalformedRequestError("The body is not UTF-8.") from None
    except UnicodeEncodeError:
        raise MalformedRequestError(
            "The body holds half a surrogate pair, which is no character."
        ) from None
    except json.JSONDecodeError as error:
        raise MalformedRequestError(
            f"The body is not JSON, at line {error.lineno}, column {error.colno}: "
            f"{error.msg}."
        ) from None
    except RecursionError:
        raise MalformedRequestError("The body is nested too deeply.") from None
    except ValueError:
        raise MalformedRequestError("The body holds a number too long.") from None
    return value


def _read_bytes(request: Request) -> bytes:
    length = request.content_length or 0
    if length > LARGEST:
        raise RequestEntityTooLarge
    # One byte more than is taken: a body without a length is cut off at the limit.
    request.max_content_length = LARGEST + 1
    try:
        data = request.get_data()
    except RequestEntityTooLarge:
        raise
    except Exception as error:
        # Whatever a server raises for a body that breaks its own framing.
        raise MalformedRequestError("The body could not be read.") from error
    if len(data) > LARGEST:
        raise RequestEntityTooLarge
    if len(data) < length:
        raise MalformedRequestError("The body ends before its length.")
    return data


def _check_media_type(request: Request) -> None:
    charset = request.mimetype_params.get("charset", "utf-8")
    if request.headers.get(_CODING, _NO_CODING).lower() != _NO_CODING:
        raise MediaTypeError
    if request.mimetype != _JSON or charset.lower() not in _UTF8:
        raise MediaTypeError


def _make_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise MalformedRequestError("The body names a member of an object twice.")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedRequestError(f"The body holds {name}, which is not JSON.")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_make_object, parse_constant=_refuse_constant
)
