"""Gettext catalogues: texts by key and language, with placeholders filled in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING, Final

from babel import Locale
from babel.lists import format_list
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from service.texts.formatting import isolate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from babel.messages.catalog import Catalog

DEFAULT_LANGUAGE: Final = "en"

_FOLDER: Final = files("service.texts") / "catalogues"
_ENGLISH: Final = "english.pot"
_ENGLISH_LOCALE: Final = "en-GB"
_SUFFIX: Final = ".po"
_MAX_LENGTH: Final = 80
"""The most characters of a value that are shown; longer values are cut."""

LANGUAGES: Final = (
    DEFAULT_LANGUAGE,
    *sorted(
        file.name.removesuffix(_SUFFIX)
        for file in _FOLDER.iterdir()
        if file.name.endswith(_SUFFIX)
    ),
)
"""The language tags (BCP 47), English first."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The texts of a language, and the locale that formats its lists."""

    locale: Locale
    translations: NullTranslations

    def template(self, key: str, count: int) -> str:
        """Return a text with its placeholders, in the plural form for ``count``."""
        english = english_texts()[key]
        if isinstance(english, str):
            return self.translations.pgettext(key, english)
        one, other = english
        return self.translations.npgettext(key, one, other, count)

    def show(self, value: object) -> str:
        """Format a value; a list as alternatives, with its strings in backticks."""
        if isinstance(value, list | tuple):
            items = [f"`{v}`" if isinstance(v, str) else str(v) for v in value]
            return format_list(items, "or", self.locale)
        text = str(value)
        return text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}…"

    def finish(self, text: str) -> str:
        """In right-to-left languages, isolate the parts read from left to right."""
        return isolate(text) if self.locale.text_direction == "rtl" else text


def translate(key: str, language: str, **data: object) -> str:
    """Return a text in a language.

    Args:
        key: The key of the text, its ``msgctxt`` in the catalogues.
        language: One of ``LANGUAGES``.
        data: The values of the placeholders. ``count`` chooses the plural form. A list
            is written as alternatives: "10, 20 or 30", "`open` or `stock`".

    Raises:
        KeyError: There is no such text or language, or a value is missing.
    """
    catalogue = catalogue_of(language)
    count = data.get("count", 0)
    template = catalogue.template(key, count if isinstance(count, int) else 0)
    values = {name: catalogue.show(value) for name, value in data.items()}
    return catalogue.finish(template.format_map(values))


def direction_of(language: str) -> str:
    """Return the writing direction of a language: ``ltr`` or ``rtl``."""
    direction: str = catalogue_of(language).locale.text_direction
    return direction


@cache
def english_texts() -> Mapping[str, str | tuple[str, ...]]:
    """Return the English texts by key; a text with plural forms is a pair."""
    texts = {m.context: m.id for m in _read(_ENGLISH) if m.context is not None}
    return {key: t if isinstance(t, str) else tuple(t) for key, t in texts.items()}


@cache
def catalogue_of(language: str) -> Catalogue:
    """Return the catalogue of a language, which is read once.

    Raises:
        KeyError: There is no such language.
    """
    if language not in LANGUAGES:
        raise KeyError(language)
    if language == DEFAULT_LANGUAGE:
        english = Locale.parse(_ENGLISH_LOCALE, sep="-")
        return Catalogue(english, NullTranslations())
    locale = Locale.parse(language, sep="-")
    compiled = BytesIO()
    write_mo(compiled, _read(f"{language}{_SUFFIX}", locale))
    compiled.seek(0)
    return Catalogue(locale, GNUTranslations(compiled))


def _read(name: str, locale: Locale | None = None) -> Catalog:
    with (_FOLDER / name).open("rb") as file:
        return read_po(file, locale=locale, abort_invalid=True)
