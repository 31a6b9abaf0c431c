"""Verdicts found by other programs, and known numbers of winnable deals."""

import json
from pathlib import Path
from typing import Any

import pytest

from service.engine.cards import parse_cards
from service.engine.deals import deal
from service.engine.position import lay_out
from service.engine.ruleset import Layout
from service.engine.variants import VARIANTS
from service.solver import Verdict, solve

ORACLES = Path(__file__).parents[1] / "oracles"
SMALL = json.loads((ORACLES / "small_rows.json").read_text())
DEALS = json.loads((ORACLES / "solvitaire_deals.json").read_text())


@pytest.mark.parametrize(("cases", "cards"), [(SMALL, "row"), (DEALS, "cards")])
def test_every_recorded_verdict_is_found(
    cases: list[dict[str, Any]], cards: str
) -> None:
    found = [
        solve(
            lay_out(VARIANTS[case["variant"]], parse_cards(case[cards]), Layout.OPEN)
        ).verdict
        for case in cases
    ]
    recorded = [
        Verdict.WINNABLE if case["winnable"] else Verdict.UNWINNABLE for case in cases
    ]
    assert found == recorded


# How many of the first 40 deals of accordion/1 are winnable; every verdict is proved. A
# change here is a change of the rules.
WINNABLE_COUNTS = {
    "accordion": 40,
    "accordion-bidirectional": 40,
    "23-skidoo": 40,
    "late-binding": 20,
    "bayan": 40,
    "push-pin": 13,
    "royal-marriage": 39,
    "nizhni-novgorod": 14,
    "decade": 39,
    "seven-up": 40,
}


@pytest.mark.parametrize("key", WINNABLE_COUNTS)
def test_the_first_forty_deals_have_known_verdicts(key: str) -> None:
    ruleset = VARIANTS[key]
    found = [
        solve(lay_out(ruleset, deal(ruleset, str(seed)).cards, Layout.OPEN)).verdict
        for seed in range(1, 41)
    ]
    assert Verdict.UNKNOWN not in found
    assert found.count(Verdict.WINNABLE) == WINNABLE_COUNTS[key]
