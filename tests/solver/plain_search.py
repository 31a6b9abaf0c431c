"""A plain search with the engine, to compare the solver with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from service.engine.position import Position

if TYPE_CHECKING:
    from service.engine.ruleset import Ruleset


def can_win(position: Position, *, compulsory: bool = False) -> bool:
    """Whether any sequence of actions wins; it tries all of them."""
    return fewest_left(position, compulsory=compulsory, seen={}) == -1


def fewest_left(
    position: Position, *, compulsory: bool, seen: dict[tuple[bytes, bytes], int]
) -> int:
    """The fewest piles in which a game can end; -1 for a win."""
    key = position.row, position.stock
    if key not in seen:
        moves = position.legal_moves
        after = [position.apply(move) for move in moves]
        if position.stock and not (compulsory and moves):
            after.append(position.deal())
        ends = [fewest_left(p, compulsory=compulsory, seen=seen) for p in after]
        stays = -1 if position.is_won else len(position.row)
        seen[key] = min(ends, default=stays) if not position.is_won else -1
    return seen[key]


def make_position(ruleset: Ruleset, row: bytes, stock: bytes = b"") -> Position:
    """A position; its goal card, if the variant has one, is the third card."""
    goal = (row + stock)[2] if ruleset.names_goal else None
    return Position(ruleset, row, b"\x01" * len(row), stock, goal)


@st.composite
def rows(draw: st.DrawFn, ruleset: Ruleset, least: int = 3, most: int = 9) -> bytes:
    """Rows of a variant with many matches, its pinned cards at the ends."""
    pins = ruleset.pins or ()
    # With few ranks, matches and thus wins are frequent.
    cards = [card for card in range(52) if card % 13 in (0, 4, 5, 6, 9, 11)]
    size = draw(st.integers(least, most))
    free = [card for card in cards if card not in pins]
    row = draw(
        st.lists(st.sampled_from(free), min_size=size, max_size=size, unique=True)
    )
    if pins:
        row = [pins[0], *row[: max(size - 2, 0)], pins[1]]
    return bytes(row)
