"""The choice of a language for a client."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from service.texts.catalogue import DEFAULT_LANGUAGE, LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Iterator

_ANY: Final = "*"
_PREFERENCE: Final = re.compile(
    r"\s*([a-z]{1,8}(?:-[a-z0-9]{1,8})*|\*)\s*(?:;\s*q\s*=\s*([01](?:\.[0-9]*)?)\s*)?",
    re.IGNORECASE,
)
_BY_TAG: Final = {language.lower(): language for language in LANGUAGES}


class UnknownLanguageError(Exception):
    """A language tag that the service has no texts for."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no texts in the language {name!r}")
        self.name = name


@lru_cache(maxsize=512)
def negotiate(accept_language: str | None, lang: str | None = None) -> str:
    """Choose one of ``LANGUAGES``.

    A language includes its regions: ``fr-CA`` gets French. If no tag matches, and for
    ``*``, the language is English.

    Args:
        accept_language: The value of ``Accept-Language`` (RFC 9110), or None; parts
            that do not match the grammar are ignored.
        lang: The tag of a language to use instead of the header field, or None.

    Raises:
        UnknownLanguageError: There is no language ``lang``.
    """
    if lang is not None:
        chosen = _find(lang)
        if chosen is None:
            raise UnknownLanguageError(lang)
        return chosen
    for tag in _by_preference(accept_language or ""):
        chosen = DEFAULT_LANGUAGE if tag == _ANY else _find(tag)
        if chosen is not None:
            return chosen
    return DEFAULT_LANGUAGE


def _find(tag: str) -> str | None:
    """Find the language of a tag: the longest known prefix of its subtags."""
    parts = tag.lower().split("-")
    beginnings = ("-".join(parts[:end]) for end in range(len(parts), 0, -1))
    return next((_BY_TAG[part] for part in beginnings if part in _BY_TAG), None)


def _by_preference(field: str) -> Iterator[str]:
    """Yield the tags of ``Accept-Language`` by descending weight, without weight 0."""
    found = [m for part in field.split(",") if (m := _PREFERENCE.fullmatch(part))]
    weighed = [(float(m[2] or 1), m[1]) for m in found]
    weighed.sort(key=lambda pair: -pair[0])
    return (tag for weight, tag in weighed if weight > 0)
