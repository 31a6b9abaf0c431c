"""Certified deals: proved winnable, graded, and taken only once."""

from __future__ import annotations

from itertools import chain, count, repeat
from typing import TYPE_CHECKING

import pytest

from service.engine.deals import deal
from service.engine.position import lay_out
from service.engine.ruleset import Layout
from service.engine.variants import VARIANTS
from service.games.certified_deals import (
    CertifiedDeal,
    CertifiedDeals,
    NoGradesError,
    certify,
    find_certified,
)
from service.solver import GRADING, Grade, grades_of, measure
from service.store.coordination import WaitingDeals

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.store.redis import RedisStore

ACCORDION = VARIANTS["accordion"]
GRADED = [key for key, ruleset in VARIANTS.items() if grades_of(ruleset)]


def ten_times() -> Callable[[], bool]:
    """Return a function that returns True ten times, and False after that."""
    return chain(repeat(True, 10), repeat(False)).__next__  # noqa: FBT003


def _seeds() -> list[str]:
    return [str(seed) for seed in range(1, 61)]


@pytest.mark.parametrize("key", GRADED)
@pytest.mark.parametrize("grade", Grade)
def test_a_deal_of_a_grade_has_an_ease_in_its_interval(grade: Grade, key: str) -> None:
    ruleset = VARIANTS[key]
    seed = find_certified(ruleset, grade, _seeds())
    low, high = grades_of(ruleset)[grade]
    dealt = deal(ruleset, seed)
    position = lay_out(ruleset, dealt.cards, Layout.OPEN, dealt.goal)
    assert low <= measure(position).ease <= high


def test_a_deal_that_cannot_be_won_is_not_certified() -> None:
    push_pin = VARIANTS["push-pin"]
    certified = [certify(push_pin, seed) for seed in _seeds()]
    assert None in certified
    won = next(one for one in certified if one is not None)
    assert won == CertifiedDeal(won.seed, won.grade)


def test_waiting_deals_are_added_once_and_taken_once(
    store: RedisStore,
) -> None:
    stored = WaitingDeals(store.runner, GRADING)
    deals = CertifiedDeals(stored, map(str, count(1)).__next__)
    assert sum(deals.fill(ten_times(), wanted=2) for _ in range(100)) == 60
    assert len(GRADED) == 10
    for key in GRADED:
        assert [stored.count(key, grade) for grade in Grade] == [2, 2, 2]
    assert deals.fill(ten_times(), wanted=2) == 0
    waiting = [deals.take(ACCORDION, Grade.HARD) for _ in range(2)]
    assert stored.take("accordion", Grade.HARD) is None
    assert len(set(waiting)) == 2
    found = deals.take(ACCORDION, Grade.HARD)
    assert found not in waiting
    assert certify(ACCORDION, found) == CertifiedDeal(found, Grade.HARD)


def test_deals_of_another_version_of_the_grades_are_not_taken(
    store: RedisStore,
) -> None:
    old = WaitingDeals(store.runner, "grade/0")
    old.put("accordion", Grade.HARD, "of another version")
    waiting = WaitingDeals(store.runner, GRADING)
    assert waiting.count("accordion", Grade.HARD) == 0
    assert waiting.take("accordion", Grade.HARD) is None
    assert CertifiedDeals(waiting).take(ACCORDION, Grade.HARD) != "of another version"
    assert old.count("accordion", Grade.HARD) == 1


def test_a_deal_of_any_grade_is_winnable(store: RedisStore) -> None:
    deals = CertifiedDeals(WaitingDeals(store.runner, GRADING))
    push_pin = VARIANTS["push-pin"]
    found = {deals.take(push_pin, None) for _ in range(5)}
    assert len(found) == 5
    assert None not in {certify(push_pin, seed) for seed in found}


def test_a_variant_without_grades_is_refused(store: RedisStore) -> None:
    deals = CertifiedDeals(WaitingDeals(store.runner, GRADING))
    with pytest.raises(NoGradesError, match="accordion-bidirectional"):
        deals.take(VARIANTS["accordion-bidirectional"], Grade.EASY)
