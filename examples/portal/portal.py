"""A portal whose members play the deal of the day, and which keeps its own board.

docs/portals.md explains it. Run it with a service that is configured for it:

    export ACCORDION_API_KEYS_FILE=keys.json
    accordion keys new portal
    ACCORDION_WEBHOOKS=private:localhost \
        ACCORDION_FRAME_ANCESTORS=http://localhost:9000 accordion serve
    python examples/portal/portal.py http://127.0.0.1:8000 KEY http://localhost:9000
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import sys
from contextlib import closing
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from flask import Flask, abort, render_template_string, request
from standardwebhooks import Webhook, WebhookVerificationError

TABLES = (
    "CREATE TABLE IF NOT EXISTS webhook (secret TEXT NOT NULL)",
    """CREATE TABLE IF NOT EXISTS games (
        reference TEXT PRIMARY KEY, id TEXT, member TEXT, day TEXT,
        end INTEGER DEFAULT 0, ranked INTEGER, score INTEGER, finished_at TEXT
    )""",
)
NEW_GAME = "INSERT INTO games (reference, id, member, day) VALUES (?, ?, ?, ?)"
GAME_OVER = """UPDATE games SET end = ?, ranked = ?, score = ?, finished_at = ?
    WHERE reference = ? AND end < ?"""
BOARD = """SELECT member, MAX(score) FROM games WHERE day = ? AND ranked
    GROUP BY member ORDER BY MAX(score) DESC, MIN(finished_at)"""
START = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>A portal</title>
<link rel="icon" href="data:,">
<h1>Today's deal</h1>
<form method="post" action="/games">
<label>Your name <input name="member" required maxlength="32"></label>
<button>Play</button></form>
<h2>Board</h2>
<ol>{% for member, score in board %}<li>{{ member }}: {{ score }}</li>{% endfor %}</ol>
</html>
"""
GAME = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>A portal</title>
<link rel="icon" href="data:,">
<h1>{{ member }} plays</h1>
<p><a href="/">Board</a></p>
<iframe title="Accordion" src="{{ service }}/?embed=1#game={{ game_id }}"
        width="100%" height="640" allow="clipboard-write"></iframe></html>
"""


class Portal:
    """The portal's database, and its requests to the service.

    The API key stays here; no browser gets it.
    """

    def __init__(self, service: str, key: str, address: str, file: str) -> None:
        self.service, self._key, self._file = service, key, file
        for table in TABLES:
            self.query(table)
        if not self.query("SELECT secret FROM webhook"):
            wish = {"url": f"{address}/hook", "events": ["game.over"]}
            secret = self._post("/v1/webhooks", wish, secrets.token_urlsafe())["secret"]
            self.query("INSERT INTO webhook VALUES (?)", secret)

    def query(self, sql: str, *values: object) -> list[Any]:
        """Execute an SQL statement and return its rows."""
        with closing(sqlite3.connect(self._file)) as database, database:
            return database.execute(sql, values).fetchall()

    def start(self, member: str, variant: str | None) -> str:
        """Start a game with today's deal and return the portal's own id for it."""
        reference = secrets.token_urlsafe()
        wish = {"daily": True, "player": member, "reference": reference}
        game = self._post("/v1/games", wish | {"variant": variant}, reference)
        self.query(NEW_GAME, reference, game["id"], member, game["daily"])
        return reference

    def read_message(self, body: bytes, fields: dict[str, str]) -> Any:  # noqa: ANN401
        """Parse a message; raise an error unless the service has signed it."""
        ((secret,),) = self.query("SELECT secret FROM webhook")
        return Webhook(secret).verify(body, fields)

    def note_end(self, game: dict[str, Any]) -> None:
        """Store the result of a game; a later end replaces an earlier one."""
        result = game["ranked"], game["score"], game["ended_at"]
        self.query(GAME_OVER, game["end"], *result, game["reference"], game["end"])

    def _post(self, path: str, body: object, key: str) -> Any:  # noqa: ANN401
        fields = {
            "Authorization": f"Bearer {self._key}",
            "Content-Type": "application/json",
            "Idempotency-Key": key,
        }
        data = json.dumps(body).encode()
        with urlopen(Request(self.service + path, data, fields)) as answer:  # noqa: S310
            return json.load(answer)


def create_app(portal: Portal, variant: str | None = None) -> Flask:
    """Make the application with the portal's pages."""
    app = Flask(__name__)

    @app.get("/")
    def start() -> str:
        board = portal.query(BOARD, datetime.now(UTC).date().isoformat())
        return render_template_string(START, board=board)

    @app.post("/games")
    def play() -> tuple[str, int, dict[str, str]]:
        reference = portal.start(request.form["member"], variant)
        return "", 303, {"Location": f"/games/{reference}"}

    @app.get("/games/<reference>")
    def show(reference: str) -> str:
        query = "SELECT member, id FROM games WHERE reference = ?"
        ((member, game_id),) = portal.query(query, reference) or abort(404)
        return render_template_string(
            GAME, service=portal.service, member=member, game_id=game_id
        )

    @app.post("/hook")
    def hook() -> tuple[str, int]:
        try:
            message = portal.read_message(request.data, dict(request.headers))
        except WebhookVerificationError:
            abort(400)
        portal.note_end(message["data"])
        return "", 204

    return app


if __name__ == "__main__":
    service, key, address = sys.argv[1:]
    app = create_app(Portal(service, key, address, "portal.sqlite3"))
    app.run(port=urlsplit(address).port)
