"""Every catalogue is complete: no text is missing, extra or untranslated."""

from __future__ import annotations

import re
from gettext import c2py

import pytest
from babel import Locale

from service.texts import LANGUAGES
from service.texts.catalogue import catalogue_of
from tests.texts.reading import (
    ENGLISH,
    FOLDER,
    TRANSLATED,
    code,
    forms,
    messages,
    placeholders,
    read,
)

MANY = (*range(300), 1_000_000)
"""Numbers that together use every plural form of every language here."""
MAY_BE_ALIKE = re.compile(r".*\.(name|term)")
"""Names can be the same in English and in another language."""

each_language = pytest.mark.parametrize("language", TRANSLATED)


def test_the_languages() -> None:
    assert LANGUAGES[0] == "en"
    assert {"ar", "de", "fr", "nl"} <= set(TRANSLATED)


def test_every_english_text_has_its_own_key() -> None:
    catalogue = read("english.pot")
    keys = [message.context for message in catalogue if message.id]
    assert len(keys) == len(set(keys)) == len(catalogue)
    assert all(keys)
    assert not any(any(forms(message.string)) for message in ENGLISH.values())


@each_language
def test_no_text_is_missing_or_extra(language: str) -> None:
    catalogue = read(f"{language}.po")
    translated = messages(catalogue)
    assert translated.keys() == ENGLISH.keys()
    for key, message in translated.items():
        assert message.id == ENGLISH[key].id, "run `make texts`"
        comments = [" ".join(m.auto_comments) for m in (message, ENGLISH[key])]
        assert comments[0] == comments[1], "run `make texts`"
    assert not catalogue.obsolete
    assert str(catalogue.locale) == language


@each_language
def test_every_text_is_translated(language: str) -> None:
    for key, message in messages(read(f"{language}.po")).items():
        assert not message.fuzzy, key
        assert all(form.strip() for form in forms(message.string)), key
        if forms(message.string)[0] == forms(message.id)[0]:
            assert MAY_BE_ALIKE.fullmatch(key), key


@each_language
def test_every_plural_form_exists(language: str) -> None:
    catalogue = read(f"{language}.po")
    form_of = c2py(catalogue.plural_expr)
    locale = Locale.parse(language)
    form_of_category = {locale.plural_form(n): form_of(n) for n in MANY}
    assert set(form_of_category.values()) == set(range(catalogue.num_plurals))
    for n in MANY:
        assert form_of(n) == form_of_category[locale.plural_form(n)], n
    for key, message in messages(catalogue).items():
        wanted = catalogue.num_plurals if len(forms(message.id)) > 1 else 1
        assert len(forms(message.string)) == wanted, key


@each_language
def test_placeholders_match_the_english_text(language: str) -> None:
    catalogue = read(f"{language}.po")
    form_of = c2py(catalogue.plural_expr)
    exact = [
        form
        for form in range(catalogue.num_plurals)
        if sum(form_of(n) == form for n in MANY) == 1
    ]
    for key, message in messages(catalogue).items():
        wanted = placeholders(forms(message.id)[-1])
        for number, form in enumerate(forms(message.string)):
            # "no card", "one card" and "two cards" need not give the number.
            free = (
                {"count"} if len(forms(message.id)) > 1 and number in exact else set()
            )
            assert placeholders(form) | free == wanted | free, key


@each_language
def test_names_of_the_api_are_not_translated(language: str) -> None:
    for key, message in messages(read(f"{language}.po")).items():
        for form in forms(message.string):
            found = [name for name in code(form) if "errors" not in name]
            wanted = [n for n in code(forms(message.id)[0]) if "errors" not in n]
            assert found == wanted, key


def test_plural_forms_of_arabic() -> None:
    arabic = catalogue_of("ar")
    found = [arabic.template("detail.cards-hidden", n) for n in (0, 1, 2, 3, 11, 100)]
    assert found == [
        "لا أوراق في رزمة السحب.",
        "ما زالت في رزمة السحب ورقة واحدة.",
        "ما زالت في رزمة السحب ورقتان.",
        "ما زالت في رزمة السحب {count} أوراق.",
        "ما زالت في رزمة السحب {count} ورقة.",
        "ما زالت في رزمة السحب {count} ورقة.",
    ]


@pytest.mark.parametrize(
    ("language", "wrong"),
    [
        ("en", r"[\"']"),
        # No-break spaces precede these signs and are inside the quotation marks.
        ("fr", r"[\"'“”„]| [:;!?»%]|«[^\u00a0]|[^\u202f][;!?]|[^\u00a0][»:]"),
        ("de", r"[\"'”‚‘«»]|“\w|\W“|\w„"),
        ("nl", r"[\"'“”„«»]|‘\W"),
        # The code adds isolates; translators need not type invisible characters.
        ("ar", r"[\"'“”„,;?]|[\u2066-\u2069\u200e\u200f\u202a-\u202e]"),
    ],
)
def test_punctuation_follows_the_language(language: str, wrong: str) -> None:
    catalogue = ENGLISH if language == "en" else messages(read(f"{language}.po"))
    for key, message in catalogue.items():
        for form in forms(message.id if language == "en" else message.string):
            prose = re.sub(r"`[^`]*`", "", form)
            assert not re.search(wrong, prose), (key, prose)


def test_the_folder_contains_only_catalogues() -> None:
    assert {file.name for file in FOLDER.iterdir()} == {
        "english.pot",
        *(f"{language}.po" for language in TRANSLATED),
    }
