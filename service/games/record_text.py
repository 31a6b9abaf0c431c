"""Records as one line of text.

::

    accordion 42: 4-3 3-0 finish
    royal-marriage undo=none "my own words": deal deal 2-0
    accordion deck=4S,7H,QC,4D,KD: 3-0

The parts are the variant; the options that differ from the variant's defaults, as
``name=value`` (``layout``, ``compulsory``, ``undo``, ``hints``, ``source``); the seed;
a colon; and the actions. A seed that contains white space, a colon, an equals sign or a
quotation mark, or that is a question mark, is written as a JSON string. A player's own
deck is written as ``deck=`` in place of the seed, followed by ``goal=`` if it has a
goal card. A question mark replaces a hidden seed or deck. In a text that is read,
``compulsory=true`` implies ``layout=stock``.
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
from service.games.records import (
    MAX_ACTIONS,
    MAX_SEED_LENGTH,
    SEED_PATTERN,
    ActionTextError,
    Record,
    read_actions,
)
from service.games.session import HintRule
from service.texts import Detail

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from service.engine.ruleset import Ruleset

_HIDDEN: Final = "?"
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
        column: The column of the error, in characters from 1.
        detail: The text that describes the error.
    """

    def __init__(self, column: int, reason: Detail, where: str = "") -> None:
        super().__init__(f"column {column}: {reason.key}")
        self.column = column
        self.detail = Detail("record", {"column": column}, reason, where)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word before the colon; ``name`` is empty if the word has no ``name=``."""

    column: int
    name: str
    value: str
    quoted: bool


def write_text(record: Record) -> str:
    """Return a record as one line of text, without a line break."""
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


def parse_record(text: str) -> Record:
    """Parse a record from one line of text.

    Raises:
        RecordTextError: The text is not a record.
    """
    words, end = _read_head(text)
    ruleset = _read_variant(words[0])
    named = {word.name: word for word in words if word.name}
    seeds = [word for word in words[1:] if not word.name]
    if len(seeds) > 1:
        raise RecordTextError(seeds[1].column, Detail("record-one-seed"))
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
        needs = Detail("needs", {"other": "deck"})
        raise RecordTextError(named["goal"].column, needs, "goal")
    if not seeds:
        raise RecordTextError(end, Detail("record-no-seed"))
    return replace(record, seed=_read_seed(seeds[0]))


def _read_head(text: str) -> tuple[list[_Word], int]:
    """Return the words before the colon, and the column of the colon, from 1."""
    words: list[_Word] = []
    place = _skip(text, 0)
    while text[place : place + 1] != ":":
        found = _WORD.match(text, place)
        if found is None:
            if place == len(text):
                raise RecordTextError(place + 1, Detail("record-no-colon"))
            unexpected = Detail("record-character", {"character": text[place]})
            raise RecordTextError(place + 1, unexpected)
        words.append(_word(found))
        place = _skip(text, found.end())
    if not words:
        raise RecordTextError(place + 1, Detail("record-variant"))
    _check_names(words)
    return words, place + 1


def _skip(text: str, place: int) -> int:
    """Return the index of the first non-space character from ``place`` on."""
    return next(
        (p for p in range(place, len(text)) if not text[p].isspace()), len(text)
    )


def _word(found: re.Match[str]) -> _Word:
    name, value = found[1] or "", found[2]
    column, quoted = found.start() + 1, value.startswith('"')
    if quoted:
        try:
            value = json.loads(value)
            value.encode()  # fails for half of a surrogate pair
        except ValueError as error:
            raise RecordTextError(column, Detail("record-string")) from error
    return _Word(column, name, value, quoted)


def _check_names(words: Iterable[_Word]) -> None:
    seen: set[str] = set()
    for word in words:
        if not word.name:
            continue
        if word.name not in _NAMES:
            raise RecordTextError(word.column, Detail("unknown"), word.name)
        if word.name in seen:
            raise RecordTextError(word.column, Detail("record-twice"), word.name)
        if word.value not in _VALUES.get(word.name, (word.value,)):
            choice = Detail("choice", {"choices": _VALUES[word.name]})
            raise RecordTextError(word.column, choice, word.name)
        seen.add(word.name)


def _read_variant(word: _Word) -> Ruleset:
    try:
        return find_variant("" if word.name else word.value)
    except UnknownVariantError:
        raise RecordTextError(word.column, Detail("record-variant")) from None


def _read_options(ruleset: Ruleset, named: Mapping[str, _Word]) -> Options:
    compulsory = "compulsory" in named and named["compulsory"].value == "true"
    layout = Layout.STOCK if compulsory else ruleset.layout
    if "layout" in named:
        layout = Layout(named["layout"].value)
    if compulsory and layout is Layout.OPEN:
        column, reason = named["compulsory"].column, Detail("compulsory-open")
        raise RecordTextError(column, reason, "compulsory")
    undo = UndoRule(named["undo"].value) if "undo" in named else UndoRule.UNLIMITED
    return Options(layout, compulsory=compulsory, undo=undo)


def _with_deck(
    record: Record, named: Mapping[str, _Word], seeds: Iterable[_Word]
) -> Record:
    for word in (*seeds, *filter(None, [named.get("source")])):
        conflict = Detail("conflict", {"other": "deck"})
        raise RecordTextError(word.column, conflict, word.name or "seed")
    goal = _read_goal(named["goal"]) if "goal" in named else None
    deck = named["deck"]
    cards = None if deck.value == _HIDDEN else _read_cards(deck)
    return replace(record, source=None, deck=cards, goal=goal)


def _read_cards(word: _Word) -> bytes:
    try:
        return parse_cards(word.value.split(","))
    except CardError as error:
        raise _no_card(word, error.text) from None


def _read_goal(word: _Word) -> int:
    cards = _read_cards(word)
    if len(cards) != 1:
        raise _no_card(word, word.value)
    return cards[0]


def _no_card(word: _Word, text: str) -> RecordTextError:
    return RecordTextError(word.column, Detail("card", {"value": text}), word.name)


def _read_seed(word: _Word) -> str | None:
    if word.value == _HIDDEN and not word.quoted:
        return None
    if not SEED_PATTERN.fullmatch(word.value):
        seed = Detail("seed", {"least": 1, "most": MAX_SEED_LENGTH})
        raise RecordTextError(word.column, seed, "seed")
    return word.value


def _read_line(text: str, end: int) -> tuple[bytes, bool]:
    """Parse the actions after the colon, which is in column ``end``."""
    found = list(re.finditer(r"\S+", text[end:]))
    if len(found) > MAX_ACTIONS:
        column = end + found[MAX_ACTIONS].start() + 1
        raise RecordTextError(
            column, Detail("actions", {"most": MAX_ACTIONS}), "actions"
        )
    try:
        return read_actions([action[0] for action in found])
    except ActionTextError as error:
        column = end + found[error.index].start() + 1
        where = f"/actions/{error.index}"
        raise RecordTextError(column, Detail(error.key), where) from error
