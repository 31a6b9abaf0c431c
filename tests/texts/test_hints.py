"""The reason of every hint, in every language."""

from __future__ import annotations

import pytest

from service.engine.cards import RANKS
from service.solver.verdict import HintCode
from service.texts import LANGUAGES, hint_reason, translate
from tests.texts.reading import ENGLISH, forms, placeholders

DATA: dict[HintCode, dict[str, int | str]] = {
    HintCode.NOTHING: {},
    HintCode.DEAL_FIRST: {},
    HintCode.ONLY_ACTION: {},
    HintCode.FINISHES: {},
    HintCode.SWEEPERS: {"rank": "Q", "count": 3},
    HintCode.FREES: {"count": 2},
    HintCode.COVERS: {"card": "TS", "count": 1},
    HintCode.CLEARS: {"count": 2},
    HintCode.ON_LINE: {},
    HintCode.BEST_ODDS: {"wins": 7, "samples": 40},
    HintCode.FEWEST_PILES: {"piles": 6, "samples": 40},
    HintCode.NO_WIN: {},
    HintCode.BEST_GUESS: {},
}
"""Example figures of each reason, as its docstring lists them."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reason", HintCode)
def test_every_reason_has_a_sentence(reason: HintCode, language: str) -> None:
    sentence = hint_reason(reason, DATA[reason], language)
    assert sentence.strip()
    assert "{" not in sentence


@pytest.mark.parametrize("reason", HintCode)
def test_a_reason_names_all_its_figures(reason: HintCode) -> None:
    template = forms(ENGLISH[f"hint.{reason}"].id)[-1]
    assert placeholders(template) == DATA[reason].keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rank_has_a_word(language: str) -> None:
    words = [translate(f"rank.{rank}", language) for rank in RANKS]
    assert len(set(words)) == len(RANKS)
    for rank, word in zip(RANKS, words, strict=True):
        data: dict[str, int | str] = {"rank": rank, "count": 2}
        assert word in hint_reason(HintCode.SWEEPERS, data, language)


IN_EACH_LANGUAGE = {
    "en": (
        "This covers 10♠ while that is possible: only 1 card in the row matches it."
    ),
    "fr": (
        "Ce coup couvre 10♠ tant que c’est possible\u00a0: cette carte ne s’accorde "
        "qu’avec 1 carte de la rangée."
    ),
    "de": "Das bedeckt 10♠, solange es möglich ist: Nur 1 Karte der Reihe passt dazu.",
    "nl": "Dit bedekt 10♠ nu het nog kan: er past maar 1 kaart uit de rij bij.",
    "ar": (
        "هذا يغطي \u206610♠\u2069 ما دام ممكنًا: فلا تتوافق معها إلا ورقة واحدة في الصف."
    ),
}


@pytest.mark.parametrize("language", IN_EACH_LANGUAGE)
def test_a_reason_in_each_language(language: str) -> None:
    text = hint_reason(HintCode.COVERS, {"card": "TS", "count": 1}, language)
    assert text == IN_EACH_LANGUAGE[language]
