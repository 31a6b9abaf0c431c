"""Cursors: opaque texts for places in a list, which clients send back."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

from service.http.query import read_query
from service.store.boards import After

if TYPE_CHECKING:
    from service.http.request import Request

_PLACE: Final = re.compile(r"([0-9]{1,15})\.([0-9]{1,15})\.(.+)", re.DOTALL)
_NUMBER: Final = re.compile(r"[0-9]{1,9}")


class CursorError(ValueError):
    """A text that is not a cursor."""


def link_page(request: Request, cursor: str | None) -> dict[str, str]:
    """Make the field ``Link`` to the next page; no field if the cursor is None."""
    if cursor is None:
        return {}
    query = read_query(request.query_string)
    query.pop("around", None)
    target = urlencode(query | {"cursor": cursor})
    return {"Link": f'<{quote(request.path)}?{target}>; rel="next"'}


def place_cursor(after: After) -> str:
    """Write the cursor of a place on a board."""
    return _write(f"{after.score}.{after.finished_at}.{after.player}")


def read_place(cursor: str) -> After:
    """Read the cursor of a place on a board.

    Raises:
        CursorError: It is not one.
    """
    place = _PLACE.fullmatch(_read(cursor))
    if place is None:
        raise CursorError
    return After(int(place[1]), int(place[2]), place[3])


def number_cursor(number: int) -> str:
    """Write the cursor of a number of entries to skip."""
    return _write(str(number))


def read_number(cursor: str) -> int:
    """Read the cursor of a number of entries to skip.

    Raises:
        CursorError: It is not one.
    """
    text = _read(cursor)
    if not _NUMBER.fullmatch(text):
        raise CursorError
    return int(text)


def _write(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read(cursor: str) -> str:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        return urlsafe_b64decode(padded).decode()
    except ValueError:
        raise CursorError from None
