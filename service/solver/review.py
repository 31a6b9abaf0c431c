"""Review: which positions of a game could be won, as far as that is proved.

Every position of a game comes from the one before it by a legal action. So a
line that wins from one position wins from every earlier one too, and a proof
that one cannot be won holds for every later one. A review therefore only looks
for the last position that is known to be winnable and the first one that is
proved lost; it never judges a position that lies between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from service.engine.play import Deal, actions_of
from service.solver.budget import Nodes
from service.solver.solve import solve
from service.solver.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.engine.play import Action
    from service.engine.position import Position
    from service.solver.budget import Budget
    from service.solver.verdict import Solution

REVIEW_NODES: Final = 60_000_000
"""The budget of a review that names none, in rows looked at."""
_PER_POSITION: Final = (2_000, 30_000, 500_000, 4_000_000, 20_000_000)
"""The rows looked at for one position, pass by pass."""


@dataclass(frozen=True, slots=True)
class Review:
    """What is proved of the positions of a game.

    Position k is the one before action k, and the last one is the end.

    Attributes:
        actions: How many actions the game has.
        last_winnable: The last position known to be winnable; -1 if none is.
        first_lost: The first position proved lost; ``actions + 1`` if none is.
        line: The actions that win from ``last_winnable``, as a line of
            ``service.engine.play``; empty if none is known or none is needed.
        decisions: The decisions that are judged: moves made where another
            action was legal, in a game that could be won at its start, as far
            as the position after them is proved.
        kept: Those of them after which the game could still be won.
        nodes: The work done, in rows looked at.
    """

    actions: int
    last_winnable: int
    first_lost: int
    line: bytes = b""
    decisions: int = 0
    kept: int = 0
    nodes: int = 0

    @property
    def turning_point(self) -> int | None:
        """The action, from 0, that lost a game that could be won until then.

        None where none is proved: the game could not be won from the start, it
        could be won to the end, or something between is unknown.
        """
        exact = 0 <= self.last_winnable == self.first_lost - 1 < self.actions
        return self.last_winnable if exact else None

    @property
    def accuracy(self) -> float | None:
        """The percentage of the judged decisions that kept the game winnable."""
        return 100 * self.kept / self.decisions if self.decisions else None

    def verdict(self, position: int) -> Verdict:
        """Return what is known of a position, 0 to ``actions``."""
        if position <= self.last_winnable:
            return Verdict.WINNABLE
        lost = position >= self.first_lost
        return Verdict.UNWINNABLE if lost else Verdict.UNKNOWN


@dataclass(slots=True)
class _Share:
    """A part of a budget in nodes, whatever the budget itself counts."""

    whole: Budget
    left: int

    def slice(self) -> int:
        return max(min(self.whole.slice(), self.left), 0)

    def spend(self, nodes: int) -> None:
        self.left -= nodes
        self.whole.spend(nodes)

    def part(self, parts: int) -> _Share:
        return _Share(self, self.left // parts)


def review(
    start: Position,
    line: bytes,
    budget: Budget | None = None,
    *,
    compulsory: bool = False,
    seed: int = 0,
) -> Review:
    """Find the last winnable and the first lost position of a game.

    Args:
        start: The first position; its stock is read in its true order.
        line: The actions made, as a line of ``service.engine.play``.
        budget: The work allowed; ``Nodes(REVIEW_NODES)`` unless given.
        compulsory: Whether dealing waits until no move is legal.
        seed: Seeds the searches, at least 0.

    Raises:
        DeckError: A card is there twice, or there are more than 52.
        IllegalMoveError: A move of the line is not legal.
        StockEmptyError: The line deals more cards than there are.
    """
    budget = Nodes(REVIEW_NODES) if budget is None else budget
    made = list(actions_of(line))
    positions = list(accumulate(made, _after, initial=start))
    gap = _Gap(positions, compulsory=compulsory)
    for number, most in enumerate(_PER_POSITION):
        gap.narrow(budget, most, seed + number)
    decisions = [] if gap.won < 0 else _decisions(positions, made, gap, compulsory)
    return Review(
        actions=len(made),
        last_winnable=gap.won,
        first_lost=gap.lost,
        line=gap.line,
        decisions=len(decisions),
        kept=sum(decisions),
        nodes=gap.nodes,
    )


class _Gap:
    """The positions between the last known winnable and the first proved lost."""

    def __init__(self, positions: Sequence[Position], *, compulsory: bool) -> None:
        self.won = -1
        self.lost = len(positions)
        self.line = b""
        self.nodes = 0
        self._positions = positions
        self._compulsory = compulsory

    def narrow(self, budget: Budget, most: int, seed: int) -> None:
        """Search every position of the gap, the last first.

        Args:
            budget: The work allowed for all of them.
            most: The nodes allowed for each.
            seed: Seeds the searches; another one finds other wins.
        """
        judged: dict[bytes, Verdict] = {}
        for place in range(self.lost - 1, self.won, -1):
            position = self._positions[place]
            cards = position.row + position.stock  # a deal changes no verdict
            if cards not in judged:
                found = self._search(position, _Share(budget, most), seed)
                judged[cards] = found.verdict
                if found.verdict is Verdict.WINNABLE:
                    self.won, self.line = place, found.line
                    return
            if judged[cards] is Verdict.UNWINNABLE:
                self.lost = place

    def _search(self, position: Position, budget: Budget, seed: int) -> Solution:
        found = solve(position, budget, compulsory=self._compulsory, seed=seed)
        self.nodes += found.nodes
        return found


def _after(position: Position, action: Action) -> Position:
    return position.deal() if isinstance(action, Deal) else position.apply(action)


def _decisions(
    positions: Sequence[Position],
    made: Sequence[Action],
    gap: _Gap,
    compulsory: bool,  # noqa: FBT001
) -> list[bool]:
    """Tell of each judged decision whether it kept the game winnable."""
    return [
        index < gap.won
        for index, action in enumerate(made)
        if not isinstance(action, Deal)
        and not gap.won <= index < gap.lost - 1
        and _has_choice(positions[index], compulsory=compulsory)
    ]


def _has_choice(position: Position, *, compulsory: bool) -> bool:
    can_wait = bool(position.stock) and not compulsory
    return can_wait or len(position.legal_moves) > 1
