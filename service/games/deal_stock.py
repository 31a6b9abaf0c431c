"""Certified deals: proved winnable, of a known grade, and found ahead of need."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, Protocol

from service.engine.deals import DEFAULT_SOURCE, deal
from service.engine.position import lay_out
from service.engine.ruleset import Layout
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
    from collections.abc import Iterable

    from service.engine.ruleset import Ruleset

NODES: Final = 1_000_000
"""The budget for the proof that a deal can be won, in rows looked at."""


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
            StoreUnavailableError: The store is away.
        """

    def put(self, variant: str, grade: Grade, seed: str) -> None:
        """Add the seed of a deal.

        Raises:
            StoreUnavailableError: The store is away.
        """

    def count(self, variant: str, grade: Grade) -> int:
        """Count the deals that wait.

        Raises:
            StoreUnavailableError: The store is away.
        """


def certify(ruleset: Ruleset, seed: str) -> CertifiedDeal | None:
    """Solve and grade a deal; None unless it is proved winnable."""
    dealt = deal(ruleset, seed, DEFAULT_SOURCE)
    position = lay_out(ruleset, dealt.cards, Layout.OPEN, dealt.goal)
    if solve(position, Nodes(NODES)).verdict is not Verdict.WINNABLE:
        return None
    if not grades_of(ruleset):
        return CertifiedDeal(seed)
    return CertifiedDeal(seed, grade_of(ruleset, measure(position).ease))


def find_certified(ruleset: Ruleset, grade: Grade, seeds: Iterable[str]) -> str | None:
    """Find the first certified deal of a grade.

    Args:
        ruleset: The variant.
        grade: The grade.
        seeds: Candidates, in their order.

    Returns:
        Its seed; None if no candidate is of the grade.

    Raises:
        NoGradesError: The deals of the variant have no grades.
    """
    check_grades(ruleset)
    certified = (certify(ruleset, seed) for seed in seeds)
    found = (one.seed for one in certified if one is not None and one.grade is grade)
    return next(found, None)


def check_grades(ruleset: Ruleset) -> None:
    """Check that the deals of a variant have grades.

    Raises:
        NoGradesError: They have none.
    """
    if not grades_of(ruleset):
        raise NoGradesError(ruleset.key)


def take_or_find(
    stock: DealStock, ruleset: Ruleset, grade: Grade, seeds: Iterable[str]
) -> str | None:
    """Take a deal from the stock, or find one where the stock is empty.

    Raises:
        NoGradesError: The deals of the variant have no grades.
        StoreUnavailableError: The store is away.
    """
    check_grades(ruleset)
    taken = stock.take(ruleset.key, grade)
    return taken or find_certified(ruleset, grade, seeds)


def fill(
    stock: DealStock,
    ruleset: Ruleset,
    seeds: Iterable[str],
    *,
    wanted: int,
    candidates: int,
) -> int:
    """Put certified deals into the stock where it has too few of a grade.

    Meant to be called again and again, with few candidates at a time.

    Args:
        stock: The stock.
        ruleset: The variant.
        seeds: Candidates, in their order.
        wanted: The deals of each grade that should wait.
        candidates: How many candidates are looked at, at most.

    Returns:
        How many deals were added.

    Raises:
        StoreUnavailableError: The store is away.
    """
    missing = {
        grade: wanted - stock.count(ruleset.key, grade) for grade in grades_of(ruleset)
    }
    added = 0
    for seed in islice(seeds, candidates):
        if not any(count > 0 for count in missing.values()):
            break
        certified = certify(ruleset, seed)
        if certified is None or certified.grade is None:
            continue
        if missing[certified.grade] > 0:
            stock.put(ruleset.key, certified.grade, seed)
            missing[certified.grade] -= 1
            added += 1
    return added
