"""Random decks, seeds, moves and header fields for the state machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tests.properties.game_model import UNKNOWN, Refused

if TYPE_CHECKING:
    import random

    from tests.properties.game_model import GameModel

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
"""The deck sizes that are not 52, by variant."""
PINS = {"royal-marriage": ("QH", "KH"), "nizhni-novgorod": ("AS", "AC")}
"""The first and last card of every deal, by variant with pinned cards."""
OTHER_BODIES: dict[str, dict[str, Any]] = {
    "games": {"player": "Eve"},
    "moves": {"moves": [{"deal": 51}]},
    "deal": {"count": 51},
    "undo": {"count": 51},
    "redo": {"count": 51},
    "hint": {"budget_ms": 2},
    "solution": {"budget_ms": 2},
}
"""Bodies that the state machine never sends otherwise, by the last part of the path."""
_NAMES = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
_SYMBOLS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
_LETTERS = "abcXYZ019 -_/éß漢🂡'\"\\%"


def complete_options(variant: str, options: dict[str, Any]) -> dict[str, Any]:
    """Fill in the options that are left out."""
    stock = variant in PINS or options.get("compulsory", False)
    usual = {"compulsory": False, "undo": "unlimited", "hints": "allowed"}
    return {"layout": "stock" if stock else "open"} | usual | options


def deck_for(variant: str, rng: random.Random) -> list[str]:
    """Choose a deck, usually a small one, so that its game ends soon.

    Some decks start with cards of one suit, which all match.
    """
    first, last = PINS.get(variant, (None, None))
    cards = [card for card in _NAMES if card not in (first, last)]
    rng.shuffle(cards)
    if rng.random() < 0.4:
        cards.sort(key=lambda card: card[1])
    if first is not None and last is not None:
        return [first, *cards[: rng.choice([0, 1, 2, 4, 8, 50])], last]
    least = 3 if variant == "accordions-revenge" else 1
    most = SIZES.get(variant, 52)
    return cards[: rng.choice([least, 3, 4, 5, 6, 7, 8, 12, most])]


def has_pinned_cards(variant: str, deck: list[str]) -> bool:
    """Whether the first and last card are the pinned cards of the variant, if any."""
    first, last = PINS.get(variant, (deck[0], deck[-1]))
    return deck[0] == first and deck[-1] in (last, UNKNOWN)


def spell_differently(card: str, rng: random.Random) -> str:
    """Write a card in one of the accepted ways."""
    rank, suit = card[0], _SYMBOLS[card[1]]
    ways = [card, card, card.lower(), rank + suit, f"{rank}{suit}\ufe0f"]
    if rank == "T":
        ways += [f"10{card[1]}", f"10{suit}"]
    return rng.choice(ways)


def seed_for(source: str, rng: random.Random) -> str:
    """Choose a seed that a source accepts."""
    if source == "pysol":
        return str(rng.choice([1, 31_999, 32_000, 2**33, rng.randrange(1, 2**60)]))
    if source == "solvitaire":
        return str(rng.choice([0, 2**32 - 1, rng.randrange(2**32)]))
    number = str(rng.randrange(-(10**6), 10**6))
    text = "".join(rng.choices(_LETTERS, k=rng.choice([1, 8, 64])))
    return rng.choice([number, text])


@dataclass(frozen=True)
class WriteHeaders:
    """The header fields of a write.

    Attributes:
        if_match: The field If-Match, with `now` for the current version and `past` for
            the one before.
        has_key: Whether there is an Idempotency-Key.
    """

    if_match: str
    prefer: str
    has_key: bool

    @property
    def holds(self) -> bool:
        """Whether the condition holds."""
        return self.if_match in {"", "*", "now", "past, now"}

    @property
    def wants_minimal(self) -> bool:
        return self.prefer == "return=minimal"

    def condition(self, version: int) -> dict[str, str]:
        """The field If-Match for a game of this version."""
        if not self.if_match:
            return {}
        now, past = f'"{version}"', f'"{version - 1}"'
        return {"If-Match": self.if_match.replace("now", now).replace("past", past)}

    def build(self, version: int, key: str) -> dict[str, str]:
        """The header fields for a game of this version; 0 before it is created."""
        fields = self.condition(version) if version else {}
        if self.prefer:
            fields["Prefer"] = self.prefer
        if self.has_key:
            fields["Idempotency-Key"] = key
        return fields


NO_HEADERS = WriteHeaders(if_match="", prefer="", has_key=False)
"""A write without a condition, preference or key."""

write_headers = st.builds(
    WriteHeaders,
    if_match=st.sampled_from(
        [*[""] * 8, "now", "*", "past, now", "past", "W/now", '"x"']
    ),
    prefer=st.sampled_from(["", "", "", "return=minimal", "return=representation"]),
    has_key=st.sampled_from([False, False, False, True]),
)


def choose_move(
    model: GameModel, rng: random.Random, *, legal: bool
) -> tuple[int, int]:
    """Choose a move; a legal one if `legal` and there is one."""
    if legal and model.moves:
        return rng.choice(model.moves)
    piles = len(model.table)
    return rng.randint(-1, piles + 1), rng.randint(-1, piles + 1)


def choose_steps(
    model: GameModel, rng: random.Random, length: int
) -> list[dict[str, Any]]:
    """Choose steps that are legal, except perhaps the last one."""
    steps: list[dict[str, Any]] = []
    after = model
    for _ in range(length):
        if rng.random() < 0.3:
            steps.append({"deal": rng.choice([1, 1, 2, 3, "all"])})
        else:
            legal = UNKNOWN not in after.row and rng.random() < 0.9
            origin, target = choose_move(after, rng, legal=legal)
            if UNKNOWN in after.row and rng.random() < 0.5:
                origin = after.row.index(UNKNOWN)
            steps.append({"from": origin, "to": target})
        after = model.fork()
        try:
            after.batch(steps)
        except Refused:
            break
    return steps


def count_body(count: int | str, rng: random.Random) -> dict[str, Any]:
    return {} if count == 1 and rng.random() < 0.5 else {"count": count}
