"""Texts of cards."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.engine.cards import DECK, MATCH, NAMES, parse_card, parse_cards
from service.engine.errors import CardError
from tests.engine import reference_rules


def test_names() -> None:
    suits = ("CLUBS", "DIAMONDS", "HEARTS", "SPADES")
    assert list(NAMES) == [rank + suit[0] for suit in suits for rank in "A23456789TJQK"]
    assert parse_cards(NAMES) == DECK


@pytest.mark.parametrize("card", DECK, ids=NAMES)
def test_spellings(card: int) -> None:
    rank, suit = tuple(NAMES[card])
    filled, hollow = "♣♦♥♠"["CDHS".index(suit)], "♧♢♡♤"["CDHS".index(suit)]
    ranks = {rank, rank.lower()} | ({"10"} if rank == "T" else set())
    suits = {suit, suit.lower(), filled, hollow, filled + "\ufe0f", filled + "\ufe0e"}
    assert {parse_card(one + other) for one in ranks for other in suits} == {card}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "4",
        "S",
        "S4",
        "1S",
        "0S",
        "11S",
        "4X",
        " 4S",
        "4S ",
        "44S",
        "4SS",
        "\N{MATHEMATICAL BOLD DIGIT FOUR}S",
    ],
)
def test_invalid_cards_are_refused(text: str) -> None:
    with pytest.raises(CardError) as refusal:
        parse_card(text)
    assert refusal.value.text == text


@given(st.text())
def test_any_text_is_a_card_or_refused(text: str) -> None:
    with suppress(CardError):
        assert parse_card(text) in DECK


def test_match() -> None:
    for card in DECK:
        matching = [reference_rules.match(NAMES[card], other) for other in NAMES]
        assert list(MATCH[card]) == matching
