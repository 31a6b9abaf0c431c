"""What a game can be started with, and a request be sent with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tests.properties.game_model import UNKNOWN, Refused

if TYPE_CHECKING:
    import random

    from tests.properties.game_model import Model

VARIANTS = {
    "accordion": ["idle-year", "methuselah", "tower-of-babel"],
    "accordion-bidirectional": ["relaxed-accordion"],
    "accordions-revenge": [],
    "23-skidoo": [],
    "late-binding": [],
    "bayan": [],
    "push-pin": ["queens"],
    "royal-marriage": ["betrothal", "coquette", "matrimony"],
    "nizhni-novgorod": ["nidgi-novgorod", "russian-solitaire"],
    "decade": ["ten-twenty-thirty"],
    "seven-up": ["seventh-wonder"],
}
"""Every variant with its aliases."""
SIZES = {"late-binding": 18}
"""The cards in a deck that is no whole one."""
PINS = {"royal-marriage": ("QH", "KH"), "nizhni-novgorod": ("AS", "AC")}
"""The first and the last card of the deals that have them pinned."""
OTHERS: dict[str, dict[str, Any]] = {
    "games": {"player": "Eve"},
    "moves": {"moves": [{"deal": 51}]},
    "deal": {"count": 51},
    "undo": {"count": 51},
    "redo": {"count": 51},
    "hint": {"budget_ms": 2},
    "solution": {"budget_ms": 2},
}
"""Bodies that nothing else is sent with, by the last part of the path."""
_NAMES = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
_SYMBOLS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
_LETTERS = "abcXYZ019 -_/éß漢🂡'\"\\%"


def complete(variant: str, options: dict[str, Any]) -> dict[str, Any]:
    """Fill in what is left out, as the variant has it."""
    layout = "stock" if variant in PINS else "open"
    return {"layout": layout, "compulsory": False, "undo": "unlimited"} | options


def deck_for(variant: str, chance: random.Random) -> list[str]:
    """Choose a deck, mostly a small one: its game comes to an end.

    Now and then its first cards are of one suit, so that all of them match.
    """
    first, last = PINS.get(variant, (None, None))
    cards = [card for card in _NAMES if card not in (first, last)]
    chance.shuffle(cards)
    if chance.random() < 0.4:
        cards.sort(key=lambda card: card[1])
    if first is not None and last is not None:
        return [first, *cards[: chance.choice([0, 1, 2, 4, 8, 50])], last]
    least = 3 if variant == "accordions-revenge" else 1
    most = SIZES.get(variant, 52)
    return cards[: chance.choice([least, 3, 4, 5, 6, 7, 8, 12, most])]


def pinned(variant: str, deck: list[str]) -> bool:
    """Whether a deck begins and ends as it must."""
    first, last = PINS.get(variant, (deck[0], deck[-1]))
    return deck[0] == first and deck[-1] in (last, UNKNOWN)


def respell(card: str, chance: random.Random) -> str:
    """Write a card in a way that is taken."""
    rank, suit = card[0], _SYMBOLS[card[1]]
    ways = [card, card, card.lower(), rank + suit, f"{rank}{suit}\ufe0f"]
    if rank == "T":
        ways += [f"10{card[1]}", f"10{suit}"]
    return chance.choice(ways)


def seed_for(source: str, chance: random.Random) -> str:
    """Choose a seed that a source knows."""
    if source == "pysol":
        return str(
            chance.choice([1, 31_999, 32_000, 2**33, chance.randrange(1, 2**60)])
        )
    if source == "solvitaire":
        return str(chance.choice([0, 2**32 - 1, chance.randrange(2**32)]))
    number = str(chance.randrange(-(10**6), 10**6))
    text = "".join(chance.choices(_LETTERS, k=chance.choice([1, 8, 64])))
    return chance.choice([number, text])


@dataclass(frozen=True)
class Envelope:
    """How a write is sent, apart from its body.

    Attributes:
        tag: What If-Match says; `now` and `past` stand for versions.
        wish: What Prefer says.
        again: Whether it can be sent again.
    """

    tag: str
    wish: str
    again: bool

    @property
    def holds(self) -> bool:
        """Whether its condition holds."""
        return self.tag in {"", "*", "now", "past, now"}

    @property
    def wants_minimal(self) -> bool:
        return self.wish == "return=minimal"

    def condition(self, version: int) -> dict[str, str]:
        """Write its condition on a version."""
        if not self.tag:
            return {}
        now, past = f'"{version}"', f'"{version - 1}"'
        return {"If-Match": self.tag.replace("now", now).replace("past", past)}

    def fields(self, version: int, key: str) -> dict[str, str]:
        """Write its header fields; a game that is not there yet has version 0."""
        fields = self.condition(version) if version else {}
        if self.wish:
            fields["Prefer"] = self.wish
        if self.again:
            fields["Idempotency-Key"] = key
        return fields


PLAIN = Envelope(tag="", wish="", again=False)
"""A write without any condition or preference."""

envelopes = st.builds(
    Envelope,
    tag=st.sampled_from([*[""] * 8, "now", "*", "past, now", "past", "W/now", "x"]),
    wish=st.sampled_from(["", "", "", "return=minimal", "return=representation"]),
    again=st.sampled_from([False, False, False, True]),
)


def choose_ends(model: Model, chance: random.Random, *, legal: bool) -> tuple[int, int]:
    """Choose the ends of a move: of a legal one, if that is wished and there is one."""
    if legal and model.moves:
        return chance.choice(model.moves)
    piles = len(model.table)
    return chance.randint(-1, piles + 1), chance.randint(-1, piles + 1)


def choose_steps(
    model: Model, chance: random.Random, length: int
) -> list[dict[str, Any]]:
    """Choose steps that can be made, mostly; the last may be one that cannot."""
    steps: list[dict[str, Any]] = []
    after = model
    for _ in range(length):
        if chance.random() < 0.3:
            steps.append({"deal": chance.choice([1, 1, 2, 3, "all"])})
        else:
            legal = UNKNOWN not in after.row and chance.random() < 0.9
            origin, target = choose_ends(after, chance, legal=legal)
            if UNKNOWN in after.row and chance.random() < 0.5:
                origin = after.row.index(UNKNOWN)
            steps.append({"from": origin, "to": target})
        after = model.fork()
        try:
            after.batch(steps)
        except Refused:
            break
    return steps


def write_count(count: int | str, chance: random.Random) -> dict[str, Any]:
    return {} if count == 1 and chance.random() < 0.5 else {"count": count}
