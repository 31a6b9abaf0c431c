"""In Arabic, cards, numbers and code are isolated as left-to-right text."""

from __future__ import annotations

import re

import pytest

from service.engine.variants import VARIANTS
from service.texts import option_texts, variant_texts
from service.texts.formatting import card_text, isolate, row_text
from tests.texts.test_variants import leaves

START, END = "\u2066", "\u2069"
INSIDE = re.compile(f"{START}[^{START}{END}]*{END}")
LEFT_TO_RIGHT = re.compile(r"[0-9A-Za-z♣♦♥♠`]")


def shown(language: str) -> list[str]:
    variants = [leaves(variant_texts(key, language)) for key in VARIANTS]
    codes = {"full", "strong", "moral"}
    texts = [text for texts in variants for text in texts if text not in codes]
    return [*texts, *leaves(option_texts(language))]


def test_left_to_right_text_is_isolated_in_arabic() -> None:
    for text in shown("ar"):
        outside = INSIDE.sub("", text)
        assert not LEFT_TO_RIGHT.search(outside), text
        assert START not in outside
        assert END not in outside


@pytest.mark.parametrize("language", ["en", "fr", "de", "nl"])
def test_nothing_is_isolated_elsewhere(language: str) -> None:
    assert not any(START in text for text in shown(language))


@pytest.mark.parametrize(
    ("text", "isolated"),
    [
        ("الصف 4♠ 7♥ 10♦.", "الصف [4♠ 7♥ 10♦]."),
        ("من 1 إلى 1,000,000.", "من [1] إلى [1,000,000]."),
        ("نسبة 47.5% هنا", "نسبة [47.5%] هنا"),
        ("(المجموع 14)", "(المجموع [14])"),
        ("القيم 7 + 8 هنا", "القيم [7 + 8] هنا"),
        ("في `GET /v1/variants`، و`a b`.", "في [`GET /v1/variants`]، و[`a b`]."),
        ("«The Idle Year» و2030-12-31", "«[The Idle Year]» و[2030-12-31]"),
        ("4♠، 7♥. 8", "[4♠]، [7♥]. [8]"),
        ("لا شيء", "لا شيء"),
    ],
)
def test_isolated_parts_of_a_text(text: str, isolated: str) -> None:
    assert isolate(text).replace(START, "[").replace(END, "]") == isolated


def test_a_row_is_isolated_as_one_part() -> None:
    example = variant_texts("accordion", "ar")["example"]
    assert f"{START}4♠ 7♥ Q♣ 4♦ K♦{END}" in example


def test_cards_as_readers_see_them() -> None:
    assert card_text("TD") == "10♦"
    assert row_text(["4S", "TH", "QC"]) == "4♠ 10♥ Q♣"
