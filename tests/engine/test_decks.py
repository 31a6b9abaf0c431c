"""Decks that a player lays out."""

from __future__ import annotations

import pytest

from service.engine.cards import DECK
from service.engine.deals import Dealt
from service.engine.decks import check_deck
from service.engine.errors import DeckError, GoalError, UnknownVariantError
from service.engine.variants import VARIANTS, find_variant
from tests.engine.rows import read_row


def _check(variant: str, row: str, goal: str | None = None) -> Dealt:
    card = None if goal is None else read_row(goal)[0]
    return check_deck(find_variant(variant), read_row(row), card)


def test_good_decks() -> None:
    assert _check("accordion", "4S").cards == read_row("4S")
    assert _check("royal-marriage", "QH 4S KH").cards == read_row("QH 4S KH")
    assert _check("accordions-revenge", "4S 4D 4H", "4H").goal == read_row("4H")[0]
    assert check_deck(find_variant("accordion"), DECK) == Dealt(DECK, None)


@pytest.mark.parametrize(
    ("variant", "row", "why"),
    [
        ("accordion", "", "1 to 52"),
        ("late-binding", " ".join(["4S"] * 19), "1 to 18"),
        ("accordion", "4S 7D 4S", "4S is there twice"),
        ("royal-marriage", "QH 4S", "first card must be QH and the last KH"),
        ("royal-marriage", "KH QH", "first card must be QH and the last KH"),
        ("nizhni-novgorod", "AS", "first card must be AS and the last AC"),
    ],
)
def test_bad_decks(variant: str, row: str, why: str) -> None:
    with pytest.raises(DeckError, match=why):
        _check(variant, row)


@pytest.mark.parametrize(
    ("variant", "goal", "why"),
    [
        ("accordion", "4H", "no goal card"),
        ("accordions-revenge", None, "goal card must be in the deck"),
        ("accordions-revenge", "4D", "from the third card on"),
        ("accordions-revenge", "4C", "goal card must be in the deck"),
    ],
)
def test_bad_goals(variant: str, goal: str | None, why: str) -> None:
    with pytest.raises(GoalError, match=why):
        _check(variant, "4S 4D 4H", goal)


def test_a_variant_is_found_by_key_and_by_alias() -> None:
    names = [name for r in VARIANTS.values() for name in (r.key, *r.aliases)]
    assert len(names) == len(set(names)) == 23
    for ruleset in VARIANTS.values():
        found = {find_variant(name).key for name in (ruleset.key, *ruleset.aliases)}
        assert found == {ruleset.key}
    with pytest.raises(UnknownVariantError, match="patience"):
        find_variant("patience")
