"""Which language a client gets."""

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
    """A name that is not a language of the service.

    Attributes:
        name: What was given.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"no texts in the language {name!r}")
        self.name = name


@lru_cache(maxsize=512)
def negotiate(accept_language: str | None, lang: str | None = None) -> str:
    """Choose a language of ``LANGUAGES``.

    A language stands for its regions too: ``fr-CA`` gets French. Unknown languages
    and ``*`` get English.

    Args:
        accept_language: The field ``Accept-Language`` (RFC 9110); a part of it that
            does not fit the grammar is ignored.
        lang: A language that was asked for by name, which overrides the field.

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
    """Find the language of a tag, by its longest beginning that is known."""
    parts = tag.lower().split("-")
    beginnings = ("-".join(parts[:end]) for end in range(len(parts), 0, -1))
    return next((_BY_TAG[part] for part in beginnings if part in _BY_TAG), None)


def _by_preference(field: str) -> Iterator[str]:
    """List the tags of ``Accept-Language``, the most wanted first."""
    found = [m for part in field.split(",") if (m := _PREFERENCE.fullmatch(part))]
    weighed = [(float(m[2] or 1), m[1]) for m in found]
    weighed.sort(key=lambda pair: -pair[0])
    return (tag for weight, tag in weighed if weight > 0)
