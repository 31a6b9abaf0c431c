"""Variants in responses."""

from __future__ import annotations

from functools import cache
from typing import Annotated

import msgspec
from msgspec import Meta

from service.engine import scoring
from service.engine.cards import name_cards
from service.engine.play import Options as PlayOptions
from service.engine.ruleset import Effect
from service.engine.scoring import MAX_PILES, Rating
from service.engine.variants import VARIANTS
from service.http.schemas.games import Options, options_response
from service.http.schemas.response import Card, Count, Response, VariantKey
from service.solver import Grade, grades_of
from service.texts import option_texts, variant_texts
from service.texts.odds import ODDS


class VariantSetup(Response):
    """How the cards are laid out, in each layout."""

    open: Annotated[str, "In the open layout."]
    stock: Annotated[str, "In the stock layout."]


class GlossaryTerm(Response):
    """A term that the texts use."""

    term: Annotated[str, "The word."]
    meaning: Annotated[str, "What it means."]


class RatingText(Response):
    """A rating that a game can have at its end."""

    rating: Annotated[Rating, "Its code."]
    name: Annotated[str, "Its name."]
    remark: Annotated[str, "What to say to the player."]
    least_piles: Annotated[
        int | None, "The fewest piles left; null if piles do not count."
    ]
    most_piles: Annotated[
        int | None, "The most piles left; null if piles do not count."
    ]


class OptionChoice(Response):
    """A value that an option can have."""

    value: Annotated[bool | str, "The value."]
    name: Annotated[str, "Its name."]
    meaning: Annotated[str, "What it means."]


class OptionText(Response):
    """An option of a game."""

    option: Annotated[str, "The option, a member of `options`."]
    name: Annotated[str, "Its name."]
    choices: Annotated[list[OptionChoice], "The values it can have."]


class MeasuredOdds(Response):
    """How many deals can be won in the open layout, as measured with the solver."""

    deals: Annotated[Count, "The deals that were tried."]
    won: Annotated[Count, "Those for which a winning line was found."]
    unknown: Annotated[Count, "Those that were neither won nor proved to be lost."]
    share: Annotated[float, Meta(ge=0, le=1), "`won` / `deals`."]


class Minutes(Response):
    """How long a game usually takes."""

    least: Annotated[Count, "The least, in minutes."]
    most: Annotated[Count, "The most, in minutes."]


class Scoring(Response):
    """How points are counted."""

    per_card: Annotated[
        Count, "Points for each pile moved onto another, or card removed."
    ]
    win: Annotated[Count, "Points for a win."]
    time_bonus: Annotated[
        Count, "Further points for a win, minus 1 for each full second that it took."
    ]


_SCORING = Scoring(
    per_card=scoring.POINTS_PER_PILE,
    win=scoring.WIN_POINTS,
    time_bonus=scoring.MAX_TIME_BONUS,
)


class Variant(Response):
    """A variant, with its texts in the language of the response."""

    key: VariantKey
    aliases: Annotated[list[str], "Its other names."]
    name: Annotated[str, "Its name."]
    summary: Annotated[str, "What it is, in a sentence."]
    setup: VariantSetup
    move: Annotated[str, "What a legal move is."]
    not_allowed: Annotated[str, "What is not allowed."]
    win: Annotated[str, "When it is won."]
    tips: Annotated[list[str], "Advice for players."]
    example: Annotated[str, "A row, and lines of play that begin with it."]
    origin: Annotated[str, "Where the game comes from."]
    odds: Annotated[str, "How often it can be won and how long it takes."]
    glossary: Annotated[list[GlossaryTerm], "The terms used in the texts."]
    ratings: Annotated[
        list[RatingText], "The ratings of a game at its end, the best first."
    ]
    measured: MeasuredOdds
    minutes: Minutes
    scoring: Scoring
    effect: Annotated[Effect, "What a move does."]
    distances: Annotated[list[int], "The values of `from` - `to` that a move can have."]
    goal_length: Annotated[Count, "The piles or cards left when it is won."]
    deck_size: Annotated[Count, "The number of cards dealt in all."]
    pinned_cards: Annotated[
        list[Card] | None, "The cards dealt first and last, if any."
    ]
    names_goal_card: Annotated[bool, "Whether a goal card must end on top."]
    difficulties: Annotated[
        list[Grade],
        "The grades that can be requested for a deal; empty if deals of the "
        "variant have no grades.",
    ]
    options: Annotated[Options, "The options that a game has by default."]
    option_texts: Annotated[
        list[OptionText], "The names of the options and of their values."
    ]


class Variants(Response):
    """All variants."""

    variants: list[Variant]


@cache
def variant_response(key: str, language: str) -> Variant:
    """Make the response with a variant, in one of ``service.texts.LANGUAGES``."""
    ruleset, texts, odds = VARIANTS[key], variant_texts(key, language), ODDS[key]
    pins = ruleset.pins
    least, most = odds.minutes
    shown = {
        **texts,
        "key": key,
        "aliases": ruleset.aliases,
        "setup": VariantSetup(**texts["setup"]),
        "ratings": _ratings(texts["ratings"]),
        "measured": MeasuredOdds(odds.deals, odds.won, odds.unknown, odds.share),
        "minutes": Minutes(least, most),
        "scoring": _SCORING,
        "effect": ruleset.effect,
        "distances": ruleset.offsets,
        "goal_length": ruleset.goal_length,
        "deck_size": ruleset.deck_size,
        "pinned_cards": None if pins is None else name_cards(bytes(pins)),
        "names_goal_card": ruleset.names_goal,
        "difficulties": list(grades_of(ruleset)),
        "options": options_response(PlayOptions(ruleset.layout)),
        "option_texts": _option_texts(language),
    }
    return msgspec.convert(shown, Variant, from_attributes=True)


@cache
def variants_response(language: str) -> Variants:
    """Make the response with all variants, in one of ``service.texts.LANGUAGES``."""
    return Variants([variant_response(key, language) for key in VARIANTS])


def _ratings(texts: list[dict[str, str]]) -> list[RatingText]:
    """Make the ratings of a variant; they depend on piles if there are several."""
    counts_piles, least, shown = len(texts) > 1, 1, []
    for text in texts:
        most = MAX_PILES[Rating(text["rating"])]
        piles = (least, most) if counts_piles else (None, None)
        shown.append(
            RatingText(Rating(text["rating"]), text["name"], text["remark"], *piles)
        )
        least = most + 1
    return shown


@cache
def _option_texts(language: str) -> list[OptionText]:
    flags = {"true": True, "false": False}
    return [
        OptionText(
            option,
            texts["name"],
            [
                OptionChoice(flags.get(value, value), **about)
                for value, about in texts["choices"].items()
            ],
        )
        for option, texts in option_texts(language).items()
    ]
