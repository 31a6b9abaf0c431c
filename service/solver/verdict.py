"""The results of the solver."""

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
    """What is known about a position."""

    WINNABLE = "winnable"
    """A line that wins is known; it was replayed by the rules."""
    UNWINNABLE = "unwinnable"
    """It is proved that no line wins."""
    UNKNOWN = "unknown"
    """The budget was spent, or cards are hidden."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What is known about a position, and how to win it.

    Attributes:
        verdict: What is known.
        line: The actions that win, as a line of ``service.engine.play`` (two
            bytes an action); empty unless the verdict is winnable, and also
            if the position is won already.
        nodes: The work done, in rows examined.
    """

    verdict: Verdict
    line: bytes = b""
    nodes: int = 0

    @property
    def actions(self) -> tuple[Action, ...]:
        """The line as actions, first to last."""
        return tuple(actions_of(self.line))


class HintCode(StrEnum):
    """Why an action is suggested; ``Data`` lists the members of ``Hint.data``."""

    NOTHING = "nothing"
    """Nothing can be done. Data: none."""
    DEAL_FIRST = "deal-first"
    """Dealing never removes a legal move, so moves can wait. Data: none."""
    ONLY_ACTION = "only-action"
    """There is no other legal action. Data: none."""
    FINISHES = "finishes"
    """The move wins at once. Data: none."""
    SWEEPERS = "sweepers"
    """Keeps cards of one rank uncovered, which later cover all others (sweepers).
    Data: ``rank`` (``A`` to ``K``), ``count`` (top cards of that rank)."""
    FREES = "frees"
    """Makes new moves legal. Data: ``count`` (how many more are legal)."""
    COVERS = "covers"
    """Covers a card that few other cards match.
    Data: ``card``, ``count`` (other top cards that match it)."""
    CLEARS = "clears"
    """Removes cards, on a line that wins. Data: ``count`` (cards)."""
    ON_LINE = "on-line"
    """Is on a line that wins; no other reason applies. Data: none."""
    BEST_ODDS = "best-odds"
    """Wins most often over sampled orders of the unseen cards.
    Data: ``wins``, ``samples``."""
    FEWEST_PILES = "fewest-piles"
    """Leaves the fewest piles over sampled orders of the next cards.
    Data: ``piles`` (rounded to whole piles), ``samples``."""
    NO_WIN = "no-win"
    """It is proved that no line wins; the move leaves the most legal moves.
    Data: none."""
    BEST_GUESS = "best-guess"
    """No win was found within the budget; the move leaves the most legal moves.
    Data: none."""


@dataclass(frozen=True, slots=True)
class Hint:
    """An action to take, and why.

    Attributes:
        action: A legal action, or None if there is none.
        verdict: Winnable if the action is on a line that wins; unwinnable if it is
            proved that no action wins; else unknown.
        reason: Why this action.
        data: The data of the reason, by the names given with ``HintCode``.
        line: The whole line that wins, starting with the action, if one is known;
            else empty. ``follow`` makes the later hints from it without a search.
        nodes: The work done, in rows examined.
    """

    action: Action | None
    verdict: Verdict
    reason: HintCode
    data: Mapping[str, int | str] = field(default_factory=dict)
    line: bytes = b""
    nodes: int = 0


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is known about one legal move.

    Attributes:
        move: The move.
        verdict: What is known about the position after the move.
    """

    move: Move
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Analysis:
    """A position and each of its legal moves, judged.

    Attributes:
        solution: What is known about the position itself.
        moves: Every legal move, in the order of ``Position.legal_moves``.
    """

    solution: Solution
    moves: tuple[Judgement, ...]
