"""The body of a request, read strictly as JSON in UTF-8 (RFC 8259).

Besides invalid JSON, these are refused: NaN and infinities, duplicate member names,
lone surrogates, and nesting or integers beyond the limits of Python's parser.
"""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Final, NoReturn

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.http import parse_options_header
from werkzeug.wsgi import get_input_stream

from service.http.errors.exceptions import MalformedRequestError, MediaTypeError

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

    from service.http.request import HeaderFields

MAX_BODY_BYTES: Final = 64 * 1024
"""The maximum size of a body, in bytes."""

_JSON: Final = "application/json"
_TEXT: Final = "text/plain"
_IDENTITY: Final = "identity"
_UTF8: Final = frozenset({"utf-8", "utf8"})


def read_body(
    environ: WSGIEnvironment, fields: HeaderFields, *, takes_text: bool = False
) -> bytes:
    """Read the body of a request.

    A body that is certain to be refused is not read: with ``Expect: 100-continue`` the
    client has not sent it yet.

    Raises:
        MalformedRequestError: It could not be read to its end.
        MediaTypeError: It is not empty, and is compressed or not declared as JSON in
            UTF-8 (or, with ``takes_text``, as plain text in UTF-8).
        RequestEntityTooLarge: It is longer than ``MAX_BODY_BYTES`` bytes.
    """
    length = content_length(environ)
    if length > MAX_BODY_BYTES:
        raise RequestEntityTooLarge
    if length:
        _check_media_type(fields, takes_text=takes_text)
    data = _read(environ, length)
    if data and not length:
        _check_media_type(fields, takes_text=takes_text)
    return data


def _read(environ: WSGIEnvironment, length: int) -> bytes:
    try:
        data: bytes = _stream(environ, length).read(length or MAX_BODY_BYTES + 1)
    except Exception as error:
        # Servers raise different errors for a body with invalid framing.
        raise MalformedRequestError("malformed.unreadable") from error
    if len(data) > MAX_BODY_BYTES:
        raise RequestEntityTooLarge
    if len(data) < length:
        raise MalformedRequestError("malformed.incomplete")
    return data


def _stream(environ: WSGIEnvironment, length: int) -> IO[bytes]:
    """Return the stream to read; without a length, the body ends by its framing."""
    return environ["wsgi.input"] if length else get_input_stream(environ)


def content_length(environ: WSGIEnvironment) -> int:
    """Return the declared length of the body in bytes; 0 if there is no valid one."""
    text: str = environ.get("CONTENT_LENGTH") or "0"
    return int(text) if text.isdecimal() and text.isascii() else 0


def _check_media_type(fields: HeaderFields, *, takes_text: bool) -> None:
    """Check that a body is declared as JSON or text in UTF-8, and is not compressed.

    Raises:
        MediaTypeError: It is not.
    """
    declared = fields.get("Content-Type")
    coding = fields.get("Content-Encoding")
    if declared == _JSON and coding is None:
        return
    if (coding or _IDENTITY).lower() != _IDENTITY:
        raise MediaTypeError(is_encoded=True)
    media_type, options = parse_options_header(declared)
    if media_type.lower() != _JSON and not (takes_text and is_text(fields)):
        raise MediaTypeError
    if options.get("charset", "utf-8").lower() not in _UTF8:
        raise MediaTypeError


def is_text(fields: HeaderFields) -> bool:
    """Return whether a body is declared as plain text."""
    media_type, _ = parse_options_header(fields.get("Content-Type"))
    return media_type.lower() == _TEXT


def decode_body(data: bytes) -> str:
    """Decode a body from UTF-8.

    Raises:
        MalformedRequestError: It is not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise MalformedRequestError("malformed.body-encoding") from None


def parse_json(data: bytes) -> object:
    """Parse JSON.

    Raises:
        MalformedRequestError: It is not valid JSON in UTF-8, or this module refuses it.
    """
    text = decode_body(data)
    try:
        value: object = _DECODER.decode(text)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise MalformedRequestError("malformed.surrogate") from None
    except json.JSONDecodeError as error:
        raise MalformedRequestError(
            "malformed.json", line=error.lineno, column=error.colno
        ) from None
    except RecursionError:
        raise MalformedRequestError("malformed.depth") from None
    except ValueError:
        raise MalformedRequestError("malformed.number") from None
    return value


def _make_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise MalformedRequestError("malformed.duplicate-member")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedRequestError("malformed.constant", name=name)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_make_object, parse_constant=_refuse_constant
)
