"""The variants; docs/rules.md has their rules in full."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from service.engine.cards import parse_card
from service.engine.errors import UnknownVariantError
from service.engine.ruleset import Effect, Layout, Ruleset, Runs

if TYPE_CHECKING:
    from collections.abc import Mapping

_ALL: Final = (
    Ruleset(
        key="accordion",
        code=0,
        aliases=("idle-year", "methuselah", "tower-of-babel"),
        effect=Effect.STACK,
        offsets=(1, 3),
        goal_length=1,
    ),
    Ruleset(
        key="accordion-bidirectional",
        code=1,
        aliases=("relaxed-accordion",),
        effect=Effect.STACK,
        offsets=(-3, -1, 1, 3),
        goal_length=1,
    ),
    Ruleset(
        key="accordions-revenge",
        code=2,
        effect=Effect.STACK,
        offsets=(1, 3),
        goal_length=1,
        names_goal=True,
    ),
    Ruleset(
        key="23-skidoo",
        code=3,
        effect=Effect.STACK,
        offsets=(2, 3),
        goal_length=2,
    ),
    Ruleset(
        key="late-binding",
        code=4,
        effect=Effect.STACK,
        offsets=(1, 3),
        goal_length=1,
        deck_size=18,
    ),
    Ruleset(
        key="bayan",
        code=5,
        effect=Effect.REMOVE_PAIR,
        offsets=(1, 3),
        goal_length=0,
    ),
    Ruleset(
        key="push-pin",
        code=6,
        aliases=("queens",),
        effect=Effect.REMOVE_BETWEEN,
        offsets=(2, 3),
        goal_length=2,
    ),
    Ruleset(
        key="royal-marriage",
        code=7,
        aliases=("betrothal", "coquette", "matrimony"),
        effect=Effect.REMOVE_BETWEEN,
        offsets=(2, 3),
        goal_length=2,
        pins=(parse_card("QH"), parse_card("KH")),
        layout=Layout.STOCK,
    ),
    Ruleset(
        key="nizhni-novgorod",
        code=8,
        aliases=("nidgi-novgorod", "russian-solitaire"),
        effect=Effect.REMOVE_BETWEEN,
        offsets=(3,),
        goal_length=2,
        pins=(parse_card("AS"), parse_card("AC")),
        layout=Layout.STOCK,
    ),
    Ruleset(
        key="decade",
        code=9,
        aliases=("ten-twenty-thirty",),
        effect=Effect.REMOVE_RUN,
        offsets=tuple(range(1, 13)),
        goal_length=0,
        runs=Runs(
            values=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10),
            totals=frozenset({10, 20, 30}),
        ),
    ),
    Ruleset(
        key="seven-up",
        code=10,
        aliases=("seventh-wonder",),
        effect=Effect.REMOVE_RUN,
        offsets=(0, 1, 2, 3),
        goal_length=0,
        runs=Runs(
            values=tuple(range(1, 14)),
            totals=frozenset(range(7, 53, 7)),
        ),
    ),
)

VARIANTS: Final[Mapping[str, Ruleset]] = MappingProxyType(
    {ruleset.key: ruleset for ruleset in _ALL}
)
"""All variants by key."""

_BY_NAME: Final = dict(VARIANTS) | {
    alias: ruleset for ruleset in _ALL for alias in ruleset.aliases
}


def find_variant(name: str) -> Ruleset:
    """Find a variant by its key or by an alias.

    Raises:
        UnknownVariantError: No variant has that name.
    """
    try:
        return _BY_NAME[name]
    except KeyError:
        raise UnknownVariantError(name) from None
