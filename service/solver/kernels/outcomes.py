"""The outcomes of a search, and proofs that a row is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from numba import njit

from service.solver.kernels.bits import bits

if TYPE_CHECKING:
    from service.solver.kernels.rules import Cards, Ints

WON: Final = 1
LOST: Final = 0
UNFINISHED: Final = -1


@njit(nogil=True)
def is_proved_lost(
    matches: Ints,
    cards: int,
    goal_length: int,
    pairs: bool,  # noqa: FBT001
) -> bool:
    """Whether the groups of a row prove that it is lost.

    A group is a set of cards that match each other, directly or through other
    cards; a move affects only one group. Where piles are stacked, at least one card
    of each group remains, because the last one has no card to move onto: a row with
    more groups than a won row has piles cannot be won. Where pairs are removed, a
    group of odd size cannot be removed completely. Moves only take cards away, so
    groups never merge.

    Args:
        matches: int64[cards]; bit b of ``matches[a]`` is set if a and b match.
        cards: The cards of the row as the bits of a word.
        goal_length: The cards left in a won row.
        pairs: Whether a move removes a pair.
    """
    groups = 0
    while cards:
        found = cards & -cards
        cards ^= found
        members = 0
        while found:
            card = bits((found & -found) - 1)
            found &= found - 1
            more = matches[card] & cards
            cards ^= more
            found |= more
            members += 1
        groups += members & 1 if pairs else 1
    return groups > goal_length


@njit(nogil=True, inline="always")
def is_cut_off(place: int, size: int, least: int) -> bool:
    """Whether a goal card is too far left for the cards to its right to pass it.

    Args:
        place: The place of the goal card.
        size: The number of cards in the row.
        least: ``Rules.goal_place``.
    """
    return place < least and place + 1 < size


@njit(nogil=True, inline="always")
def cuts_off(place: int, origin: int, target: int, size: int, least: int) -> bool:
    """Whether a goal card is cut off after a stacking move to the left.

    Args:
        place: The place of the goal card before the move.
        origin: The place of the pile that moves.
        target: The place of the pile that it moves onto.
        size: The number of cards in the row before the move.
        least: ``Rules.goal_place``.
    """
    after = target if origin == place else place - (origin < place)
    return is_cut_off(after, size - 1, least)


@njit(nogil=True)
def find_card(row: Cards, size: int, card: int) -> int:
    """Return the place of a card in a row; ``size`` if the row does not contain it."""
    for place in range(size):
        if row[place] == card:
            return place
    return size
