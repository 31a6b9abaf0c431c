"""The difficulty of a deal, measured by simulated players.

Three players play the open deal many times, always with the same noise, so that the
measure of a deal is always the same. ``GRADING`` is the version of the measure: while
it stays the same, no deal changes its grade.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np

from service.engine.position import Position
from service.solver.budget import Nodes
from service.solver.kernels.players import GREEDY, RANDOM, SWEEPERS, play_all
from service.solver.kernels.rules import MAX_ROW, rules_of
from service.solver.solve import solve
from service.solver.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from service.engine.ruleset import Ruleset
    from service.solver.kernels.rules import Cards, Ints

GRADING: Final = "grade/1"
"""The version of the measure and of the grades."""

_GAMES: Final = ((RANDOM, 100), (GREEDY, 40), (SWEEPERS, 60))
"""The players, and the number of games that each plays."""
_FEW: Final = 4
"""``Measure.few``: at most this many piles more than in a won game (1 + 4 = 5)."""
_END: Final = 7
"""``Measure.safe``: this many piles more than in a won game (1 + 7 = 8)."""
_NODES: Final = 100_000
"""The budget for a row of eight piles, in rows examined; it needs about 1% of it."""


class Grade(StrEnum):
    """How difficult a deal is."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


_BOUNDS: Final[Mapping[str, tuple[float, float, float, float]]] = MappingProxyType(
    {
        "accordion": (23.5, 25.5, 27.5, 30.0),
        "accordions-revenge": (12.0, 15.0, 18.0, 21.0),
        "23-skidoo": (26.5, 29.5, 32.0, 35.0),
        "late-binding": (30.0, 33.0, 36.0, 38.0),
        "bayan": (47.0, 50.5, 54.0, 59.0),
        "push-pin": (14.5, 27.0, 39.0, 54.0),
        "royal-marriage": (13.5, 26.5, 39.0, 53.5),
        "nizhni-novgorod": (1.0, 6.5, 16.5, 29.0),
        "decade": (6.5, 28.0, 48.0, 63.0),
        "seven-up": (50.5, 66.5, 77.0, 84.5),
    }
)
"""By variant, bounds of ``Measure.ease``, inclusive: hard up to the first, medium from
the second to the third, easy from the fourth; docs/difficulty.md has the figures."""


@dataclass(frozen=True, slots=True)
class Measure:
    """The results of simulated players in a deal, as fractions of their games, 0 to 1.

    The numbers of piles are for variants in which one pile wins; where n piles win,
    they are n - 1 higher.

    Attributes:
        won: The games won, by the random, the greedy and the sweepers player.
        few: The games that ended with five piles or fewer, by the same players.
        safe: The games of the sweepers player that, with eight piles left, more than
            one move kept winnable.
        narrow: The games of the sweepers player that, with eight piles left, exactly
            one move kept winnable.
    """

    won: tuple[float, ...]
    few: tuple[float, ...]
    safe: float
    narrow: float

    @property
    def ease(self) -> float:
        """The mean of all fractions but ``narrow``, as a percentage, 0 to 100."""
        return 100 * (sum(self.won) + sum(self.few) + self.safe) / 7


def measure(position: Position) -> Measure:
    """Let simulated players play a deal, after all cards of its stock are dealt."""
    rules = rules_of(position.ruleset, position.goal)
    goal_length = position.ruleset.goal_length
    won, few, kept = [], [], np.zeros(0, np.int64)
    for skill, games in _GAMES:
        rows, sizes = _lay_out(position, games)
        if skill == SWEEPERS:
            play_all(rules, rows, sizes, goal_length + _END, skill, 0)
            laid = _positions(position, rows, sizes)
            kept = np.array([_ways_to_win(end, goal_length + _END) for end in laid])
        play_all(rules, rows, sizes, 0, skill, 1)
        won.append(_share([end.is_won for end in _positions(position, rows, sizes)]))
        few.append(_share(sizes <= goal_length + _FEW))
    return Measure(tuple(won), tuple(few), _share(kept > 1), _share(kept == 1))


def _lay_out(position: Position, games: int) -> tuple[Cards, Ints]:
    """Lay a deal out for several games, and return their rows and the rows' sizes."""
    cards = np.frombuffer(position.row + position.stock, np.uint8)
    rows = np.zeros((games, MAX_ROW), np.uint8)
    rows[:, : len(cards)] = cards
    return rows, np.full(games, len(cards), np.int64)


def _positions(position: Position, rows: Cards, sizes: Ints) -> list[Position]:
    ruleset, goal = position.ruleset, position.goal
    return [
        Position(ruleset, row[:size].tobytes(), bytes([1]) * int(size), b"", goal)
        for row, size in zip(rows, sizes, strict=True)
    ]


def _ways_to_win(end: Position, most: int) -> int:
    """Count the moves that keep a short row winnable: 0, 1, or 2 for more."""
    if len(end.row) > most or not _is_winnable(end):
        return 0
    kept = 0
    for move in end.legal_moves:
        kept += _is_winnable(end.apply(move))
        if kept > 1:
            break
    return kept


def _is_winnable(position: Position) -> bool:
    return solve(position, Nodes(_NODES)).verdict is Verdict.WINNABLE


def _share(which: Sequence[bool] | NDArray[np.bool_]) -> float:
    return float(np.mean(which))


def grades_of(ruleset: Ruleset) -> Mapping[Grade, tuple[float, float]]:
    """Return the interval of ``Measure.ease`` for each grade; empty if it has none."""
    if ruleset.key not in _BOUNDS:
        return {}
    hard, least, most, easy = _BOUNDS[ruleset.key]
    return {
        Grade.EASY: (easy, 100.0),
        Grade.MEDIUM: (least, most),
        Grade.HARD: (0.0, hard),
    }


def grade_of(ruleset: Ruleset, ease: float) -> Grade | None:
    """Return the grade for an ease; None between two grades or if none is set."""
    intervals = grades_of(ruleset).items()
    return next(
        (grade for grade, (low, high) in intervals if low <= ease <= high), None
    )
