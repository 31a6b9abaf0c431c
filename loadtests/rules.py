"""The rules of four stacking variants, written independently of the service's engine.

The load tests check responses against these. Cards are texts such as `TD`; a row is
a list of cards, leftmost first.
"""

from __future__ import annotations

import random

OFFSETS = {
    "accordion": (1, 3),
    "accordion-bidirectional": (1, 3, -1, -3),
    "23-skidoo": (2, 3),
    "late-binding": (1, 3),
}
"""How many places to the left a pile may move, by variant; negative is to the right."""

_DECK_SIZES = {"late-binding": 18}
_WINNING_PILES = {"23-skidoo": 2}
_POINTS_PER_CARD = 10
_POINTS_FOR_WINNING = 500

Move = tuple[int, int]
"""The positions that a pile moves from and to."""


def deck_size(variant: str) -> int:
    """The number of cards that a variant is played with."""
    return _DECK_SIZES.get(variant, 52)


def legal_moves(variant: str, row: list[str]) -> list[Move]:
    """Every legal move of a row, in ascending order."""
    return sorted(
        (origin, origin - offset)
        for origin in range(len(row))
        for offset in OFFSETS[variant]
        if 0 <= origin - offset < len(row) and _match(row[origin], row[origin - offset])
    )


def apply_move(row: list[str], move: Move) -> list[str]:
    """The row after a move."""
    origin, target = move
    after = list(row)
    after[target] = row[origin]
    del after[origin]
    return after


def status(variant: str, row: list[str]) -> str:
    """The status of an open game that the player has not finished early."""
    if len(row) == _WINNING_PILES.get(variant, 1):
        return "won"
    return "playing" if legal_moves(variant, row) else "lost"


def score(variant: str, row: list[str]) -> int:
    """The score of an open game, without the time bonus."""
    covered = deck_size(variant) - len(row)
    won = status(variant, row) == "won"
    return _POINTS_PER_CARD * covered + _POINTS_FOR_WINNING * won


def play_at_random(variant: str, row: list[str]) -> tuple[list[str], list[str]]:
    """Make moves at random until none is left.

    Returns:
        The moves as a record has them, such as `4-3`, and the last row.
    """
    actions = []
    while moves := legal_moves(variant, row):
        move = random.choice(moves)
        row = apply_move(row, move)
        actions.append(f"{move[0]}-{move[1]}")
    return actions, row


def _match(one: str, other: str) -> bool:
    return one[0] == other[0] or one[1] == other[1]
