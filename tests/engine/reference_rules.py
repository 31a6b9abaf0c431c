"""A second implementation of the rules, independent of the engine.

Cards are names, a pile is a tuple of them with its top last, and every variant has its
own branch. It is slow and follows the text of the rules, so that it does not repeat an
error of the engine.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

Pile: TypeAlias = tuple[str, ...]
Table: TypeAlias = tuple[Pile, ...]

STACKING = (
    "accordion",
    "accordion-bidirectional",
    "accordions-revenge",
    "23-skidoo",
    "late-binding",
)
TO_ONE_PILE = (
    "accordion",
    "accordion-bidirectional",
    "accordions-revenge",
    "late-binding",
)


def match(one: str, other: str) -> bool:
    """Two cards match when they share rank or suit."""
    return one[0] == other[0] or one[1] == other[1]


def add(cards: list[str], jack: int, queen: int, king: int) -> int:
    """Add up values; an ace is 1."""
    courts = {"A": 1, "T": 10, "J": jack, "Q": queen, "K": king}
    return sum(courts.get(card[0]) or int(card[0]) for card in cards)


def tops(table: Table) -> list[str]:
    return [pile[-1] for pile in table]


def reaches(variant: str, origin: int, target: int) -> bool:
    """Whether the variant allows the distance and direction of a move."""
    if variant in ("accordion", "accordions-revenge", "late-binding"):
        return origin - target in (1, 3)
    if variant == "accordion-bidirectional":
        return origin - target in (1, 3) or target - origin in (1, 3)
    if variant == "23-skidoo":
        return origin - target in (2, 3)
    return removal_reaches(variant, origin, target)


def removal_reaches(variant: str, origin: int, target: int) -> bool:
    cards = origin - target + 1
    if variant == "bayan":
        return cards in (2, 4)
    if variant in ("push-pin", "royal-marriage"):
        return cards - 2 in (1, 2)
    if variant == "nizhni-novgorod":
        return cards - 2 == 2
    if variant == "decade":
        # Thirteen cards of one deck can add up to 30; fourteen come to 32 at least.
        return 2 <= cards <= 13
    assert variant == "seven-up"
    return 1 <= cards <= 4


def fits(variant: str, row: list[str], origin: int, target: int) -> bool:
    """Whether the variant allows the cards of a move whose distance it allows."""
    run = row[target : origin + 1]
    if variant == "decade":
        return add(run, 10, 10, 10) in (10, 20, 30)
    if variant == "seven-up" and len(run) == 1:
        return run[0][0] == "7"
    if variant == "seven-up":
        return add(run, 11, 12, 13) % 7 == 0
    return match(row[origin], row[target])


def refusal(variant: str, row: list[str], origin: int, target: int) -> str | None:
    """Why a move is not legal; None if it is."""
    if not (0 <= origin < len(row) and 0 <= target < len(row)):
        return "no-such-pile"
    if not reaches(variant, origin, target):
        return "direction" if reaches(variant, target, origin) else "distance"
    return None if fits(variant, row, origin, target) else "no-match"


def legal_moves(variant: str, row: list[str]) -> list[tuple[int, int]]:
    return list(_legal_moves(variant, tuple(row)))


@lru_cache(maxsize=1000)
def _legal_moves(variant: str, cards: tuple[str, ...]) -> list[tuple[int, int]]:
    row = list(cards)
    return [
        (origin, target)
        for origin in range(len(row))
        for target in range(len(row))
        if reaches(variant, origin, target) and fits(variant, row, origin, target)
    ]


def move(variant: str, table: Table, origin: int, target: int) -> Table:
    """Make a legal move."""
    piles = list(table)
    if variant in STACKING:
        piles[target] = piles[target] + piles[origin]
        leaving = [origin]
    elif variant == "bayan":
        leaving = [target, origin]
    elif variant in ("push-pin", "royal-marriage", "nizhni-novgorod"):
        leaving = list(range(target + 1, origin))
    else:
        leaving = list(range(target, origin + 1))
    return tuple(pile for i, pile in enumerate(piles) if i not in leaving)


def won(variant: str, row: list[str], stock: int, goal: str | None) -> bool:
    if stock:
        return False
    if variant == "accordions-revenge":
        return row == [goal]
    if variant == "royal-marriage":
        return row == ["QH", "KH"]
    if variant == "nizhni-novgorod":
        return row == ["AS", "AC"]
    if variant in ("23-skidoo", "push-pin"):
        return len(row) == 2
    return len(row) == (1 if variant in STACKING else 0)


def lost(variant: str, row: list[str], stock: int) -> bool:
    return not stock and not legal_moves(variant, row)


def points(*, dealt: int, left: int, won: bool, seconds: int) -> int:
    gone = 10 * (dealt - left)
    return gone + 500 + max(1200 - seconds, 0) if won else gone


def rating(variant: str, left: int, *, won: bool) -> str | None:
    """Rate a game that is over, with its whole deck dealt."""
    if won:
        return "full"
    if variant not in TO_ONE_PILE or left > 5:
        return None
    return "moral" if left > 3 else "strong"
