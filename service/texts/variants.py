"""The texts of the variants, the options of a game and the ratings of its end."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypedDict

from service.engine.ruleset import Effect, Layout, UndoRule
from service.engine.scoring import Rating
from service.engine.variants import VARIANTS
from service.texts.catalogue import english_texts, say
from service.texts.examples import example_words
from service.texts.odds import odds_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


class Setup(TypedDict):
    """How the cards are laid out, in each layout."""

    open: str
    stock: str


class Term(TypedDict):
    """A word that the texts use, and what it means."""

    term: str
    meaning: str


class RatingTexts(TypedDict):
    """A rating: its code, its name, and what is said to the player."""

    rating: str
    name: str
    remark: str


class VariantTexts(TypedDict):
    """All texts of a variant in one language."""

    name: str
    summary: str
    setup: Setup
    move: str
    not_allowed: str
    win: str
    tips: list[str]
    example: str
    origin: str
    odds: str
    glossary: list[Term]
    ratings: list[RatingTexts]


@cache
def variant_texts(key: str, language: str) -> VariantTexts:
    """Write the texts of a variant.

    Args:
        key: The key of the variant.
        language: One of ``LANGUAGES``.

    Raises:
        KeyError: There is no such variant or language.
    """
    ruleset = VARIANTS[key]
    words = {"cards": ruleset.deck_size, "rest": ruleset.deck_size - 1}

    def field(name: str) -> str:
        return say(_key(ruleset, name), language, **words, **example_words(ruleset))

    return VariantTexts(
        name=field("name"),
        summary=field("summary"),
        setup=Setup(open=field("setup.open"), stock=field("setup.stock")),
        move=field("move"),
        not_allowed=field("not_allowed"),
        win=field("win"),
        tips=[say(f"tip.{tip}", language) for tip in _TIPS[key]],
        example=field("example"),
        origin=field("origin"),
        odds=odds_text(ruleset, language),
        glossary=[_term(term, language) for term in _terms(ruleset)],
        ratings=_ratings(language)[: None if _rates_piles(ruleset) else 1],
    )


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


def _key(ruleset: Ruleset, field: str) -> str:
    """Find the text of a field: the variant's own, or one that several share."""
    owners = (f"variant.{ruleset.key}", str(ruleset.effect), "removal")
    keys = [f"{owner}.{field}" for owner in owners]
    return next((key for key in keys if key in english_texts()), keys[0])


def _rates_piles(ruleset: Ruleset) -> bool:
    """Say whether a game that is not won can have a rating."""
    return ruleset.stacks and ruleset.goal_length == 1


def _terms(ruleset: Ruleset) -> list[str]:
    terms = ["row", "gap", "run" if ruleset.effect is Effect.REMOVE_RUN else "match"]
    if ruleset.stacks:
        terms += ["pile", "sweepers"]
    if _rates_piles(ruleset):
        terms.append("moral-victory")
    if ruleset.names_goal:
        terms.append("goal-card")
    return [*terms, "stock"]


def _term(term: str, language: str) -> Term:
    return Term(
        term=say(f"glossary.{term}.term", language),
        meaning=say(f"glossary.{term}.meaning", language),
    )


def _ratings(language: str) -> list[RatingTexts]:
    """Name the ratings, the best first."""
    return [
        RatingTexts(
            rating=rating,
            name=say(f"rating.{rating}.name", language),
            remark=say(f"rating.{rating}.remark", language),
        )
        for rating in Rating
    ]
