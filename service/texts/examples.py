"""A worked example of each variant.

The cards in the texts are placeholders. They are filled in by playing the lines of the
examples, so that every text agrees with the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from service.engine.cards import NAMES, name_cards, parse_card, parse_cards
from service.engine.play import Status
from service.engine.position import Move, Position
from service.texts.formatting import card_text, row_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from service.engine.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Example:
    """A row, and lines of play that start from it.

    Attributes:
        row: The cards of the row, separated by spaces.
        lines: The lines. Each is a pair: its moves as ``origin-target``, separated by
            spaces, and the status of the game after them.
        all_moves: Whether the first moves of the lines are all legal moves of the row,
            so that the text may say so.
        goal: The goal card, or None.
    """

    row: str
    lines: tuple[tuple[str, Status], ...]
    all_moves: bool = True
    goal: str | None = None

    def start(self, ruleset: Ruleset) -> Position:
        """Return the position at the start of each line."""
        row = parse_cards(self.row.split())
        goal = None if self.goal is None else parse_card(self.goal)
        return Position(ruleset, row, b"\x01" * len(row), goal=goal)


def moves_of(line: str) -> Iterator[Move]:
    """Parse the moves of a line."""
    for move in line.split():
        origin, target = move.split("-")
        yield Move(int(origin), int(target))


_WON, _LOST = Status.WON, Status.LOST

EXAMPLES: Final[Mapping[str, Example]] = {
    "accordion": Example("4S 7H QC 4D KD", (("3-0 3-0", _LOST), ("4-3", _LOST))),
    "accordion-bidirectional": Example("7H 7C 2H", (("0-1 1-0", _WON), ("1-0", _LOST))),
    "accordions-revenge": Example(
        "2C 4H KH KC",
        (
            ("3-0 2-1 1-0", _WON),
            ("2-1 2-1 1-0", _LOST),
            ("3-2", _LOST),
        ),
        goal="KH",
    ),
    "23-skidoo": Example("7H 5H KH 5S 9S", (("3-1 3-1 2-0", _WON), ("2-0", _LOST))),
    "late-binding": Example(
        "KH 4C QC 4H QD", (("3-0 1-0 1-0 1-0", _WON), ("2-1", _LOST))
    ),
    "bayan": Example("8C 2C JH QC 7H 2S", (("3-0 2-1 1-0", _WON), ("1-0", _LOST))),
    "push-pin": Example("6S KS 9S 4H KH 6C", (("4-1 3-0", _WON), ("2-0", _LOST))),
    "royal-marriage": Example("QH 2C 7D QD 9D KH", (("3-0 3-0", _WON), ("4-2", _LOST))),
    "nizhni-novgorod": Example(
        "AS KD JC TS 3S TC 2C AC", (("5-2 5-2 3-0", _WON), ("3-0", _LOST))
    ),
    "decade": Example("QH 4D 8S AC 7S", (("4-0", _WON), ("4-1", _LOST))),
    "seven-up": Example(
        "QC 2H 7S 5D 9C",
        (("2-2 1-0 1-0", _WON), ("3-1 1-0", _WON)),
        all_moves=False,
    ),
}
"""The example of each variant, by key."""


@cache
def example_words(ruleset: Ruleset) -> Mapping[str, str]:
    """Play the example of a variant.

    Returns:
        The values of the placeholders of its text. ``row`` is the row at the start, and
        ``goal`` the goal card, if any. For move 2 of line 1, ``from_12`` and ``to_12``
        are the cards at its origin and target, ``row_12`` is the row after it,
        ``out_12`` the cards that left the row, and ``sum_12`` the sum of their values
        if the variant has runs.
    """
    example = EXAMPLES[ruleset.key]
    words = {"row": row_text(example.row.split())}
    if example.goal is not None:
        words["goal"] = card_text(example.goal)
    for i, (line, _) in enumerate(example.lines, 1):
        position = example.start(ruleset)
        for j, move in enumerate(moves_of(line), 1):
            after = position.apply(move)
            made = _move_words(position, move, after)
            words |= {f"{name}_{i}{j}": word for name, word in made.items()}
            position = after
    return words


def _move_words(before: Position, move: Move, after: Position) -> dict[str, str]:
    out = bytes(card for card in before.row if card not in after.row)
    words = {
        "from": card_text(NAMES[before.row[move.origin]]),
        "to": card_text(NAMES[before.row[move.target]]),
        "row": row_text(name_cards(after.row)),
        "out": row_text(name_cards(out)),
    }
    runs = before.ruleset.runs
    if runs is not None:
        words["sum"] = str(sum(runs.values[card % 13] for card in out))
    return words
