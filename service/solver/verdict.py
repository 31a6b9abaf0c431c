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
    """A line that wins is known; it was checked against the rules."""
    UNWINNABLE = "unwinnable"
    """It is proved that no line wins."""
    UNKNOWN = "unknown"
    """The budget was spent, or cards are hidden."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What is known about a position, and how to win it.

    Attributes:
        verdict: What is known.
        line: The actions that win, as a line of ``service.engine.play`` (two bytes an
            action); empty if the verdict is not winnable or the position is won
            already.
        nodes: The work done, in rows examined.
    """

    verdict: Verdict
    line: bytes = b""
    nodes: int = 0

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions of ``line``, first to last."""
        return tuple(actions_of(self.line))


class HintCode(StrEnum):
    """Why an action is suggested. "Data" lists the members of ``Hint.data``."""

    NOTHING = "nothing"
    """Nothing can be done. Data: none."""
    DEAL_FIRST = "deal-first"
    """Dealing never removes a legal move, so moves can wait. Data: none."""
    ONLY_ACTION = "only-action"
    """No other action is legal. Data: none."""
    FINISHES = "finishes"
    """The move wins at once. Data: none."""
    SWEEPERS = "sweepers"
    """The move keeps cards of one rank uncovered, which later cover all others
    (sweepers). Data: ``rank`` (``A`` to ``K``), ``count`` (top cards of that rank)."""
    FREES = "frees"
    """After the move, more moves are legal. Data: ``count`` (how many more)."""
    COVERS = "covers"
    """The move covers a card that few other cards match. Data: ``card``, ``count``
    (other top cards that match it, the moved card included)."""
    CLEARS = "clears"
    """The move removes cards and is on a line that wins. Data: ``count`` (cards)."""
    ON_LINE = "on-line"
    """The move is on a line that wins; no other reason applies. Data: none."""
    BEST_ODDS = "best-odds"
    """The move wins most often over sampled orders of the unseen cards.
    Data: ``wins``, ``samples``."""
    FEWEST_PILES = "fewest-piles"
    """The move leads to the fewest piles over sampled orders of the next cards.
    Data: ``piles`` (the mean, rounded to whole piles), ``samples``."""
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
        action: A legal action, or None if no action is legal.
        verdict: Winnable if the action is on a line that wins, or the game is won;
            unwinnable if it is proved that no line wins; else unknown.
        reason: Why this action is suggested.
        data: The data of the reason, by the names listed in ``HintCode``.
        line: The whole line that wins, starting with the action, if one is known;
            else empty. From it, ``follow`` makes the later hints without a search.
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
    """The verdict on the position after a legal move."""

    move: Move
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Analysis:
    """The verdicts on a position and on each of its legal moves.

    Attributes:
        solution: What is known about the position itself.
        moves: All legal moves, in the order of ``Position.legal_moves``.
    """

    solution: Solution
    moves: tuple[Judgement, ...]
