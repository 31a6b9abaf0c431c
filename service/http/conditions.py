"""Conditions and preferences of requests: If-Match, If-None-Match, Prefer.

The entity tag of a game contains its version and its revision, ``"7.9"``, so it changes
with every write. If-Match compares only the version, so a hint does not affect it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from werkzeug.http import parse_etags

from service.http.errors.exceptions import MalformedRequestError

if TYPE_CHECKING:
    from service.games.snapshot import GameSnapshot

_TAG: Final = r'(?:W/)?"[\x21\x23-\x7e\x80-\U0010ffff]*"'
_TAGS: Final = re.compile(rf"\s*(?:\*|(?:{_TAG})?(?:\s*,\s*(?:{_TAG})?)*)\s*")
_VERSION: Final = re.compile(r"([1-9][0-9]{0,17})(?:\..*)?")
"""The version at the beginning of a tag, or as the whole tag."""
_MINIMAL: Final = re.compile(
    r'(?:^|[,;])\s*return\s*=\s*(?:minimal|"minimal")\s*(?=$|[,;])', re.IGNORECASE
)


def etag_of(snapshot: GameSnapshot, now: int, mark: str = "") -> str:
    """Return the strong entity tag of a response about a game.

    Args:
        snapshot: The game.
        now: The time in milliseconds since 1970, UTC; a seed can be revealed by then.
        mark: A suffix that distinguishes the forms of a response.
    """
    seen = ".open" if snapshot.session.is_revealed(now) else ""
    return f'"{snapshot.version}.{snapshot.revision}{seen}{mark}"'


def expected_versions(if_match: str | None) -> frozenset[int] | None:
    """Read the versions to which a write applies; None means any.

    Raises:
        MalformedRequestError: The field is neither a list of entity tags nor ``*``.
    """
    if if_match is None:
        return None
    if not if_match.strip(" \t,") or not _TAGS.fullmatch(if_match):
        raise MalformedRequestError("malformed.etag")
    tags = parse_etags(if_match)
    if tags.star_tag:
        return None
    found = (_VERSION.fullmatch(tag) for tag in tags.as_set() if tag)
    return frozenset(int(version[1]) for version in found if version)


def has_weak_tag(if_match: str | None) -> bool:
    """Return whether a field has a weak tag, which never matches in If-Match."""
    return if_match is not None and "W/" in if_match


def is_known(if_none_match: str | None, etag: str) -> bool:
    """Return whether the client already has the response, by If-None-Match."""
    if if_none_match is None:
        return False
    return parse_etags(if_none_match).contains_weak(etag.strip('"'))


def wants_minimal(prefer: str | None) -> bool:
    """Return whether the client prefers a response without a body (RFC 7240)."""
    return prefer is not None and _MINIMAL.search(prefer) is not None
