"""The language of a response, by Accept-Language and by name."""

from __future__ import annotations

import pytest

from service.texts import LANGUAGES, UnknownLanguageError, negotiate


@pytest.mark.parametrize(
    ("field", "language"),
    [
        (None, "en"),
        ("", "en"),
        ("*", "en"),
        ("en", "en"),
        ("en-GB", "en"),
        ("fr", "fr"),
        ("FR", "fr"),
        ("fr-CA", "fr"),
        ("fr-CA, en;q=0.7", "fr"),
        ("fr-FR, en-US;q=0.7, en;q=0.3", "fr"),
        ("ar-EG-u-nu-arab", "ar"),
        ("de-CH-1996", "de"),
        ("tlh", "en"),
        ("tlh, nl;q=0.5", "nl"),
        ("tlh, *", "en"),
        ("zh-Hant-TW, *;q=0.1", "en"),
        ("nl;q=0.5, de;q=0.9", "de"),
        ("nl, de", "nl"),
        ("*, fr;q=0.9", "en"),
        ("*;q=0.1, fr;q=0.9", "fr"),
        ("de;q=0, nl;q=0.1", "nl"),
        ("de;q=0", "en"),
        ("de;q=0.0, *;q=0", "en"),
        (" de ; q = 0.3 ,nl ; q=0.8 ", "nl"),
        ("de;q=high, nl;q=0.8", "nl"),
        ("de;q=1.000, nl", "de"),
        ("frisian", "en"),
        ("fr_CA", "en"),
        (";;q=,", "en"),
        ("de" * 4000, "en"),
        ("\0", "en"),
    ],
)
def test_the_field(field: str | None, language: str) -> None:
    assert negotiate(field) == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_name_overrides_the_field(language: str) -> None:
    assert negotiate("en, fr;q=0.5", language) == language
    assert negotiate(None, f"{language}-XX") == language
    assert negotiate(None, language.upper()) == language


@pytest.mark.parametrize("name", ["", "xx", "french", "*", "fr,de", "fr;q=1", "../fr"])
def test_an_unknown_name_is_an_error(name: str) -> None:
    with pytest.raises(UnknownLanguageError) as caught:
        negotiate("fr", name)
    assert caught.value.name == name
