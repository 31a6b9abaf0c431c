"""A portal that embeds the game, and whose server starts and checks games.

Run it with a service that allows it to frame the page:

    ACCORDION_FRAME_ANCESTORS=http://127.0.0.1:9000 accordion serve
    python docs/examples/portal.py http://127.0.0.1:8000 9000
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.request import Request, urlopen

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>A portal</title>
<link rel="icon" href="data:,">
<h1>Accordion on a portal</h1>
<iframe title="Accordion" src="{service}/?embed=1#game={game_id}"
        width="100%" height="640" allow="clipboard-write"></iframe>
<p id="result" aria-live="polite">Not over yet.</p>
<script src="portal.js"></script>
"""

SCRIPT = """
const frame = document.querySelector('iframe');
const service = new URL(frame.src).origin;
addEventListener('message', async ({ origin, source, data }) => {
  const ours = origin === service && source === frame.contentWindow;
  if (!ours || data.accordion !== 1 || data.event !== 'over') return;
  const body = JSON.stringify({ watch_id: data.watch_id });
  const answer = await fetch('finished', { method: 'POST', body });
  const { score } = await answer.json();
  const text = `The portal has checked it: ${score} points.`;
  document.querySelector('#result').textContent = text;
});
"""


class Portal(ThreadingHTTPServer):
    """The portal's server, with the ids of the games it has started, by watch id."""

    daemon_threads = True

    def __init__(self, service: str, port: int, **new_game: object) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.service = service
        self.new_game = new_game
        self.games: dict[str, str] = {}
        self.scores: dict[str, int] = {}

    def start_game(self) -> str:
        """Start a game and return its id, which gives access to it."""
        game = self._ask("/v1/games", self.new_game)
        self.games[game["watch_id"]] = game["id"]
        return str(game["id"])

    def finished(self, watch_id: str) -> int:
        """Check a game that is over with the service, and return its score.

        Raises:
            ValueError: The game is not over, or its record leads to another row.
        """
        game = self._ask(f"/v1/games/{self.games[watch_id]}")
        if game["status"] == "playing":
            raise ValueError("The game is not over.")
        record = self._ask(f"/v1/games/{game['id']}/record")
        replay = self._ask("/v1/replays", record)
        if not replay["valid"] or replay["row"] != game["row"]:
            raise ValueError("The record does not lead to this row.")
        self.scores[watch_id] = game["score"]
        return int(game["score"])

    def _ask(self, path: str, body: object = None) -> Any:  # noqa: ANN401
        data = None if body is None else json.dumps(body).encode()
        fields = {"Content-Type": "application/json"}
        # With API keys configured: fields["Authorization"] = "Bearer <key>"
        request = Request(self.service + path, data, fields)  # noqa: S310
        with urlopen(request) as answer:  # noqa: S310
            return json.load(answer)


class _Handler(BaseHTTPRequestHandler):
    server: Portal

    def do_GET(self) -> None:
        if self.path == "/portal.js":
            self._reply("text/javascript", SCRIPT)
        elif self.path == "/":
            service = self.server.service
            game_id = self.server.start_game()
            self._reply("text/html", PAGE.format(service=service, game_id=game_id))
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        watch_id = json.loads(self.rfile.read(length))["watch_id"]
        if watch_id not in self.server.games:
            self.send_error(404)
            return
        score = self.server.finished(watch_id)
        self._reply("application/json", json.dumps({"score": score}))

    def _reply(self, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_message: object) -> None:
        """Log nothing."""


if __name__ == "__main__":
    Portal(sys.argv[1].rstrip("/"), int(sys.argv[2])).serve_forever()
