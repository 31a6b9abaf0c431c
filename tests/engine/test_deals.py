"""Deals: recorded ones, and those that no record covers."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import pytest

from service.engine.cards import DECK, NAMES, name_cards
from service.engine.deals import SOURCES, Dealt, deal, pysol
from service.engine.errors import SeedError, UnknownSourceError
from service.engine.variants import VARIANTS, find_variant
from tests.engine.oracle import load

_VECTORS = {
    "accordion/1": load("deal_vectors"),
    "pysol": load("pysol_deals"),
    "solvitaire": load("solvitaire_deals"),
}
"""Recorded deals of every source."""
_PYSOL = _VECTORS["pysol"]
_SEED = itemgetter("seed")


def _row(variant: str, seed: str, source: str) -> list[str]:
    return name_cards(deal(find_variant(variant), seed, source).cards)


def _goal(seed: str, source: str) -> str:
    goal = deal(find_variant("accordions-revenge"), seed, source).goal
    assert goal is not None
    return NAMES[goal]


def test_every_source_has_recorded_deals() -> None:
    assert _VECTORS.keys() == SOURCES.keys()


@pytest.mark.parametrize("entry", _VECTORS["accordion/1"], ids=_SEED)
def test_deals_of_the_services_own_source(entry: dict[str, Any]) -> None:
    seed = entry["seed"]
    assert _row("accordion", seed, "accordion/1") == entry["row"]
    assert _row("late-binding", seed, "accordion/1") == entry["row"][:18]
    assert _goal(seed, "accordion/1") == entry["accordions_revenge_goal"]


@pytest.mark.parametrize("entry", [e for e in _PYSOL if "row" in e], ids=_SEED)
def test_deals_of_pysol(entry: dict[str, Any]) -> None:
    seed = entry["seed"]
    assert _row("accordion", seed, "pysol") == entry["row"]
    assert _row("royal-marriage", seed, "pysol") == entry["royal_marriage"]
    assert _goal(seed, "pysol") == entry["accordions_revenge_goal"]
    assert pysol.show(seed) == entry["shown"]


@pytest.mark.parametrize("entry", [e for e in _PYSOL if "error" in e], ids=_SEED)
def test_numbers_that_pysol_refuses(entry: dict[str, Any]) -> None:
    with pytest.raises(SeedError):
        deal(find_variant("accordion"), entry["seed"], "pysol")


@pytest.mark.parametrize(
    "seed", ["ms8589934592", "MS12345", "ms 12345", "ms-5", "0x10", "five", "L"]
)
def test_more_numbers_that_pysol_refuses(seed: str) -> None:
    with pytest.raises(SeedError) as refusal:
        pysol.show(seed)
    assert refusal.value.key == "seed-pysol"
    assert refusal.value.data == {"most": 2**33 - 1}


def _microsoft_row(seed: int) -> list[str]:
    """Deal as docs/deals.md describes it, independently of the engine."""
    deck = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"]
    state = seed if seed < 2**32 else seed - 2**32
    for n in range(51, 0, -1):
        state = (state * 214013 + 2531011) % 2**32
        value = state // 2**16 % 2**15
        if seed >= 2**31:
            value = 2**15 + value
        if seed >= 2**32:
            value = state // 2**16 % 2**16 + 1
        j = value % (n + 1)
        deck[n], deck[j] = deck[j], deck[n]
    return deck[::-1]


@pytest.mark.parametrize("seed", [1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**33 - 1])
def test_the_microsoft_generator_at_its_boundaries(seed: int) -> None:
    assert _row("accordion", f"ms{seed}", "pysol") == _microsoft_row(seed)


def test_one_game_of_pysol_has_many_spellings() -> None:
    spellings = ["12345", "ms12345", "#12345", "00012345", "-12,345", "12_345L"]
    assert {pysol.show(seed) for seed in spellings} == {"ms12345"}


@pytest.mark.parametrize("entry", _VECTORS["solvitaire"], ids=_SEED)
def test_deals_of_solvitaire(entry: dict[str, Any]) -> None:
    row = _row(entry["variant"], entry["seed"], "solvitaire")
    assert row == entry["cards"]


@pytest.mark.parametrize(
    ("seed", "goal"),
    [
        *(("0", "5H"), ("1", "5S"), ("42", "7H"), ("4294967295", "AH")),
        *(("9", "KS"), ("15", "6C")),  # whose first draw is one of the first two cards
    ],
)
def test_the_goal_card_of_solvitaire_is_drawn_after_the_row(
    seed: str, goal: str
) -> None:
    assert _goal(seed, "solvitaire") == goal


@pytest.mark.parametrize("seed", ["", "-1", "4294967296", "1.0", "x", "१"])
def test_numbers_that_solvitaire_refuses(seed: str) -> None:
    with pytest.raises(SeedError) as refusal:
        deal(find_variant("accordion"), seed, "solvitaire")
    assert refusal.value.key == "integer-range"
    assert refusal.value.data == {"least": 0, "most": 2**32 - 1}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_deal_follows_the_rules_of_its_variant(variant: str, source: str) -> None:
    ruleset = find_variant(variant)
    dealt = deal(ruleset, "1851", source)
    whole = deal(find_variant("accordion"), "1851", source).cards
    pins = ruleset.pins or ()
    inner = bytes(card for card in whole if card not in pins)[: ruleset.deck_size]
    assert dealt == Dealt(
        bytes([*pins[:1], *inner, *pins[1:]]),
        dealt.goal if ruleset.names_goal else None,
    )
    assert sorted(whole) == list(DECK)


@pytest.mark.parametrize("source", SOURCES)
def test_the_goal_is_never_one_of_the_first_two(source: str) -> None:
    for seed in range(1, 200):
        dealt = deal(find_variant("accordions-revenge"), str(seed), source)
        assert dealt.goal is not None
        assert dealt.goal in dealt.cards[2:]


def test_unknown_source() -> None:
    with pytest.raises(UnknownSourceError, match="accordion/2"):
        deal(find_variant("accordion"), "1", "accordion/2")
