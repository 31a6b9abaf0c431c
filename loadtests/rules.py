"""The rules of the stacking games, written a second time to check the answers by.

Cards are texts such as `TD`; a row is a list of them, leftmost first.
"""

from __future__ import annotations

OFFSETS = {
    "accordion": (1, 3),
    "accordion-bidirectional": (1, 3, -1, -3),
    "23-skidoo": (2, 3),
    "late-binding": (1, 3),
}
"""How far to the left a pile may go, by variant; negative is to the right."""

DECKS = {"late-binding": 18}
"""How many cards are played with, where it is not the whole deck."""

WHOLE_DECK = 52
_GOALS = {"23-skidoo": 2}
"""How many piles win, where it is not one."""

_POINTS = 10
_WIN_POINTS = 500

Step = tuple[int, int]
"""Where a pile comes from and where it goes."""


def legal_steps(variant: str, row: list[str]) -> set[Step]:
    """Every legal move of a row."""
    return {
        (origin, origin - offset)
        for origin in range(len(row))
        for offset in OFFSETS[variant]
        if 0 <= origin - offset < len(row) and _match(row[origin], row[origin - offset])
    }


def stack(row: list[str], step: Step) -> list[str]:
    """The row after a move."""
    origin, target = step
    after = list(row)
    after[target] = row[origin]
    del after[origin]
    return after


def status(variant: str, row: list[str]) -> str:
    """How a game stands whose whole deck lies on the table, unless it was stopped."""
    if len(row) == _GOALS.get(variant, 1):
        return "won"
    return "playing" if legal_steps(variant, row) else "lost"


def score(variant: str, row: list[str]) -> int:
    """The points of such a game, without a bonus for time."""
    gone = DECKS.get(variant, WHOLE_DECK) - len(row)
    won = status(variant, row) == "won"
    return _POINTS * gone + _WIN_POINTS * won


def _match(one: str, other: str) -> bool:
    return one[0] == other[0] or one[1] == other[1]
