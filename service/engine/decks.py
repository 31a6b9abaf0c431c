"""Decks that a player lays out, for practice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.engine.deals import Dealt
from service.engine.errors import DeckError, GoalError

if TYPE_CHECKING:
    from service.engine.ruleset import Ruleset

_FIRST_GOAL_PLACE = 2


def check_deck(ruleset: Ruleset, cards: bytes, goal: int | None = None) -> Dealt:
    """Check that cards can be the deck of a game in a variant.

    Args:
        ruleset: The variant.
        cards: The cards in the order of dealing.
        goal: The goal card, if the variant names one.

    Returns:
        The deck as a deal.

    Raises:
        DeckError: There are no cards or too many, a card occurs twice, or the pinned
            cards are not at the ends.
        GoalError: A goal card is given where the variant names none; or the goal card
            is missing, not in the deck, or one of the deck's first two cards.
    """
    if not 0 < len(cards) <= ruleset.deck_size:
        raise DeckError("cards", least=1, most=ruleset.deck_size)
    if len(set(cards)) != len(cards):
        twice = next(card for card in cards if cards.count(card) > 1)
        raise DeckError("card-repeated", card=twice)
    _check_pins(ruleset, cards)
    _check_goal(ruleset, cards, goal)
    return Dealt(cards, goal)


def _check_pins(ruleset: Ruleset, cards: bytes) -> None:
    pins = ruleset.pins
    if pins is None or (len(cards) >= len(pins) and (cards[0], cards[-1]) == pins):
        return
    raise DeckError("deck-ends", first=pins[0], last=pins[1])


def _check_goal(ruleset: Ruleset, cards: bytes, goal: int | None) -> None:
    if not ruleset.names_goal:
        if goal is not None:
            raise GoalError("goal-not-used")
    elif goal is None or goal not in cards[_FIRST_GOAL_PLACE:]:
        raise GoalError("goal-needed")
