"""Review: which positions of a game could be won, as far as that is proved.

Each position of a game follows from the one before it by a legal action. So if a
position can be won, every earlier one can be won too, and if a position is lost,
every later one is lost. A review therefore only searches for the last position that
is known to be winnable and the first one that is proved lost; positions between
these two have the verdict unknown.
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
"""The default budget of a review, in rows examined."""
_PER_POSITION: Final = (2_000, 30_000, 500_000, 4_000_000, 20_000_000)
"""The most rows examined for one position, pass by pass."""


@dataclass(frozen=True, slots=True)
class Review:
    """What is proved about the positions of a game.

    Position k, counted from 0, is the one before action k; the last position, whose
    index is ``actions``, is the end of the game.

    Attributes:
        actions: The number of actions.
        last_winnable: The last position known to be winnable; -1 if none is.
        first_lost: The first position proved lost; ``actions + 1`` if none is.
        line: The actions that win from ``last_winnable``, as a line of
            ``service.engine.play``; empty if none is known or none is needed.
        decisions: The number of decisions judged. A decision is a move made where
            another action was legal. It is judged if the position after it has a
            verdict and a winnable position is known in the game.
        kept: The number of these decisions after which the game could still be won.
        nodes: The work done, in rows examined.
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
        """The index, from 0, of the action that lost a game winnable until then.

        None if no such action is proved: the game was never known to be winnable, was
        winnable to the end, or has positions whose verdict is unknown in between.
        """
        exact = 0 <= self.last_winnable == self.first_lost - 1 < self.actions
        return self.last_winnable if exact else None

    @property
    def accuracy(self) -> float | None:
        """The percentage of ``kept`` among ``decisions``; None if there are none."""
        return 100 * self.kept / self.decisions if self.decisions else None

    def verdict(self, position: int) -> Verdict:
        """Return the verdict on a position, 0 to ``actions``."""
        if position <= self.last_winnable:
            return Verdict.WINNABLE
        lost = position >= self.first_lost
        return Verdict.UNWINNABLE if lost else Verdict.UNKNOWN


@dataclass(slots=True)
class _Share:
    """A part of a budget, limited in nodes even if the budget is a time."""

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
        budget: The work allowed; None means ``Nodes(REVIEW_NODES)``.
        compulsory: Whether cards may be dealt only if no move is legal.
        seed: Seeds the searches, at least 0.

    Raises:
        DeckError: A card occurs twice, or is not one of the 52.
        IllegalMoveError: A move of the line is not legal.
        StockEmptyError: The line deals more cards than the stock contains.
        UnsoundLineError: A line that was found does not win: a defect.
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
    """The positions between the last known to be winnable and the first proved lost."""

    def __init__(self, positions: Sequence[Position], *, compulsory: bool) -> None:
        self.won = -1
        self.lost = len(positions)
        self.line = b""
        self.nodes = 0
        self._positions = positions
        self._compulsory = compulsory

    def narrow(self, budget: Budget, most: int, seed: int) -> None:
        """Search the positions of the gap, the last first, until one can be won.

        The budget is for all of them; each may use at most ``most`` nodes of it.
        Another seed can find other wins.
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
    """Return, for each judged decision, whether it kept the game winnable."""
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
