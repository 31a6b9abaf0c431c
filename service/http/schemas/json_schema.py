"""The JSON Schemas of responses, made from their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from service.engine.ruleset import Reason
from service.http.schemas.responses import (
    advice,
    boards,
    deals,
    events,
    games,
    records,
    reviews,
    service,
    variants,
    webhooks,
)

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
    *(advice.Hint, advice.Solution, advice.Analysis, reviews.Review),
    *(variants.Variants, service.ProblemExplanations, service.InvalidValue),
    *(service.Health, Reason),
)
_UNIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "Record": ("SeedRecord", "DeckRecord"),
    "Replay": ("ValidReplay", "InvalidReplay"),
}
"""Responses that have one of several forms."""
_CARD_INPUT: Final = {
    "type": "string",
    "description": "A card: its rank, then its suit; lower case, `10` for `T` and the "
    "symbols of the suits are accepted too.",
    "pattern": "^([A2-9TJQKatjqk]|10)[CDHScdhs♣♧♦♢♥♡♠♤][\ufe0e\ufe0f]?$",
    "examples": ["TD", "10d", "4♠"],
}


def ref(name: str) -> Mapping[str, str]:
    """Refer to a schema by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def component_schemas() -> Mapping[str, Mapping[str, Any]]:
    """Make every schema of a response, or of a part of one, by its name."""
    _, components = msgspec.json.schema_components(
        _RESPONSES, ref_template="#/components/schemas/{name}"
    )
    named: dict[str, Any] = {}
    for name, schema in components.items():
        named[name] = {
            key: _name(schema[key], named) for key in schema if key != "title"
        }
    for name, parts in _UNIONS.items():
        named[name] = {"oneOf": [ref(part) for part in parts]}
    named["CardInput"] = _CARD_INPUT
    return named


def _name(schema: Any, named: dict[str, Any]) -> Any:  # noqa: ANN401 - any JSON
    """Refer to each part of a schema that has a title, and collect it by that name."""
    if isinstance(schema, list):
        return [_name(part, named) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: _name(value, named) for key, value in schema.items()}
    title = parts.get("title")  # which may also be the name of a property
    if not isinstance(title, str):
        return parts
    named[title] = {key: value for key, value in parts.items() if key != "title"}
    return dict(ref(title))
