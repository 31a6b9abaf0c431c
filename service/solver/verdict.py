"""What the solver answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from service.engine.play import actions_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.engine.play import Action
    from service.engine.position import Move


class Verdict(StrEnum):
    """What is known of a position."""

    WINNABLE = "winnable"
    """A line that wins is known; it was replayed by the rules."""
    UNWINNABLE = "unwinnable"
    """Proved: no line wins."""
    UNKNOWN = "unknown"
    """The budget was spent, or cards are hidden."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What is known of a position, and how to win it.

    Attributes:
        verdict: What is known.
        line: The actions that win, as a line of ``service.engine.play`` (two
            bytes an action); empty unless the verdict is winnable, and also
            when the position is won already.
        nodes: The work done, in rows looked at.
    """

    verdict: Verdict
    line: bytes = b""
    nodes: int = 0

    @property
    def actions(self) -> tuple[Action, ...]:
        """The line as actions, first to last."""
        return tuple(actions_of(self.line))


class Reason(StrEnum):
    """Why an action is hinted; the data of each is named beside it."""

    NOTHING = "nothing"
    """Nothing can be done. Data: none."""
    DEAL_FIRST = "deal-first"
    """Dealing never takes a move away, so nothing is lost by waiting. Data: none."""
    ONLY_ACTION = "only-action"
    """There is no other legal action. Data: none."""
    FINISHES = "finishes"
    """The move wins at once. Data: none."""
    SWEEPERS = "sweepers"
    """Keeps the cards of one rank uncovered, which sweep up the rest.
    Data: ``rank`` (``A`` to ``K``), ``count`` (cards of it on top)."""
    FREES = "frees"
    """Makes new moves possible. Data: ``count`` (how many more are legal)."""
    COVERS = "covers"
    """Gets rid of a card that few others could still cover.
    Data: ``card``, ``count`` (other top cards that match it)."""
    CLEARS = "clears"
    """Takes cards out of play on the way to a win. Data: ``count`` (cards)."""
    ON_LINE = "on-line"
    """Lies on a line that wins, and nothing more can be said. Data: none."""
    BEST_ODDS = "best-odds"
    """Wins most often over sampled orders of the unseen cards.
    Data: ``wins``, ``samples``."""
    FEWEST_PILES = "fewest-piles"
    """Leaves the fewest piles over sampled orders of the next cards.
    Data: ``piles`` (rounded to whole piles), ``samples``."""
    NO_WIN = "no-win"
    """Proved: nothing wins any more; the move keeps the most moves open.
    Data: none."""
    BEST_GUESS = "best-guess"
    """No win was found within the budget; the move keeps the most moves open.
    Data: none."""


@dataclass(frozen=True, slots=True)
class Hint:
    """An action to take, and why.

    Attributes:
        action: A legal action, or None when nothing can be done.
        verdict: Winnable when the action lies on a line that wins; unwinnable
            when it is proved that no action wins; else unknown.
        reason: Why this action.
        data: The figures of the reason, by the names given with ``Reason``.
        line: The whole line that wins, starting with the action, when one is
            known; empty otherwise. Worth keeping: following it needs no search.
        nodes: The work done, in rows looked at.
    """

    action: Action | None
    verdict: Verdict
    reason: Reason
    data: Mapping[str, int | str] = field(default_factory=dict)
    line: bytes = b""
    nodes: int = 0


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is known of one legal move.

    Attributes:
        move: The move.
        verdict: What is known of the position that it leads to.
    """

    move: Move
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Analysis:
    """A position and each of its legal moves, judged.

    Attributes:
        solution: What is known of the position itself.
        moves: Every legal move, in the order of the rules.
    """

    solution: Solution
    moves: tuple[Judgement, ...]
