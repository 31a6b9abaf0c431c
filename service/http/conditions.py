"""Conditions and preferences of requests: If-Match, If-None-Match, Prefer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from werkzeug.http import parse_etags

from service.games.service import VersionMismatchError
from service.http.errors.exceptions import (
    MalformedRequestError,
    PreconditionRequiredError,
    WeakTagError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_ONE_VERSION: Final = re.compile(r'"([1-9][0-9]{0,17})"')
_TAG: Final = re.compile(r'(W/)?"([^"]*)"')
_TAGS: Final = re.compile(r'[ \t,]*(?:(?:W/)?"[^"]*"[ \t]*(?:,[ \t,]*|$))+')
_MINIMAL: Final = re.compile(
    r'(?:^|[,;])\s*return\s*=\s*(?:minimal|"minimal")\s*(?=$|[,;])', re.IGNORECASE
)


def expected_version(
    if_match: str | None, current: Callable[[], int], *, required: bool
) -> int | None:
    """Read which version a write is for; None is any.

    Args:
        if_match: The field If-Match. One strong tag is the usual form; where it
            lists several, the current version is looked for among them.
        current: Looks up the current version.
        required: Whether a write must say.

    Raises:
        MalformedRequestError: The field is not a list of tags.
        PreconditionRequiredError: It must, and does not.
        VersionMismatchError: No tag is the current version's.
        WeakTagError: No strong tag is, and there is a weak one.
    """
    if if_match is None:
        if required:
            raise PreconditionRequiredError
        return None
    one = _ONE_VERSION.fullmatch(if_match)
    if one is not None:
        return int(one[1])
    if if_match.strip() == "*":
        return None
    if not _TAGS.fullmatch(if_match):
        raise MalformedRequestError("malformed.etag")
    version, tags = current(), _TAG.findall(if_match)
    if ("", str(version)) in tags:
        return version
    is_weak = any(weak for weak, _ in tags)
    raise (WeakTagError if is_weak else VersionMismatchError)(version)


def is_known(if_none_match: str | None, version: int) -> bool:
    """Say whether the client has this version already, by If-None-Match."""
    if if_none_match is None:
        return False
    return parse_etags(if_none_match).contains_weak(str(version))


def wants_minimal(prefer: str | None) -> bool:
    """Say whether the client prefers an answer without a body (RFC 7240)."""
    return prefer is not None and _MINIMAL.search(prefer) is not None
