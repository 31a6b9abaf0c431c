"""The types of the values in requests: how each is read, and its JSON Schema.

They are strict about types (``3.0``, ``"3"`` and ``true`` are not integers) and lenient
about how a card is written. A reader raises marshmallow's ``ValidationError`` for an
invalid value; its messages are values of ``Detail``.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from marshmallow import ValidationError

from service.engine.cards import NAMES, parse_card
from service.engine.deals import SOURCES
from service.engine.errors import CardError, UnknownVariantError
from service.engine.variants import find_variant
from service.games.player_names import PlayerNameError, read_name
from service.games.records import MAX_SEED_LENGTH, SEED_PATTERN
from service.http.errors.details import detail_of
from service.solver import Grade
from service.texts import LANGUAGES, Detail, UnknownLanguageError, card_text, negotiate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from enum import StrEnum

    from service.engine.ruleset import Ruleset

E = TypeVar("E", bound="StrEnum")
T = TypeVar("T")

MAX_CARDS: Final = 52
MAX_EXACT: Final = 2**53 - 1
"""The largest integer in JSON that JavaScript does not round."""

_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class FieldType(NamedTuple, Generic[T]):
    """How values of a type are read, and how JSON Schema describes them.

    Attributes:
        read: Reads a value.
        schema: The JSON Schema of the values.
        absent: The values of an optional member that count as leaving it out.
        is_nullable: Whether null is a valid value, if it does not count as left out.
    """

    read: Callable[[object], T]
    schema: Mapping[str, Any]
    absent: tuple[object, ...] = (None,)
    is_nullable: bool = False


def ref(name: str) -> dict[str, str]:
    """Make a reference to a named schema of the description."""
    return {"$ref": f"#/components/schemas/{name}"}


def invalid(key: str, **data: object) -> ValidationError:
    """Make the error for an invalid value, from the key and the values of its text."""
    return ValidationError([Detail(key, data)])


def read_each(values: list[Any], read: Callable[[object], T]) -> list[T]:
    """Read every value of a list.

    Raises:
        ValidationError: At least one is not valid; the messages are by index.
    """
    found: list[T] = []
    faults: dict[int, Any] = {}
    for place, value in enumerate(values):
        try:
            found.append(read(value))
        except ValidationError as error:
            faults[place] = error.messages
    if faults:
        raise ValidationError(faults)
    return found


# --- types with parameters


def integer(least: int, most: int) -> FieldType[int]:
    """Make the type of the integers from ``least`` to ``most``."""

    def read(value: object) -> int:
        if type(value) is int and least <= value <= most:
            return value
        raise invalid("integer-range", least=least, most=most)

    return FieldType(read, {"type": "integer", "minimum": least, "maximum": most})


def integer_text(least: int, most: int) -> FieldType[int]:
    """Make the type of such integers in a query, where all values are strings."""
    numbers = integer(least, most)

    def read(value: object) -> int:
        if isinstance(value, str) and re.fullmatch("[0-9]{1,4}", value):
            value = int(value)
        return numbers.read(value)

    return numbers._replace(read=read)


def text(pattern: str, least: int, most: int) -> FieldType[str]:
    """Make the type of strings that match a pattern; the error names the lengths."""

    def read(value: object) -> str:
        if isinstance(value, str) and re.fullmatch(pattern, value):
            return value
        raise invalid("text", least=least, most=most)

    return FieldType(read, {"type": "string", "pattern": f"^{pattern}$"})


def choice(choices: type[E]) -> FieldType[E]:
    """Make the type of the values of an enumeration."""
    words = {str(word): word for word in choices}

    def read(value: object) -> E:
        if isinstance(value, str) and value in words:
            return words[value]
        raise invalid("choice", choices=list(words))

    return FieldType(read, ref(choices.__name__))


def array(item: FieldType[T], key: str, least: int, most: int) -> FieldType[list[T]]:
    """Make the type of arrays of ``least`` to ``most`` items.

    Args:
        item: The type of the items.
        key: The key of the text about any other value.
        least: The minimum number of items.
        most: The maximum number of items.
    """

    def read(value: object) -> list[T]:
        if isinstance(value, list) and least <= len(value) <= most:
            return read_each(value, item.read)
        raise invalid(key, least=least, most=most)

    bounds = {"minItems": least} if least else {}
    return FieldType(
        read, {"type": "array", "items": item.schema, **bounds, "maxItems": most}
    )


# --- readers


def read_day(value: object) -> date:
    """Read a day, written as ``YYYY-MM-DD``."""
    if isinstance(value, str) and _DAY.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise invalid("day")


def read_month(value: object) -> date:
    """Read a month, written as ``YYYY-MM``, as its first day."""
    try:
        return read_day(f"{value}-01")
    except ValidationError:
        raise invalid("month") from None


def read_integer(value: object) -> int:
    """Read an integer."""
    if type(value) is int:
        return value
    raise invalid("integer")


def read_text(value: object) -> str:
    """Read a string."""
    if isinstance(value, str):
        return value
    raise invalid("string")


def _read_flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise invalid("boolean")


def _read_seed(value: object) -> str:
    if type(value) is int:
        if abs(value) > MAX_EXACT:
            raise invalid("seed-too-large")
        return str(value)
    if isinstance(value, str) and SEED_PATTERN.fullmatch(value):
        return value
    raise invalid("seed", least=1, most=MAX_SEED_LENGTH)


def _read_source(value: object) -> str:
    if isinstance(value, str) and value in SOURCES:
        return value
    if isinstance(value, str):
        raise invalid("source", choices=list(SOURCES), name=value)
    raise invalid("choice", choices=list(SOURCES))


def _read_variant(value: object) -> Ruleset:
    if isinstance(value, str):
        try:
            return find_variant(value)
        except UnknownVariantError:
            pass
    raise invalid("variant")


def _read_card(value: object) -> int:
    try:
        return parse_card(read_text(value))
    except CardError as error:
        raise ValidationError([detail_of(error)]) from None


def _read_cards(value: object) -> bytes:
    cards = bytes(_CARD_LIST.read(value))
    twice = {
        place: [Detail("card-repeated", {"card": card_text(NAMES[card])})]
        for place, card in enumerate(cards)
        if card in cards[:place]
    }
    if twice:
        raise ValidationError(twice)
    return cards


def _read_player(value: object) -> str:
    try:
        return read_name(read_text(value))
    except PlayerNameError as error:
        raise invalid(error.key, **error.data) from None


def _read_language(value: object) -> str:
    try:
        return negotiate(None, read_text(value))
    except UnknownLanguageError:
        raise invalid("choice", choices=list(LANGUAGES)) from None


# --- types

FLAG: Final = FieldType(_read_flag, {"type": "boolean"})
INTEGER: Final = FieldType(read_integer, {"type": "integer"})
DAY: Final = FieldType(read_day, {"type": "string", "format": "date"})
SEED_TEXT: Final = FieldType(
    _read_seed, {"type": "string", "pattern": f"^{SEED_PATTERN.pattern}$"}
)
"""A seed in a query, where all values are strings."""
SEED: Final = FieldType(
    _read_seed,
    {
        "anyOf": [
            SEED_TEXT.schema,
            {"type": "integer", "minimum": -MAX_EXACT, "maximum": MAX_EXACT},
        ]
    },
)
SOURCE: Final = FieldType(_read_source, ref("Source"))
VARIANT: Final = FieldType(_read_variant, ref("VariantName"))
CARD: Final = FieldType(_read_card, ref("CardInput"))
_CARD_LIST: Final = array(CARD, "cards", 1, MAX_CARDS)
CARDS: Final = FieldType(_read_cards, {**_CARD_LIST.schema, "uniqueItems": True})
DIFFICULTY: Final = choice(Grade)
PLAYER: Final = FieldType(_read_player, {"type": "string", "minLength": 1})
REFERENCE: Final = text("[!-~]{1,64}", 1, 64)
LANGUAGE: Final = FieldType(_read_language, ref("Language"))
"""The tag of one of the languages of the texts; a region after it is ignored."""
