"""Play open games of Accordion by hints over HTTP, from the deal to the end.

accordion serve &
python -m tools.follow_hints --url http://127.0.0.1:8000 --games 1000

Prints how many were won, and the time of a hint.
"""

from __future__ import annotations

import argparse
import json
import time
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

_CREATED = 201
_FINE = 200


class Client:
    """A connection that is opened again when the server closes it."""

    def __init__(self, url: str) -> None:
        """Remember where the service is."""
        self._link = HTTPConnection(urlsplit(url).netloc, timeout=10)

    def post(self, path: str, body: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
        """Send a request; returns the answer, or raises with its problem."""
        headers = {"Content-Type": "application/json"}
        self._link.request("POST", path, json.dumps(body), headers)
        answer = self._link.getresponse()
        text = answer.read()
        if answer.status not in {_FINE, _CREATED}:
            raise RuntimeError(text.decode())
        return json.loads(text)


def play(client: Client, seed: str) -> tuple[bool, list[float]]:
    """Play a deal; returns whether it was won, and the milliseconds of each hint."""
    game = client.post("/v1/games", {"variant": "accordion", "seed": seed})
    path, waits = f"/v1/games/{game['id']}", []
    while game["status"] == "playing":
        started = time.perf_counter()
        action = client.post(f"{path}/hint", {})["action"]
        waits.append(1000 * (time.perf_counter() - started))
        move = {"from": action["from"], "to": action["to"]}
        game = client.post(f"{path}/moves", move)
    return game["status"] == "won", waits


def main() -> None:
    """Play the games."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--from", dest="first", type=int, default=1)
    options = parser.parse_args()
    client = Client(options.url)
    won, first, later = 0, [], []
    for seed in range(options.first, options.first + options.games):
        is_won, waits = play(client, str(seed))
        won += is_won
        first.append(waits[0])
        later += waits[1:]
    for waits in (first, later):
        waits.sort()
    print(
        f"won {won} of {options.games}; a game's first hint: median"
        f" {first[len(first) // 2]:.1f} ms, worst {first[-1]:.1f} ms; its later"
        f" hints: median {later[len(later) // 2]:.1f} ms, worst {later[-1]:.1f} ms"
    )


if __name__ == "__main__":
    main()
