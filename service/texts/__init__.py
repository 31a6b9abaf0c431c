"""The texts of the API that people read, in every language that has a catalogue.

English is ``catalogues/english.pot``; each other language is a ``.po`` file beside it.
docs/languages.md describes how to add a language or a text.
"""

from __future__ import annotations

from service.texts.catalogue import DEFAULT_LANGUAGE, LANGUAGES, direction_of, translate
from service.texts.formatting import card_text
from service.texts.languages import UnknownLanguageError, negotiate
from service.texts.messages import (
    Detail,
    hint_reason,
    problem_detail,
    problem_explanation,
    problem_title,
)
from service.texts.variants import option_texts, variant_texts

__all__ = [
    "DEFAULT_LANGUAGE",
    "LANGUAGES",
    "Detail",
    "UnknownLanguageError",
    "card_text",
    "direction_of",
    "hint_reason",
    "negotiate",
    "option_texts",
    "problem_detail",
    "problem_explanation",
    "problem_title",
    "translate",
    "variant_texts",
]
