"""Decks that a player chooses."""

from __future__ import annotations

import pytest

from service.engine.cards import DECK, parse_card
from service.engine.deals import Dealt
from service.engine.decks import check_deck
from service.engine.errors import DeckError, GoalError, UnknownVariantError
from service.engine.variants import VARIANTS, find_variant
from tests.engine.rows import read_row


def _check(variant: str, row: str, goal: str | None = None) -> Dealt:
    card = None if goal is None else read_row(goal)[0]
    return check_deck(find_variant(variant), read_row(row), card)


def test_valid_decks() -> None:
    assert _check("accordion", "4S").cards == read_row("4S")
    assert _check("royal-marriage", "QH 4S KH").cards == read_row("QH 4S KH")
    assert _check("accordions-revenge", "4S 4D 4H", "4H").goal == read_row("4H")[0]
    assert check_deck(find_variant("accordion"), DECK) == Dealt(DECK, None)


@pytest.mark.parametrize(
    ("variant", "row", "key", "data"),
    [
        ("accordion", "", "cards", {"least": 1, "most": 52}),
        ("late-binding", " ".join(["4S"] * 19), "cards", {"least": 1, "most": 18}),
        ("accordion", "4S 7D 4S", "card-repeated", {"card": "4S"}),
        ("royal-marriage", "QH 4S", "deck-ends", {"first": "QH", "last": "KH"}),
        ("royal-marriage", "KH QH", "deck-ends", {"first": "QH", "last": "KH"}),
        ("nizhni-novgorod", "AS", "deck-ends", {"first": "AS", "last": "AC"}),
    ],
)
def test_invalid_decks_are_refused(
    variant: str, row: str, key: str, data: dict[str, int | str]
) -> None:
    cards = {n: parse_card(c) if isinstance(c, str) else c for n, c in data.items()}
    with pytest.raises(DeckError) as refusal:
        _check(variant, row)
    assert (refusal.value.key, refusal.value.data) == (key, cards)


@pytest.mark.parametrize(
    ("variant", "goal", "key"),
    [
        ("accordion", "4H", "goal-not-used"),
        ("accordions-revenge", None, "goal-needed"),
        ("accordions-revenge", "4D", "goal-needed"),
        ("accordions-revenge", "4C", "goal-needed"),
    ],
)
def test_invalid_goals_are_refused(variant: str, goal: str | None, key: str) -> None:
    with pytest.raises(GoalError) as refusal:
        _check(variant, "4S 4D 4H", goal)
    assert refusal.value.key == key


def test_a_variant_is_found_by_key_and_by_alias() -> None:
    names = [name for r in VARIANTS.values() for name in (r.key, *r.aliases)]
    assert len(names) == len(set(names)) == 23
    for ruleset in VARIANTS.values():
        found = {find_variant(name).key for name in (ruleset.key, *ruleset.aliases)}
        assert found == {ruleset.key}
    with pytest.raises(UnknownVariantError, match="patience"):
        find_variant("patience")
