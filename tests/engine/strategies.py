"""Hypothesis strategies for decks, positions and plays."""

from __future__ import annotations

import random
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import strategies as st

from service.engine.cards import DECK
from service.engine.deals import deal
from service.engine.decks import check_deck
from service.engine.play import Options, start
from service.engine.position import Position
from service.engine.ruleset import Layout, UndoRule
from service.engine.variants import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.engine.deals import Dealt
    from service.engine.play import Play
    from service.engine.ruleset import Ruleset

for_every_variant = pytest.mark.parametrize("ruleset", VARIANTS.values(), ids=VARIANTS)

OPTIONS = [Options(*choices) for choices in product(Layout, (False, True), UndoRule)]
for_all_options = pytest.mark.parametrize(
    "options",
    OPTIONS,
    ids=lambda options: "-".join(
        [options.layout, "compulsory" if options.compulsory else "free", options.undo]
    ),
)

SMALL_DECK = 7
"""The size of a deck that random play often wins."""
_UNDO_SHARE = 0.15
"""How often a random player undoes or redoes an action, if it can."""


_PLACES = [st.integers(0, max(0, size - 1)) for size in range(len(DECK) + 1)]


@st.composite
def cards(draw: st.DrawFn, least: int, most: int) -> bytes:
    """Different cards, in any order."""
    left = list(DECK)
    size = draw(st.integers(least, most))
    places = [draw(_PLACES[len(DECK) - drawn]) for drawn in range(size)]
    return bytes(left.pop(place) for place in places)


@st.composite
def decks(draw: st.DrawFn, ruleset: Ruleset, most: int = 52) -> Dealt:
    """A deck that is valid for a variant."""
    pins = ruleset.pins or ()
    most = min(most, ruleset.deck_size)
    drawn = draw(cards(3 if ruleset.names_goal else 1, most))
    inner = (card for card in drawn if card not in pins)
    deck = bytes([*pins[:1], *inner, *pins[1:]])[: ruleset.deck_size]
    goal = draw(st.sampled_from(deck[2:])) if ruleset.names_goal else None
    return check_deck(ruleset, deck, goal)


@st.composite
def positions(draw: st.DrawFn, ruleset: Ruleset) -> Position:
    """Any position, whether or not play can reach it."""
    most = draw(st.sampled_from([2, SMALL_DECK, ruleset.deck_size]))
    drawn = draw(cards(0, most))
    stock = draw(st.one_of(st.just(0), st.integers(0, len(drawn))))
    row, left = drawn[stock:], drawn[:stock]
    if ruleset.pins is not None and draw(st.booleans()):
        row = bytes(ruleset.pins)
        left = bytes(card for card in left if card not in row)
    goal = draw(st.sampled_from(drawn or DECK)) if ruleset.names_goal else None
    tallest = 3 if ruleset.is_stacking else 1
    heights = draw(st.binary(min_size=len(row), max_size=len(row)))
    return Position(ruleset, row, bytes(1 + h % tallest for h in heights), left, goal)


def play_randomly(play: Play, rng: random.Random, steps: int) -> Play:
    """Play at random, with some undos and redos, until no action is left."""
    for _ in range(steps):
        choices: list[Callable[[], Play]] = [
            partial(play.move, m) for m in play.legal_moves
        ]
        if play.can_deal:
            choices += [play.deal] * (1 + len(choices))
        if play.can_undo and rng.random() < _UNDO_SHARE:
            choices = [partial(play.undo, rng.randint(1, min(play.actions, 5)))]
        elif play.can_redo and rng.random() < _UNDO_SHARE:
            choices = [play.redo]
        if not choices:
            break
        play = rng.choice(choices)()
    return play


@st.composite
def plays(draw: st.DrawFn, ruleset: Ruleset, options: Options | None = None) -> Play:
    """A play at any point, of a whole deal or of a small deck."""
    if options is None:
        options = draw(st.sampled_from(OPTIONS))
    whole = st.integers(0, 999).map(lambda seed: deal(ruleset, str(seed)))
    dealt = draw(st.one_of(decks(ruleset, SMALL_DECK), whole))
    play = start(ruleset, dealt.cards, options, dealt.goal)
    rng = random.Random(draw(st.integers(0, 1 << 32)))
    return play_randomly(play, rng, draw(st.integers(0, 2 * len(dealt.cards))))
