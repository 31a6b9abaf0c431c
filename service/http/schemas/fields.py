"""The values that requests are made of: how each is read, and its JSON Schema.

They are strict in type (a whole number is neither ``3.0`` nor ``"3"`` nor ``true``)
and lenient in how a card is written. A reader raises marshmallow's
``ValidationError`` for what is not valid; its messages are values of ``Detail``.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeVar

from marshmallow import ValidationError

from service.engine.cards import NAMES, parse_card
from service.engine.deals import SOURCES
from service.engine.errors import CardError, UnknownVariantError
from service.engine.play import Draw, Status
from service.engine.position import Move
from service.engine.ruleset import Layout, UndoRule
from service.engine.variants import find_variant
from service.games.player_names import PlayerNameError, read_name
from service.games.records import FORMAT, LONGEST_SEED, MOST_ACTIONS
from service.games.records import SEED as SEED_PATTERN
from service.games.session import HintRule
from service.games.webhook_hosts import read_target
from service.games.webhooks import WebhookEvent
from service.http.errors.details import detail_of
from service.http.schemas.input import FieldType, invalid, read_each
from service.solver import Grade
from service.texts import LANGUAGES, Detail, UnknownLanguageError, card_text, negotiate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.engine.play import Step
    from service.engine.ruleset import Ruleset

E = TypeVar("E", bound="StrEnum")

ALL: Final = "all"
MOST_CARDS: Final = 52
MOST_STEPS: Final = 200
"""Steps in the longest batch."""
MOST_EXACT: Final = 2**53 - 1
"""The largest integer of JSON that JavaScript does not round."""
MOST_MILLISECONDS: Final = 2000
"""How long a search may take."""

_PLAYER_KEY: Final = re.compile(r"[!-~]{16,255}")
_REFERENCE: Final = re.compile(r"[!-~]{1,64}")
MOST_ATTEMPTS: Final = 1000
_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_LIMIT: Final = re.compile(r"[1-9][0-9]{0,2}")
MOST_ROWS: Final = 100
_AFTER: Final = re.compile(r"[0-9]{1,3}")
_SWITCH: Final = ("true", "false")
"""Entries of the largest page of a list."""
_EVENT: Final = re.compile(r"[0-9A-Za-z_-]{1,64}")
_COMMITMENT: Final = re.compile(r"[0-9a-f]{64}")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

_LONGEST_URL: Final = 2000
_URL: Final = re.compile(r"https?://[!-~]{1,1992}")


class RecordForm(StrEnum):
    """In which form a record is asked for."""

    JSON = "json"
    TEXT = "text"
    SVG = "svg"


class ActionType(StrEnum):
    """What an action of a hint or a solution is."""

    MOVE = "move"
    DEAL = "deal"


def read_day(value: object) -> date:
    """Read a day, written as ``YYYY-MM-DD``."""
    if isinstance(value, str) and _DAY.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise invalid("day")


def _read_seed(value: object) -> str:
    if type(value) is int:
        if abs(value) > MOST_EXACT:
            raise invalid("seed-too-large")
        return str(value)
    if isinstance(value, str) and SEED_PATTERN.fullmatch(value):
        return value
    raise invalid("seed", least=1, most=LONGEST_SEED)


def _read_player(value: object) -> str:
    if not isinstance(value, str):
        raise invalid("string")
    try:
        return read_name(value)
    except PlayerNameError as error:
        raise invalid(error.key, **error.data) from None


def _matching(pattern: re.Pattern[str], least: int, most: int) -> FieldType[str]:
    """Make the type of texts that match a pattern."""

    def read(value: object) -> str:
        if isinstance(value, str) and pattern.fullmatch(value):
            return value
        raise invalid("text", least=least, most=most)

    return FieldType(read, {"type": "string", "pattern": f"^{pattern.pattern}$"})


def _read_url(value: object) -> str:
    if not isinstance(value, str) or not _URL.fullmatch(value):
        raise invalid("url", most=_LONGEST_URL)
    try:
        read_target(value)
    except ValueError:
        raise invalid("url", most=_LONGEST_URL) from None
    return value


def _read_webhook_events(value: object) -> tuple[WebhookEvent, ...]:
    if not isinstance(value, list) or not value:
        raise invalid("webhook-events", choices=list(WebhookEvent))
    found = read_each(value, WEBHOOK_EVENT.read)
    if len(set(found)) < len(found):
        raise invalid("webhook-events", choices=list(WebhookEvent))
    return tuple(found)


def _read_flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise invalid("boolean")


def _read_whole(value: object) -> int:
    if type(value) is int:
        return value
    raise invalid("integer")


def _read_time(value: object) -> int:
    """Read a time as milliseconds since 1970."""
    if isinstance(value, str) and _TIME.fullmatch(value):
        try:
            return round(datetime.fromisoformat(value).timestamp() * 1000)
        except (ValueError, OverflowError):
            pass
    raise invalid("time")


def _read_attempts(value: object) -> int:
    if type(value) is int and 0 < value <= MOST_ATTEMPTS:
        return value
    raise invalid("integer-range", least=1, most=MOST_ATTEMPTS)


def read_month(value: object) -> date:
    """Read a month, written as ``YYYY-MM``, as its first day."""
    try:
        return read_day(f"{value}-01")
    except ValidationError:
        raise invalid("month") from None


def _read_limit(value: object) -> int:
    if isinstance(value, str) and _LIMIT.fullmatch(value) and int(value) <= MOST_ROWS:
        return int(value)
    raise invalid("integer-range", least=1, most=MOST_ROWS)


def _read_after(value: object) -> int:
    if (
        isinstance(value, str)
        and _AFTER.fullmatch(value)
        and int(value) <= MOST_ACTIONS
    ):
        return int(value)
    raise invalid("integer-range", least=0, most=MOST_ACTIONS)


def _read_switch(value: object) -> bool:
    if value in _SWITCH:
        return value == _SWITCH[0]
    raise invalid("boolean")


def _read_count(value: object) -> int | None:
    if value == ALL:
        return None
    if type(value) is int and value > 0:
        return value
    raise invalid("count")


def _read_budget(value: object) -> int:
    if type(value) is int and 0 < value <= MOST_MILLISECONDS:
        return value
    raise invalid("integer-range", least=1, most=MOST_MILLISECONDS)


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
    text = _read_text(value)
    try:
        return parse_card(text)
    except CardError as error:
        raise ValidationError([detail_of(error)]) from None


def _read_cards(value: object) -> bytes:
    if not isinstance(value, list) or not 0 < len(value) <= MOST_CARDS:
        raise invalid("cards", least=1, most=MOST_CARDS)
    cards = bytes(read_each(value, _read_card))
    twice = {
        place: [Detail("card-repeated", {"card": card_text(NAMES[card])})]
        for place, card in enumerate(cards)
        if card in cards[:place]
    }
    if twice:
        raise ValidationError(twice)
    return cards


def _read_daily(value: object) -> date | None:
    if value is True:
        return None
    if isinstance(value, str) and _DAY.fullmatch(value):
        return read_day(value)
    raise invalid("daily")


def _read_steps(value: object) -> tuple[Step, ...]:
    if not isinstance(value, list) or not 0 < len(value) <= MOST_STEPS:
        raise invalid("steps", least=1, most=MOST_STEPS)
    return tuple(read_each(value, _read_step))


def _read_step(value: object) -> Step:
    """Read a step of a batch; an action of a hint or a solution is one too."""
    try:
        match value:
            case {"from": origin, "to": target, **rest} if _has_type(rest, "move"):
                return Move(_read_whole(origin), _read_whole(target))
            case {"deal": count, **rest} if _has_type(rest, "deal"):
                return Draw(_read_count(count))
            case {"type": "deal", **rest} if not rest:
                return Draw()
    except ValidationError:
        pass
    raise invalid("step")


def _has_type(rest: dict[object, object], name: str) -> bool:
    return not rest or rest == {"type": name}


def _read_actions(value: object) -> list[str]:
    if not isinstance(value, list) or len(value) > MOST_ACTIONS:
        raise invalid("actions", most=MOST_ACTIONS)
    return read_each(value, _read_text)


def _read_text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise invalid("string")


def _read_form(value: object) -> str:
    if value == FORMAT:
        return FORMAT
    raise invalid("choice", choices=[FORMAT])


def _read_language(value: object) -> str:
    try:
        return negotiate(None, _read_text(value))
    except UnknownLanguageError:
        raise invalid("choice", choices=list(LANGUAGES)) from None


def _choice(choices: type[E]) -> FieldType[E]:
    """Make the type of values that are one of a few words."""
    words = {str(choice): choice for choice in choices}

    def read(value: object) -> E:
        if isinstance(value, str) and value in words:
            return words[value]
        raise invalid("choice", choices=list(words))

    return FieldType(read, _ref(choices.__name__))


def _ref(name: str) -> Mapping[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


_COUNT_SCHEMA: Final = _ref("CountOrAll")
_SEED_SCHEMA: Final = {"type": "string", "pattern": f"^{SEED_PATTERN.pattern}$"}
_DAY_SCHEMA: Final = {"type": "string", "format": "date"}
_CARD_SCHEMA: Final = _ref("CardInput")

FLAG: Final = FieldType(_read_flag, {"type": "boolean"})
WINNABLE: Final = FieldType(
    _read_flag, {"type": "boolean", "const": True}, absent=(None, False)
)
"""``false`` is as left out."""
DIFFICULTY: Final = _choice(Grade)
RECORD_FORM: Final = _choice(RecordForm)
AFTER: Final = FieldType(
    _read_after, {"type": "integer", "minimum": 0, "maximum": MOST_ACTIONS}
)
SWITCH: Final = FieldType(_read_switch, {"type": "boolean"})
"""A flag, where everything is text."""
WHOLE: Final = FieldType(_read_whole, {"type": "integer"})
COUNT: Final = FieldType(_read_count, _COUNT_SCHEMA)
"""A number from 1 up; ``all`` is read as None."""
LIMIT: Final = FieldType(
    _read_limit, {"type": "integer", "minimum": 1, "maximum": MOST_ROWS}
)
"""The size of a page, where everything is text."""
CURSOR: Final = FieldType(_read_text, {"type": "string"})
BUDGET: Final = FieldType(
    _read_budget, {"type": "integer", "minimum": 1, "maximum": MOST_MILLISECONDS}
)
SEED: Final = FieldType(
    _read_seed,
    {
        "anyOf": [
            _SEED_SCHEMA,
            {"type": "integer", "minimum": -MOST_EXACT, "maximum": MOST_EXACT},
        ]
    },
)
SEED_TEXT: Final = FieldType(_read_seed, _SEED_SCHEMA)
"""A seed where everything is text."""
PLAYER: Final = FieldType(_read_player, {"type": "string", "minLength": 1})
PLAYER_KEY: Final = _matching(_PLAYER_KEY, 16, 255)
TIME: Final = FieldType(_read_time, {"type": "string", "format": "date-time"})
ATTEMPTS: Final = FieldType(
    _read_attempts, {"type": "integer", "minimum": 1, "maximum": MOST_ATTEMPTS}
)
STATUS: Final = _choice(Status)
REFERENCE: Final = _matching(_REFERENCE, 1, 64)
EVENT: Final = _matching(_EVENT, 1, 64)
WEBHOOK_URL: Final = FieldType(
    _read_url, {"type": "string", "format": "uri", "maxLength": _LONGEST_URL}
)
WEBHOOK_EVENT: Final = _choice(WebhookEvent)
WEBHOOK_EVENTS: Final = FieldType(
    _read_webhook_events,
    {
        "type": "array",
        "items": WEBHOOK_EVENT.schema,
        "minItems": 1,
        "uniqueItems": True,
    },
)
ACTION_TYPE: Final = _choice(ActionType)
LAYOUT: Final = _choice(Layout)
UNDO: Final = _choice(UndoRule)
HINTS: Final = _choice(HintRule)
COMMITMENT: Final = _matching(_COMMITMENT, 64, 64)
SOURCE: Final = FieldType(_read_source, _ref("Source"))
VARIANT: Final = FieldType(_read_variant, _ref("VariantName"))
CARD: Final = FieldType(_read_card, _CARD_SCHEMA)
CARDS: Final = FieldType(
    _read_cards,
    {
        "type": "array",
        "items": _CARD_SCHEMA,
        "minItems": 1,
        "maxItems": MOST_CARDS,
        "uniqueItems": True,
    },
)
DAY: Final = FieldType(read_day, _DAY_SCHEMA)
DAILY: Final = FieldType(
    _read_daily,
    {"anyOf": [{"type": "boolean", "const": True}, _DAY_SCHEMA]},
    absent=(None, False),
)
"""A day; ``true``, for today, is read as None, and ``false`` is as left out."""
LANGUAGE: Final = FieldType(_read_language, _ref("Language"))
"""The tag of a language of the texts; a region after it is ignored."""
STEPS: Final = FieldType(
    _read_steps,
    {
        "type": "array",
        "items": {
            "oneOf": [_ref(n) for n in ("Move", "MoveAction", "DealAction", "DealStep")]
        },
        "minItems": 1,
        "maxItems": MOST_STEPS,
    },
)
FORM: Final = FieldType(_read_form, {"type": "string", "const": FORMAT})
ACTIONS: Final = FieldType(
    _read_actions,
    {
        "type": "array",
        "items": {"type": "string", "pattern": "^(deal|finish|[0-9]{1,2}-[0-9]{1,2})$"},
        "maxItems": MOST_ACTIONS,
    },
)
