"""All routes of an application, and valid requests for them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.routing import Rule
    from werkzeug.test import TestResponse

DECK = ["4S", "7H", "QC", "4D", "KD"]
BODIES: dict[str, Any] = {
    "/v1/games/<game_id>/moves": {"from": 3, "to": 0},
    "/v1/replays": {
        "format": "accordion-record/1",
        "variant": "accordion",
        "deck": DECK,
        "actions": [],
    },
    "/v1/legal-moves": {"row": DECK},
    "/v1/analysis": {"row": DECK},
}
QUERIES = {"/v1/deals": "?seed=1"}
VALUES = {
    "variant": "accordion",
    "date": "2026-01-31",
    "slug": "game-over",
    "filename": "none",
    "game_id": "none",
    "watch_id": "none",
    "event": "none",
    "month": "2026-01",
    "player": "Ada",
    "webhook": "none",
    "delivery": "none",
}


def routes_of(app: Flask) -> Iterator[tuple[str, Rule]]:
    """Every rule with each of its methods except OPTIONS."""
    for rule in app.url_map.iter_rules():
        for method in sorted((rule.methods or set()) - {"OPTIONS"}):
            yield method, rule


def ask(
    client: FlaskClient,
    method: str,
    rule: Rule,
    headers: dict[str, str],
    **values: str,
) -> TestResponse:
    """Send a valid request to a route."""
    known = VALUES | values
    path = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: known[found[1]], rule.rule)
    return client.open(
        path + QUERIES.get(rule.rule, ""),
        method=method,
        json=BODIES.get(rule.rule, {}) if method == "POST" else None,
        headers=headers,
    )
