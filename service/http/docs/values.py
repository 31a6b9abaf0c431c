"""The meanings of the values of choices, for the API description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from service.engine.variants import VARIANTS
from service.http.errors.problem_types import PROBLEM_TYPES
from service.texts import DEFAULT_LANGUAGE, problem_title, variant_texts

if TYPE_CHECKING:
    from collections.abc import Mapping

_VARIANT_NAMES: Final = {
    key: variant_texts(key, DEFAULT_LANGUAGE)["name"] for key in VARIANTS
}
_REASONS: Final = {
    "no-such-pile": "The row has no such position.",
    "distance": "The two piles are not as far apart as the variant requires.",
    "direction": "The variant does not move in this direction.",
    "no-match": "The cards do not match, or their sum is wrong.",
}

MEANINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "VariantKey": _VARIANT_NAMES,
    "VariantName": {
        name: _VARIANT_NAMES[key] if name == key else f"An alias of `{key}`."
        for key, ruleset in VARIANTS.items()
        for name in (key, *ruleset.aliases)
    },
    "Source": {
        "accordion/1": "The algorithm of this service; the seed is any text.",
        "pysol": "The deals of PySolFC, by their game numbers.",
        "solvitaire": "The deals of Solvitaire, by the numbers of its `--random`.",
    },
    "Layout": {
        "open": "All cards lie face up from the start.",
        "stock": "The row starts with one card, and each deal turns the next one.",
    },
    "UndoRule": {
        "unlimited": "Every action can be undone.",
        "none": "No action can be undone.",
    },
    "HintRule": {
        "allowed": "Hints and solutions are given.",
        "none": "No hint and no solution is given.",
    },
    "Status": {
        "playing": "The game is being played.",
        "won": "The game is won.",
        "lost": "No move is legal and no card is left to deal; it can be undone.",
        "ended": "The player has stopped.",
    },
    "Rating": {
        "full": "The game is won.",
        "strong": "Two or three piles are left, in a game that goes down to one.",
        "moral": "Four or five piles are left, in a game that goes down to one.",
    },
    "UnrankedReason": {
        "deal": "The game is neither of a deal of the day nor of an event.",
        "no-player": "The game has no player.",
        "player-key": "The player's name is bound to another `player_key`.",
        "past-day": "It was started after the UTC day of its deal.",
        "options": "It is not played with the options of the variant or the event.",
        "help": "The player had a hint, a solution or a review in a game of this deal.",
        "closed": "It was played after its deal had closed.",
    },
    "Grade": {
        "easy": "Simulated players do better than in most deals.",
        "medium": "They do about as well as in most deals.",
        "hard": "They do worse than in most deals.",
    },
    "RecordForm": {
        "json": "The record as JSON.",
        "text": "The record as one line of text.",
        "svg": "A picture of the row.",
    },
    "IllegalMoveReason": _REASONS,
    "ReplayReason": {
        **_REASONS,
        "stock-empty": "No card is left to deal.",
        "move-compulsory": "A move is legal, so no card can be dealt.",
        "game-over": "The game is over before this action.",
    },
    "Verdict": {
        "winnable": "A line that wins is known.",
        "unwinnable": "It is proved that no line wins.",
        "unknown": "The time ran out, or cards are hidden.",
    },
    "HintCode": {
        "nothing": "Nothing can be done.",
        "deal-first": "A deal makes no legal move illegal, so moves can wait.",
        "only-action": "It is the only legal action.",
        "finishes": "It wins the game.",
        "sweepers": "It keeps cards of one rank visible, to pick up the last piles.",
        "frees": "It makes more moves legal.",
        "covers": "It covers a card that few others match.",
        "clears": "It removes cards, on a line that wins.",
        "on-line": "It is on a line that wins.",
        "best-odds": "It won most often over sampled orders of the hidden cards.",
        "fewest-piles": "It left the fewest piles over sampled orders of the cards.",
        "no-win": "It is proved that no line wins; it keeps the most moves open.",
        "best-guess": "No line was found in the time; it keeps the most moves open.",
    },
    "WebhookEvent": {
        "game.over": "A game is won, lost or stopped.",
        "event.closed": "An event has closed.",
    },
    "Effect": {
        "stack": "A whole pile moves onto another.",
        "remove-between": "The cards between a matching pair leave.",
        "remove-pair": "Both cards of a matching pair leave.",
        "remove-run": "Neighbours with the right sum leave.",
    },
    "Language": {
        "en": "English",
        "ar": "Arabic",
        "de": "German",
        "fr": "French",
        "nl": "Dutch",
    },
    "ProblemType": {
        problem.uri: f"{problem_title(slug, DEFAULT_LANGUAGE)} ({problem.status})."
        for slug, problem in PROBLEM_TYPES.items()
    },
}
"""The meanings of the values of each named choice, in the order of the description."""


def add_meanings(schemas: dict[str, Any]) -> None:
    """Add the meanings to the schemas of choices, in place."""
    for name, meanings in MEANINGS.items():
        schema = schemas[name]
        values = sorted(schema["enum"], key=list(meanings).index)
        items = "\n".join(f"* `{value}`: {meanings[value]}" for value in values)
        schema |= {"enum": values, "description": f"{schema['description']}\n\n{items}"}
