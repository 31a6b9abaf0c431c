"""The texts for people, a language a file; a new file is a new language."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import msgspec
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_LANGUAGE: Final = "en"

TEXTS: Final[Mapping[str, Mapping[str, Any]]] = {
    file.name.removesuffix(".json"): msgspec.json.decode(file.read_bytes())
    for file in sorted(files(__name__).iterdir(), key=lambda file: file.name)
    if file.name.endswith(".json")
}
"""The texts by language, then by what they are about."""


@lru_cache(maxsize=256)
def choose_language(accepted: str | None) -> str:
    """Choose a language by the field ``Accept-Language``."""
    languages = parse_accept_header(accepted, LanguageAccept)
    return languages.best_match(TEXTS, DEFAULT_LANGUAGE)
