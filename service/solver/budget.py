"""Budgets: how much work a search may do.

A search works in slices and asks its budget for the size of the next one. A budget
is a number of nodes, which makes the search repeatable, or a time measured by the
caller's clock.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Budget(Protocol):
    """A limit on the work of a search; a node is a row examined."""

    def slice(self) -> int:
        """Return the nodes that may be spent next; 0 if the budget is spent."""

    def spend(self, nodes: int) -> None:
        """Record that ``nodes`` nodes were spent."""

    def part(self, parts: int) -> Budget:
        """Return one of ``parts`` equal parts of what is left.

        Work done with the part also counts for this budget.
        """


@dataclass(slots=True)
class Nodes:
    """A budget in nodes: the same position, budget and seed give the same result.

    Attributes:
        left: The nodes that may still be spent; below 0 if more were spent.
    """

    left: int
    _whole: Nodes | None = None

    def slice(self) -> int:
        """Return the nodes that may be spent next; 0 if the budget is spent."""
        return max(self.left, 0)

    def spend(self, nodes: int) -> None:
        """Record that ``nodes`` nodes were spent."""
        self.left -= nodes
        if self._whole is not None:
            self._whole.spend(nodes)

    def part(self, parts: int) -> Nodes:
        """Return one of ``parts`` equal parts of what is left."""
        return Nodes(self.left // parts, self)


_SLICE = 20_000
"""The nodes between two readings of the clock; they take a few milliseconds."""


@dataclass(slots=True)
class Milliseconds:
    """A budget in time, by the caller's clock.

    Attributes:
        allowance: The time in milliseconds, from the creation of the budget.
        clock: Returns the time in seconds and never goes back, such as
            ``time.monotonic``.
    """

    allowance: float
    clock: Callable[[], float]
    _deadline: float = field(init=False)

    def __post_init__(self) -> None:
        """Compute the deadline."""
        self._deadline = self.clock() + self.allowance / 1000

    def slice(self) -> int:
        """Return the nodes that may be spent next; 0 if the budget is spent."""
        return _SLICE if self.clock() < self._deadline else 0

    def spend(self, nodes: int) -> None:
        """Do nothing: only time is limited."""

    def part(self, parts: int) -> Milliseconds:
        """Return one of ``parts`` equal parts of the time left, starting now."""
        left = max(self._deadline - self.clock(), 0.0)
        return Milliseconds(left * 1000 / parts, self.clock)


@dataclass(slots=True)
class NodeLimit:
    """Another budget with a limit on the nodes that may be spent from it.

    When a part needs more than its share of the nodes, the whole counts as spent.

    Attributes:
        budget: The other budget.
        left: The nodes that may still be spent.
        is_reached: Whether this limit or a part of it ended the search.
        whole: The limit that this one is a part of; None if it is no part.
    """

    budget: Budget
    left: float
    is_reached: bool = False
    whole: NodeLimit | None = None

    def slice(self) -> int:
        """Return the nodes that may be spent next; 0 if the budget is spent."""
        nodes = self.budget.slice()
        if self.whole is not None:
            nodes = min(nodes, self.whole.slice())
        if nodes > 0 >= self.left:
            self._reach()
        return 0 if self.is_reached else max(ceil(min(nodes, self.left)), 0)

    def _reach(self) -> None:
        limit: NodeLimit | None = self
        while limit is not None:
            limit.is_reached = True
            limit = limit.whole

    def spend(self, nodes: int) -> None:
        """Record that ``nodes`` nodes were spent."""
        self.budget.spend(nodes)
        limit: NodeLimit | None = self
        while limit is not None:
            limit.left -= nodes
            limit = limit.whole

    def part(self, parts: int) -> NodeLimit:
        """Return one of ``parts`` equal parts of what is left."""
        return NodeLimit(self.budget.part(parts), self.left / parts, whole=self)
