"""A record as one line of text, to be sent in a message.

::

    accordion 42: 4-3 3-0 finish
    royal-marriage undo=none "my own words": deal deal 2-0
    accordion deck=4S,7H,QC,4D,KD: 3-0

First the variant, then what differs from the variant's defaults, as
``name=value`` (``layout``, ``compulsory``, ``undo``, ``hints``, ``source``), then the
seed, a colon, and the actions. A seed with white space, a colon, an equals sign or a
quotation mark is written as a JSON string. In place of the seed stand
``deck=`` and, where the variant names one, ``goal=``; or a question mark
while the seed or the deck is hidden.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from service.engine.cards import NAMES, name_cards, parse_cards
from service.engine.deals import DEFAULT_SOURCE, SOURCES
from service.engine.errors import CardError, UnknownVariantError
from service.engine.play import Options
from service.engine.ruleset import Layout, UndoRule
from service.engine.variants import find_variant
from service.games.records import ActionTextError, Record, read_actions
from service.games.session import HintRule
from service.texts import DEFAULT_LANGUAGE, Detail

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from service.engine.ruleset import Ruleset

MOST_ACTIONS: Final = 200
_HIDDEN: Final = "?"
_SEED: Final = re.compile(r"[^\x00-\x1f\x7f-\x9f]{1,64}")
_BARE: Final = re.compile(r'[^\s":=]+')
_WORD: Final = re.compile(r'(?:([a-z]+)=)?("(?:[^"\\]|\\.)*"|[^\s":=]+)')
_VALUES: Final[Mapping[str, tuple[str, ...]]] = {
    "layout": tuple(Layout),
    "compulsory": ("true", "false"),
    "undo": tuple(UndoRule),
    "hints": tuple(HintRule),
    "source": tuple(SOURCES),
}
_NAMES: Final = (*_VALUES, "deck", "goal")


class RecordTextError(Exception):
    """A text that is not a record.

    Attributes:
        column: Where it goes wrong, in characters from 1.
        why: What is wrong, and what would be right, as a sentence.
    """

    def __init__(self, column: int, why: str) -> None:
        super().__init__(f"column {column}: {why}")
        self.column = column
        self.why = why


@dataclass(frozen=True, slots=True)
class _Word:
    """A word before the colon; ``name`` is empty where none is given."""

    column: int
    name: str
    value: str
    quoted: bool


def write_text(record: Record) -> str:
    """Write a record as one line, without a line break at its end."""
    head = [record.ruleset.key, *_write_options(record), *_write_deal(record)]
    return " ".join([" ".join(head) + ":", *record.actions])


def _write_options(record: Record) -> Iterable[str]:
    options = record.options
    if options.layout is not record.ruleset.layout:
        yield f"layout={options.layout}"
    if options.compulsory:
        yield "compulsory=true"
    if options.undo is not UndoRule.UNLIMITED:
        yield f"undo={options.undo}"
    if not record.allows_hints:
        yield f"hints={HintRule.NONE}"


def _write_deal(record: Record) -> Iterable[str]:
    if record.source is None:
        cards = None if record.deck is None else ",".join(name_cards(record.deck))
        yield f"deck={cards or _HIDDEN}"
        if record.goal is not None:
            yield f"goal={NAMES[record.goal]}"
        return
    if record.source != DEFAULT_SOURCE:
        yield f"source={record.source}"
    yield _HIDDEN if record.seed is None else _quote(record.seed)


def _quote(seed: str) -> str:
    if seed != _HIDDEN and _BARE.fullmatch(seed):
        return seed
    return json.dumps(seed, ensure_ascii=False)


def read_text(text: str) -> Record:
    """Read a record from one line of text.

    Raises:
        RecordTextError: The text is not a record.
    """
    words, end = _read_head(text)
    ruleset = _read_variant(words[0])
    named = {word.name: word for word in words if word.name}
    seeds = [word for word in words[1:] if not word.name]
    if len(seeds) > 1:
        raise RecordTextError(seeds[1].column, "A record has one seed; quote it.")
    line, finished = _read_line(text, end)
    record = Record(
        ruleset=ruleset,
        options=_read_options(ruleset, named),
        source=named["source"].value if "source" in named else DEFAULT_SOURCE,
        seed=None,
        deck=None,
        goal=None,
        line=line,
        finished=finished,
        allows_hints="hints" not in named or named["hints"].value == HintRule.ALLOWED,
    )
    if "deck" in named:
        return _with_deck(record, named, seeds)
    if "goal" in named:
        raise RecordTextError(named["goal"].column, '"goal" is given only with "deck".')
    if not seeds:
        raise RecordTextError(end, "The seed is missing before the colon.")
    return replace(record, seed=_read_seed(seeds[0]))


def _read_head(text: str) -> tuple[list[_Word], int]:
    """Read the words before the colon; returns them and the column of the colon."""
    words: list[_Word] = []
    place = _skip(text, 0)
    while text[place : place + 1] != ":":
        found = _WORD.match(text, place)
        if found is None:
            if place == len(text):
                why = "A colon is missing between the seed and the actions."
            else:
                why = f"{text[place]!r} is not expected here."
            raise RecordTextError(place + 1, why)
        words.append(_word(found))
        place = _skip(text, found.end())
    if not words:
        raise RecordTextError(place + 1, "The variant is missing before the colon.")
    _check_names(words)
    return words, place + 1


def _skip(text: str, place: int) -> int:
    """Return the first place from ``place`` on that is not white space."""
    return next(
        (p for p in range(place, len(text)) if not text[p].isspace()), len(text)
    )


def _word(found: re.Match[str]) -> _Word:
    name, value = found[1] or "", found[2]
    column, quoted = found.start() + 1, value.startswith('"')
    if quoted:
        try:
            value = json.loads(value)
        except ValueError as error:
            raise RecordTextError(column, "This is not a JSON string.") from error
    return _Word(column, name, value, quoted)


def _check_names(words: Iterable[_Word]) -> None:
    seen: set[str] = set()
    for word in words:
        if not word.name:
            continue
        if word.name not in _NAMES:
            why = f'"{word.name}" is not one of {", ".join(_NAMES)}.'
            raise RecordTextError(word.column, why)
        if word.name in seen:
            raise RecordTextError(word.column, f'"{word.name}" is given twice.')
        if word.value not in _VALUES.get(word.name, (word.value,)):
            choices = ", ".join(_VALUES[word.name])
            why = f'"{word.name}" is one of {choices}, not "{word.value}".'
            raise RecordTextError(word.column, why)
        seen.add(word.name)


def _read_variant(word: _Word) -> Ruleset:
    try:
        return find_variant("" if word.name else word.value)
    except UnknownVariantError:
        why = "A record starts with the key of a variant, such as accordion."
        raise RecordTextError(word.column, why) from None


def _read_options(ruleset: Ruleset, named: Mapping[str, _Word]) -> Options:
    compulsory = "compulsory" in named and named["compulsory"].value == "true"
    layout = Layout.STOCK if compulsory else ruleset.layout
    if "layout" in named:
        layout = Layout(named["layout"].value)
    if compulsory and layout is Layout.OPEN:
        why = 'Moves are compulsory only with "layout=stock".'
        raise RecordTextError(named["compulsory"].column, why)
    undo = UndoRule(named["undo"].value) if "undo" in named else UndoRule.UNLIMITED
    return Options(layout, compulsory=compulsory, undo=undo)


def _with_deck(
    record: Record, named: Mapping[str, _Word], seeds: Iterable[_Word]
) -> Record:
    for word in (*seeds, *filter(None, [named.get("source")])):
        raise RecordTextError(word.column, "A record has a seed or a deck, not both.")
    goal = _read_goal(named["goal"]) if "goal" in named else None
    deck = named["deck"]
    cards = None if deck.value == _HIDDEN else _read_cards(deck)
    return replace(record, source=None, deck=cards, goal=goal)


def _read_cards(word: _Word) -> bytes:
    try:
        return parse_cards(word.value.split(","))
    except CardError as error:
        why = f'"{error.text}" is not a card; cards are written as 4S,TD.'
        raise RecordTextError(word.column, why) from None


def _read_goal(word: _Word) -> int:
    cards = _read_cards(word)
    if len(cards) != 1:
        raise RecordTextError(word.column, '"goal" is one card.')
    return cards[0]


def _read_seed(word: _Word) -> str | None:
    if word.value == _HIDDEN and not word.quoted:
        return None
    if not _SEED.fullmatch(word.value):
        why = "A seed has 1 to 64 characters, none of them a control character."
        raise RecordTextError(word.column, why)
    return word.value


def _read_line(text: str, end: int) -> tuple[bytes, bool]:
    """Read the actions after the column ``end`` of the colon."""
    found = list(re.finditer(r"\S+", text[end:]))
    if len(found) > MOST_ACTIONS:
        column = end + found[MOST_ACTIONS].start() + 1
        raise RecordTextError(column, f"A record has {MOST_ACTIONS} actions at most.")
    try:
        return read_actions([action[0] for action in found])
    except ActionTextError as error:
        column = end + found[error.index].start() + 1
        why = Detail(error.key).text(DEFAULT_LANGUAGE, f"/actions/{error.index}")
        raise RecordTextError(column, why) from error
