"""The JSON Schemas of responses, made from their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from service.engine.ruleset import IllegalMoveReason
from service.engine.variants import VARIANTS
from service.http.schemas import (
    advice,
    boards,
    deals,
    events,
    games,
    records,
    service,
    variants,
    webhooks,
)
from service.http.schemas.fields import ref
from service.solver import Grade
from service.texts import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Mapping


_RESPONSES: Final = (
    *(games.Game, games.WatchedGame, games.LegalMoves, games.RowMoves),
    *(
        records.SeedRecord,
        records.DeckRecord,
        records.ValidReplay,
        records.InvalidReplay,
    ),
    *(deals.Deal, deals.DailyDeal),
    *(boards.Board, boards.DailyStatistics, boards.Player, games.PlayerGames),
    *(events.Event, events.EventList),
    *(webhooks.Webhook, webhooks.NewWebhook, webhooks.WebhookList),
    *(webhooks.Delivery, webhooks.DeliveryList),
    *(webhooks.GameOverMessage, webhooks.EventClosedMessage),
    *(advice.Hint, advice.Solution, advice.Analysis, advice.Review),
    *(variants.Variants, service.ProblemExplanations, service.InvalidValue),
    *(service.Health, IllegalMoveReason, Grade, records.RecordForm),
)
_UNIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "Action": ("MoveAction", "DealAction"),
    "LastAction": (
        *("MoveAction", "LastDeal", "LastBatch", "LastUndo", "LastRedo", "LastFinish"),
    ),
    "Record": ("SeedRecord", "DeckRecord"),
    "Replay": ("ValidReplay", "InvalidReplay"),
}
"""Unions of schemas."""
_UNION_TEXTS: Final = {
    "Action": "A move, or a deal of one card.",
    "LastAction": "The latest change of play; `type` says which kind it is.",
    "Record": "A game that anybody can replay: from a seed, or from a deck.",
    "Replay": "The result of a replay; `valid` says which kind it is.",
}
_INPUTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "CardInput": {
        "type": "string",
        "description": "A card: its rank, then its suit; lower case, `10` for `T` and "
        "the symbols of the suits are accepted too.",
        "pattern": "^([A2-9TJQKatjqk]|10)[CDHScdhs♣♧♦♢♥♡♠♤][\ufe0e\ufe0f]?$",
        "examples": ["TD", "10d", "4♠"],
    },
    "VariantName": {
        "type": "string",
        "description": "A variant, by its key or an alias.",
        "enum": [n for rules in VARIANTS.values() for n in (rules.key, *rules.aliases)],
    },
    "CountOrAll": {
        "description": "How many, or `all`.",
        "oneOf": [
            {"type": "integer", "minimum": 1},
            {"type": "string", "const": "all"},
        ],
    },
    "DealStep": {
        "type": "object",
        "description": "A deal of some cards, as a step of a batch.",
        "properties": {
            "deal": {**ref("CountOrAll"), "description": "How many cards, or `all`."}
        },
        "required": ["deal"],
        "additionalProperties": False,
    },
    "Language": {
        "type": "string",
        "description": "A language of the texts.",
        "enum": list(LANGUAGES),
    },
}
"""Named schemas of values in requests."""


def component_schemas() -> Mapping[str, Mapping[str, Any]]:
    """Return the schemas of responses, their parts, and request values, by name."""
    _, components = msgspec.json.schema_components(
        _RESPONSES, ref_template="#/components/schemas/{name}"
    )
    named: dict[str, Any] = {}
    for name, schema in components.items():
        kept = {key: value for key, value in schema.items() if key != "title"}
        named[name] = _tidy(kept, named)
    named["HintCode"]["description"] = "Why an action is suggested."
    for name, parts in _UNIONS.items():
        named[name] = _union(name, parts)
    return {**named, **_INPUTS}


def _union(name: str, parts: tuple[str, ...]) -> Mapping[str, Any]:
    return {"description": _UNION_TEXTS[name], "oneOf": [ref(part) for part in parts]}


def _tidy(schema: Any, named: dict[str, Any]) -> Any:  # noqa: ANN401 - any JSON
    """Rewrite a schema so that client generators handle it best.

    Each part with a title is moved into ``named``, under the title, and replaced by a
    reference; each of ``_UNIONS`` is replaced too. An enum of one value becomes a
    constant, and every other enum of strings gets a type.
    """
    if isinstance(schema, list):
        return [_tidy(part, named) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = _tidy_object({key: _tidy(value, named) for key, value in schema.items()})
    title = parts.get("title")  # which may also be the name of a property
    if not isinstance(title, str):
        return parts
    named[title] = {key: value for key, value in parts.items() if key != "title"}
    return ref(title)


def _tidy_object(schema: dict[str, Any]) -> dict[str, Any]:
    match schema:
        case {"$ref": str(path)}:
            return schema | ref(path.rsplit("/", 1)[-1])
        case {"discriminator": {"mapping": dict(mapping)}}:
            return ref(_union_name(mapping))
        case {"enum": [str(only)]}:
            return {"type": "string", "const": only}
        case {"enum": list()}:
            return {"type": "string"} | schema
    return schema


def _union_name(mapping: Mapping[str, str]) -> str:
    parts = {path.rsplit("/", 1)[-1] for path in mapping.values()}
    return next(name for name, found in _UNIONS.items() if set(found) == parts)
