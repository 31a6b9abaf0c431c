"""Certified deals: proved, graded, and taken once."""

from __future__ import annotations

from collections import defaultdict, deque
from itertools import count

import pytest

from service.engine.deals import deal
from service.engine.position import lay_out
from service.engine.ruleset import Layout
from service.engine.variants import VARIANTS
from service.games.deal_stock import (
    CertifiedDeal,
    NoGradesError,
    certify,
    fill,
    find_certified,
    take_or_find,
)
from service.solver import Grade, grades_of, measure

ACCORDION = VARIANTS["accordion"]


class Shelf:
    """A stock in memory."""

    def __init__(self) -> None:
        self.seeds: defaultdict[tuple[str, Grade], deque[str]] = defaultdict(deque)

    def take(self, variant: str, grade: Grade) -> str | None:
        waiting = self.seeds[variant, grade]
        return waiting.popleft() if waiting else None

    def put(self, variant: str, grade: Grade, seed: str) -> None:
        self.seeds[variant, grade].append(seed)

    def count(self, variant: str, grade: Grade) -> int:
        return len(self.seeds[variant, grade])


def _seeds() -> list[str]:
    return [str(seed) for seed in range(1, 61)]


@pytest.mark.parametrize("grade", Grade)
def test_a_deal_of_a_grade_lies_in_its_interval(grade: Grade) -> None:
    seed = find_certified(ACCORDION, grade, _seeds())
    assert seed is not None
    low, high = grades_of(ACCORDION)[grade]
    cards = deal(ACCORDION, seed).cards
    assert low <= measure(lay_out(ACCORDION, cards, Layout.OPEN)).ease <= high


def test_a_deal_that_cannot_be_won_is_not_certified() -> None:
    push_pin = VARIANTS["push-pin"]
    certified = [certify(push_pin, seed) for seed in _seeds()]
    assert None in certified
    won = next(one for one in certified if one is not None)
    assert won == CertifiedDeal(won.seed)


def test_the_stock_is_filled_once_and_its_deals_are_taken_once() -> None:
    stock, seeds = Shelf(), map(str, count(1))
    added = sum(
        fill(stock, ACCORDION, seeds, wanted=2, candidates=10) for _ in range(10)
    )
    assert added == 6
    assert [stock.count("accordion", grade) for grade in Grade] == [2, 2, 2]
    assert fill(stock, ACCORDION, seeds, wanted=2, candidates=10) == 0
    taken = {take_or_find(stock, ACCORDION, Grade.HARD, []) for _ in range(2)}
    assert len(taken - {None}) == 2
    assert take_or_find(stock, ACCORDION, Grade.HARD, []) is None


def test_an_empty_stock_is_made_up_for_at_once() -> None:
    seed = take_or_find(Shelf(), ACCORDION, Grade.EASY, _seeds())
    assert seed == find_certified(ACCORDION, Grade.EASY, _seeds())
    assert seed is not None


def test_a_variant_without_grades_says_so() -> None:
    with pytest.raises(NoGradesError, match="push-pin"):
        take_or_find(Shelf(), VARIANTS["push-pin"], Grade.EASY, _seeds())
