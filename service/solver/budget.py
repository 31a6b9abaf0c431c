"""How much work a search may do.

A search works in slices and asks its budget for the size of the next one. A budget
is a number of nodes, which makes the search repeatable, or a time by the clock that
the caller passes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Budget(Protocol):
    """A bound on the work of a search."""

    def slice(self) -> int:
        """Return the nodes that may be spent next; 0 if the budget is spent."""

    def spend(self, nodes: int) -> None:
        """Record that so many nodes were spent."""

    def part(self, parts: int) -> Budget:
        """Return one of so many equal parts of what is left.

        Nodes that the part spends are spent from this budget too.
        """


@dataclass(slots=True)
class Nodes:
    """A budget in nodes: the same position, budget and seed give the same answer.

    Attributes:
        left: The nodes that may still be spent.
    """

    left: int
    _whole: Nodes | None = None

    def slice(self) -> int:
        """Return the nodes that may be spent next; 0 if the budget is spent."""
        return max(self.left, 0)

    def spend(self, nodes: int) -> None:
        """Record that so many nodes were spent."""
        self.left -= nodes
        if self._whole is not None:
            self._whole.spend(nodes)

    def part(self, parts: int) -> Nodes:
        """Return one of so many equal parts of what is left."""
        return Nodes(self.left // parts, self)


_SLICE = 20_000
"""Nodes between two readings of the clock: a few milliseconds."""


@dataclass(slots=True)
class Milliseconds:
    """A budget in time, by the caller's clock.

    Attributes:
        allowance: The milliseconds, counted from the creation of the budget.
        clock: Returns seconds that never go back, such as ``time.monotonic``.
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
        """Do nothing: only the time counts."""

    def part(self, parts: int) -> Milliseconds:
        """Return one of so many equal parts of the time that is left."""
        left = max(self._deadline - self.clock(), 0.0)
        return Milliseconds(left * 1000 / parts, self.clock)


@dataclass(slots=True)
class NodeLimit:
    """Another budget, of which only so many nodes may be spent.

    Once a part would exceed its share of the nodes, the whole is spent.

    Attributes:
        budget: The other budget.
        left: The nodes that may still be spent.
        is_reached: Whether the limit ended the search.
        whole: The limit that this one is a part of.
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
        """Record that so many nodes were spent."""
        self.budget.spend(nodes)
        limit: NodeLimit | None = self
        while limit is not None:
            limit.left -= nodes
            limit = limit.whole

    def part(self, parts: int) -> NodeLimit:
        """Return one of so many equal parts of what is left."""
        return NodeLimit(self.budget.part(parts), self.left / parts, whole=self)
