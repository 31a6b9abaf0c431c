"""Problems and input errors, in every language."""

from __future__ import annotations

import pytest

from service.http.errors.problem_types import PROBLEM_TYPES
from service.texts import (
    LANGUAGES,
    Detail,
    problem_detail,
    problem_explanation,
    problem_title,
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slug", PROBLEM_TYPES)
def test_every_problem_has_a_title_and_an_explanation(slug: str, language: str) -> None:
    assert problem_title(slug, language).strip()
    assert problem_explanation(slug, language).strip()


@pytest.mark.parametrize("language", LANGUAGES)
def test_titles_differ(language: str) -> None:
    titles = [problem_title(slug, language) for slug in PROBLEM_TYPES]
    assert len(set(titles)) == len(titles)


IN_EACH_LANGUAGE = {
    "en": ("Illegal move", "The values 7 + 8 add up to 15, not to 10, 20 or 30."),
    "fr": ("Coup non permis", "Les valeurs 7 + 8 font 15, et non 10, 20 ou 30."),
    "de": ("Unerlaubter Zug", "Die Werte 7 + 8 ergeben 15, nicht 10, 20 oder 30."),
    "nl": ("Zet niet toegestaan", "De waarden 7 + 8 zijn samen 15, niet 10, 20 of 30."),
    "ar": ("حركة غير مسموحة", "مجموع القيم [7 + 8] هو [15]، لا [10] أو [20] أو [30]."),
}


@pytest.mark.parametrize("language", IN_EACH_LANGUAGE)
def test_a_problem_in_each_language(language: str) -> None:
    title = problem_title("illegal-move", language)
    detail = problem_detail(
        "illegal-move.sum", language, values="7 + 8", sum=15, totals=[10, 20, 30]
    )
    shown = detail.replace("\u2066", "[").replace("\u2069", "]")
    assert (title, shown) == IN_EACH_LANGUAGE[language]


@pytest.mark.parametrize(
    ("detail", "pointer", "sentence"),
    [
        (Detail("integer"), "/from", "`/from` must be an integer."),
        (Detail("unknown"), "/wat", "Unknown field: `/wat`."),
        (
            Detail("choice", {"choices": ["unlimited", "none"]}),
            "/options/undo",
            "`/options/undo` must be `unlimited` or `none`.",
        ),
        (
            Detail("card", {"value": "ZZ"}),
            "/row/3",
            "`/row/3` is not a valid card: `ZZ`. Write cards as `TD`, `10d` or `T♦`.",
        ),
        (Detail("object"), "", "The request body must be an object."),
        (
            Detail("one-of", {"choices": ["from", "moves"]}),
            "",
            "The request body must contain `from` or `moves`.",
        ),
        (
            Detail("conflict", {"other": "seed"}),
            "/deck",
            "`/deck` cannot be combined with `seed`.",
        ),
    ],
)
def test_a_fault_names_its_place_and_the_rule(
    detail: Detail, pointer: str, sentence: str
) -> None:
    assert detail.text("en", pointer) == sentence


@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (1, "Only 1 card is left in the stock."),
        (2, "Only 2 cards are left in the stock."),
    ],
)
def test_the_number_chooses_the_plural_form(count: int, sentence: str) -> None:
    assert problem_detail("stock-too-small", "en", count=count) == sentence


def test_values_of_a_client_are_shown_unchanged_but_shortened() -> None:
    text = problem_detail("variant-not-found", "en", name="{name} %s")
    assert text == "No variant is named `{name} %s`."
    long = Detail("card", {"value": "Z" * 50_000}).text("en", "/row/0")
    assert f"`{'Z' * 80}…`" in long
    assert len(long) < 200
