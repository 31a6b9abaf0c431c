"""The texts of the variants, their ratings, and the options of a game."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from service.engine.ruleset import Effect, Layout, UndoRule
from service.engine.scoring import Rating
from service.engine.variants import VARIANTS
from service.texts.catalogue import english_texts, translate
from service.texts.examples import example_words
from service.texts.odds import odds_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from service.engine.ruleset import Ruleset

_STACKING_TIPS: Final = ("three-jumps", "sweepers", "look-again", "deal-on", "undo")
_REMOVAL_TIPS: Final = ("look-again", "deal-on", "undo")
_TIPS: Final[Mapping[str, tuple[str, ...]]] = {
    "accordion": _STACKING_TIPS,
    "accordion-bidirectional": ("direction", *_STACKING_TIPS),
    "accordions-revenge": ("goal-card", *_STACKING_TIPS),
    "23-skidoo": ("last-three", "sweepers", *_REMOVAL_TIPS),
    "late-binding": ("plan-all", *_STACKING_TIPS),
    "bayan": ("new-neighbours", "few-matches", *_REMOVAL_TIPS),
    "push-pin": ("fixed-ends", "one-or-two", *_REMOVAL_TIPS),
    "royal-marriage": ("hearts", "one-or-two", *_REMOVAL_TIPS),
    "nizhni-novgorod": ("aces", "new-neighbours", *_REMOVAL_TIPS),
    "decade": ("tens", "decade-sum", *_REMOVAL_TIPS),
    "seven-up": ("sevens-wait", "seven-sum", *_REMOVAL_TIPS),
}


_OPTIONS: Final[Mapping[str, Sequence[str]]] = {
    "layout": tuple(Layout),
    "compulsory": ("false", "true"),
    "undo": tuple(UndoRule),
    "hints": ("allowed", "none"),
}


@cache
def variant_texts(key: str, language: str) -> Mapping[str, Any]:
    """Return the texts of a variant.

    Args:
        key: The key of the variant.
        language: One of ``LANGUAGES``.

    Returns:
        The members of a variant in the API that are texts, by name. ``ratings`` are
        sorted from the best; ``rating`` is the code of each, and ``remark`` the text
        for a player who earned it.

    Raises:
        KeyError: There is no such variant or language.
    """
    ruleset = VARIANTS[key]
    words = {"cards": ruleset.deck_size, "rest": ruleset.deck_size - 1}

    def field(name: str) -> str:
        return translate(
            _key(ruleset, name), language, **words, **example_words(ruleset)
        )

    ratings = list(Rating) if _rates_piles(ruleset) else list(Rating)[:1]
    return {
        "name": field("name"),
        "summary": field("summary"),
        "setup": {layout: field(f"setup.{layout}") for layout in Layout},
        "move": field("move"),
        "not_allowed": field("not_allowed"),
        "win": field("win"),
        "tips": [translate(f"tip.{tip}", language) for tip in _TIPS[key]],
        "example": field("example"),
        "origin": field("origin"),
        "odds": odds_text(ruleset, language),
        "glossary": [
            _parts(f"glossary.{term}", ("term", "meaning"), language)
            for term in _terms(ruleset)
        ],
        "ratings": [
            {"rating": one} | _parts(f"rating.{one}", ("name", "remark"), language)
            for one in ratings
        ],
    }


@cache
def option_texts(language: str) -> Mapping[str, Any]:
    """Return the texts of all options and their choices.

    Returns:
        For each option, by its name in the API, its ``name`` and ``choices``. Choices
        are by their values (``true`` and ``false`` for a boolean), each with ``name``
        and ``meaning``.
    """
    return {
        option: {
            "name": translate(f"option.{option}.name", language),
            "choices": {
                choice: _parts(
                    f"option.{option}.{choice}", ("name", "meaning"), language
                )
                for choice in choices
            },
        }
        for option, choices in _OPTIONS.items()
    }


def _parts(key: str, parts: Iterable[str], language: str) -> dict[str, str]:
    """Return the texts whose keys are ``key`` and each of the parts, by part."""
    return {part: translate(f"{key}.{part}", language) for part in parts}


def _key(ruleset: Ruleset, field: str) -> str:
    """Return the key of a field's text: the variant's, or one that variants share."""
    owners = (f"variant.{ruleset.key}", str(ruleset.effect), "removal")
    keys = [f"{owner}.{field}" for owner in owners]
    return next((key for key in keys if key in english_texts()), keys[0])


def _rates_piles(ruleset: Ruleset) -> bool:
    """Return whether a game that is not won can have a rating."""
    return ruleset.is_stacking and ruleset.goal_length == 1


def _terms(ruleset: Ruleset) -> list[str]:
    terms = ["row", "gap", "run" if ruleset.effect is Effect.REMOVE_RUN else "match"]
    if ruleset.is_stacking:
        terms += ["pile", "sweepers"]
    if _rates_piles(ruleset):
        terms.append("moral-victory")
    if ruleset.names_goal:
        terms.append("goal-card")
    return [*terms, "stock"]
