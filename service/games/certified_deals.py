"""Certified deals: proved winnable, graded, and found in advance."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.engine.deals import DEFAULT_SOURCE, deal
from service.engine.position import lay_out
from service.engine.ruleset import Layout
from service.engine.variants import VARIANTS
from service.games.create import random_seed
from service.solver import (
    Grade,
    Nodes,
    Verdict,
    grade_of,
    grades_of,
    measure,
    solve,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from service.engine.position import Position
    from service.engine.ruleset import Ruleset
    from service.store.coordination import WaitingDeals

CERTIFYING_NODES: Final = 1_000_000
"""The budget for proving that a deal can be won, in nodes."""
DEALS_PER_GRADE: Final = 100
"""The number of deals to keep waiting for each variant and grade."""


class NoGradesError(Exception):
    """The deals of the variant have no grades.

    Attributes:
        variant: The key of the variant.
    """

    def __init__(self, variant: str) -> None:
        super().__init__(f"the deals of {variant} have no grades")
        self.variant = variant


@dataclass(frozen=True, slots=True)
class CertifiedDeal:
    """A deal of the default source that is proved winnable.

    Attributes:
        grade: How difficult the deal is; None if it lies between two grades, or if the
            variant's deals have none.
    """

    seed: str
    grade: Grade | None = None


def _draw_seed() -> str:
    return random_seed(DEFAULT_SOURCE, Layout.OPEN)


@dataclass(frozen=True, slots=True)
class CertifiedDeals:
    """Certified deals of random seeds.

    Attributes:
        waiting: The stored deals; its methods may raise ``StoreUnavailableError``.
        draw: Returns a new seed; random by default.
    """

    waiting: WaitingDeals
    draw: Callable[[], str] = _draw_seed

    def take(self, ruleset: Ruleset, grade: Grade | None) -> str:
        """Return the seed of a deal that is proved winnable.

        Args:
            ruleset: The variant.
            grade: The grade; None means any winnable deal.

        Raises:
            NoGradesError: The deals of the variant have no grades.
        """
        if grade is None:
            return next(seed for seed in self._seeds() if _lay_out(ruleset, seed))
        seed = self.waiting.take(ruleset.key, grade)
        return seed or find_certified(ruleset, grade, self._seeds())

    def fill(
        self, is_time_left: Callable[[], bool], wanted: int = DEALS_PER_GRADE
    ) -> int:
        """Store deals of the variant that lacks the most.

        Meant to be called repeatedly, for a short time.

        Args:
            is_time_left: Whether to try another seed; called before each.
            wanted: The number of deals to keep waiting for each variant and grade.

        Returns:
            The number of deals added.
        """
        missing = {
            ruleset.key: self._missing(ruleset, wanted) for ruleset in VARIANTS.values()
        }
        key = max(missing, key=lambda key: missing[key].total())
        return self._fill(VARIANTS[key], is_time_left, missing[key])

    def _missing(self, ruleset: Ruleset, wanted: int) -> Counter[Grade]:
        lacking = {
            grade: wanted - self.waiting.count(ruleset.key, grade)
            for grade in grades_of(ruleset)
        }
        return +Counter(lacking)

    def _fill(
        self,
        ruleset: Ruleset,
        is_time_left: Callable[[], bool],
        missing: Counter[Grade],
    ) -> int:
        added = 0
        while missing.total() and is_time_left():
            seed = self.draw()
            certified = certify(ruleset, seed)
            grade = None if certified is None else certified.grade
            if grade is not None and missing[grade]:
                self.waiting.put(ruleset.key, grade, seed)
                missing[grade] -= 1
                added += 1
        return added

    def _seeds(self) -> Iterator[str]:
        while True:
            yield self.draw()


def winnable_position(
    ruleset: Ruleset, seed: str, layout: Layout, nodes: int
) -> Position | None:
    """Lay out a deal of the default source.

    Returns:
        The first position; None unless the solver proves within ``nodes`` nodes that
        it can be won.
    """
    dealt = deal(ruleset, seed, DEFAULT_SOURCE)
    position = lay_out(ruleset, dealt.cards, layout, dealt.goal)
    is_won = solve(position, Nodes(nodes)).verdict is Verdict.WINNABLE
    return position if is_won else None


def _lay_out(ruleset: Ruleset, seed: str) -> Position | None:
    return winnable_position(ruleset, seed, Layout.OPEN, CERTIFYING_NODES)


def certify(ruleset: Ruleset, seed: str) -> CertifiedDeal | None:
    """Solve and grade a deal; return None unless it is proved winnable."""
    position = _lay_out(ruleset, seed)
    if position is None:
        return None
    has_grades = bool(grades_of(ruleset))
    grade = grade_of(ruleset, measure(position).ease) if has_grades else None
    return CertifiedDeal(seed, grade)


def find_certified(ruleset: Ruleset, grade: Grade, seeds: Iterable[str]) -> str:
    """Return the seed of the first certified deal of a grade.

    Args:
        ruleset: The variant.
        grade: The grade.
        seeds: The candidates, in order; at least one must be of the grade.

    Raises:
        NoGradesError: The deals of the variant have no grades.
    """
    if not grades_of(ruleset):
        raise NoGradesError(ruleset.key)
    certified = (certify(ruleset, seed) for seed in seeds)
    return next(one.seed for one in certified if one and one.grade is grade)
