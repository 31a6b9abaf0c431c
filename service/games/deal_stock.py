"""Certified deals: proved winnable, of a known grade, and found ahead of need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final, Protocol

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

NODES: Final = 1_000_000
"""The budget for the proof that a deal can be won, in rows looked at."""
WANTED: Final = 100
"""The deals of each grade that should wait."""


class NoGradesError(Exception):
    """A variant whose deals have no grades.

    Attributes:
        variant: Its key.
    """

    def __init__(self, variant: str) -> None:
        super().__init__(f"the deals of {variant} have no grades")
        self.variant = variant


@dataclass(frozen=True, slots=True)
class CertifiedDeal:
    """A deal of the default source that is proved winnable.

    Attributes:
        seed: Its seed.
        grade: How difficult it is; None between two grades, or in a variant
            whose deals have none.
    """

    seed: str
    grade: Grade | None = None


class DealStock(Protocol):
    """Where certified deals wait, by variant and grade; shared by all workers."""

    def take(self, variant: str, grade: Grade) -> str | None:
        """Take the seed of a deal, which nobody else gets; None if there is none.

        Raises:
            StoreUnavailableError: The store is unavailable.
        """

    def put(self, variant: str, grade: Grade, seed: str) -> None:
        """Add the seed of a deal.

        Raises:
            StoreUnavailableError: The store is unavailable.
        """

    def count(self, variant: str, grade: Grade) -> int:
        """Count the deals that wait.

        Raises:
            StoreUnavailableError: The store is unavailable.
        """


class CertifiedDeals:
    """Certified deals of random seeds.

    Args:
        stock: Where they wait; it may raise ``StoreUnavailableError``.
        draw: Draws a seed.
    """

    def __init__(self, stock: DealStock, draw: Callable[[], str] | None = None) -> None:
        self._stock = stock
        self._draw = draw or partial(random_seed, DEFAULT_SOURCE, Layout.OPEN)

    def take(self, ruleset: Ruleset, grade: Grade | None) -> str:
        """Return the seed of a deal that is proved winnable.

        Args:
            ruleset: The variant.
            grade: The grade; None is any deal.

        Raises:
            NoGradesError: The deals of the variant have no grades.
        """
        if grade is None:
            return next(
                seed for seed in self._seeds() if _winnable_position(ruleset, seed)
            )
        check_grades(ruleset)
        waiting = self._stock.take(ruleset.key, grade)
        return waiting or find_certified(ruleset, grade, self._seeds())

    def fill(self, candidates: int, wanted: int = WANTED) -> int:
        """Put deals into the stock where it has too few of a grade.

        Meant to be called again and again, with few candidates at a time.

        Args:
            candidates: How many seeds are looked at in each variant, at most.
            wanted: The deals of each grade that should wait.

        Returns:
            How many deals were added.
        """
        graded = (ruleset for ruleset in VARIANTS.values() if grades_of(ruleset))
        return sum(self._fill(ruleset, candidates, wanted) for ruleset in graded)

    def _fill(self, ruleset: Ruleset, candidates: int, wanted: int) -> int:
        missing = {
            grade: wanted - self._stock.count(ruleset.key, grade)
            for grade in grades_of(ruleset)
        }
        added = 0
        for seed in islice(self._seeds(), candidates):
            if not any(count > 0 for count in missing.values()):
                break
            certified = certify(ruleset, seed)
            if certified is None or certified.grade is None:
                continue
            if missing[certified.grade] > 0:
                self._stock.put(ruleset.key, certified.grade, seed)
                missing[certified.grade] -= 1
                added += 1
        return added

    def _seeds(self) -> Iterator[str]:
        while True:
            yield self._draw()


def certify(ruleset: Ruleset, seed: str) -> CertifiedDeal | None:
    """Solve and grade a deal; None unless it is proved winnable."""
    position = _winnable_position(ruleset, seed)
    if position is None:
        return None
    if not grades_of(ruleset):
        return CertifiedDeal(seed)
    return CertifiedDeal(seed, grade_of(ruleset, measure(position).ease))


def _winnable_position(ruleset: Ruleset, seed: str) -> Position | None:
    """Lay a deal out; None unless it is proved winnable."""
    dealt = deal(ruleset, seed, DEFAULT_SOURCE)
    position = lay_out(ruleset, dealt.cards, Layout.OPEN, dealt.goal)
    is_won = solve(position, Nodes(NODES)).verdict is Verdict.WINNABLE
    return position if is_won else None


def find_certified(ruleset: Ruleset, grade: Grade, seeds: Iterable[str]) -> str:
    """Find the first certified deal of a grade.

    Args:
        ruleset: The variant.
        grade: The grade.
        seeds: Candidates, in their order; at least one is of the grade.

    Returns:
        Its seed.

    Raises:
        NoGradesError: The deals of the variant have no grades.
    """
    check_grades(ruleset)
    certified = (certify(ruleset, seed) for seed in seeds)
    return next(one.seed for one in certified if one and one.grade is grade)


def check_grades(ruleset: Ruleset) -> None:
    """Check that the deals of a variant have grades.

    Raises:
        NoGradesError: They have none.
    """
    if not grades_of(ruleset):
        raise NoGradesError(ruleset.key)
