"""The options of a game, their choices and the ratings of its end, by name."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypedDict

from service.engine.ruleset import Layout, UndoRule
from service.engine.scoring import Rating
from service.texts.catalogue import say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_OPTIONS: Final[Mapping[str, Sequence[str]]] = {
    "layout": tuple(Layout),
    "compulsory": ("false", "true"),
    "undo": tuple(UndoRule),
    "hints": ("allowed", "none"),
}


class RatingTexts(TypedDict):
    """A rating: its code, its name, and what is said to the player."""

    rating: str
    name: str
    remark: str


@cache
def option_texts(language: str) -> Mapping[str, Any]:
    """Name all options and their choices.

    Returns:
        By the option's name in the API, ``name`` and ``choices``; these by value (true
        and false for a boolean), with ``name`` and ``meaning``.
    """

    def about(choice: str) -> dict[str, str]:
        key = f"option.{choice}"
        return {part: say(f"{key}.{part}", language) for part in ("name", "meaning")}

    return {
        option: {
            "name": say(f"option.{option}.name", language),
            "choices": {choice: about(f"{option}.{choice}") for choice in choices},
        }
        for option, choices in _OPTIONS.items()
    }


def rating_texts(language: str) -> list[RatingTexts]:
    """Name the ratings, the best first."""
    return [
        RatingTexts(
            rating=rating,
            name=say(f"rating.{rating}.name", language),
            remark=say(f"rating.{rating}.remark", language),
        )
        for rating in Rating
    ]
