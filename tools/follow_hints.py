"""Play whole games over HTTP by following hints, and count how they end.

Usage: python tools/follow_hints.py --games 1000 --url http://127.0.0.1:8000
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

_MOST_ACTIONS = 110


class Player:
    """Plays over HTTP.

    Args:
        url: Where the service listens.
    """

    def __init__(self, url: str) -> None:
        self._host = urlsplit(url).netloc

    def post(self, path: str, value: object) -> Any:  # noqa: ANN401 - any JSON
        """Post a value, and read what is answered."""
        connection = HTTPConnection(self._host, timeout=30)
        headers = {"Content-Type": "application/json"}
        try:
            connection.request("POST", path, json.dumps(value), headers)
            answer = connection.getresponse()
            told = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status >= 300:  # noqa: PLR2004 - what is no success
            raise RuntimeError(f"{path}: {told}")
        return told

    def follow(self, variant: str, seed: int) -> str:
        """Follow hints from the deal of a seed to the end; returns the status."""
        game = self.post("/v1/games", {"variant": variant, "seed": seed})
        path = f"/v1/games/{game['id']}"
        for _ in range(_MOST_ACTIONS):
            if game["status"] != "playing":
                break
            action = self.post(f"{path}/hint", {})["action"]
            if action.pop("type") == "deal":
                game = self.post(f"{path}/deal", {})
            else:
                game = self.post(f"{path}/moves", action)
        status: str = game["status"]
        return status


def main() -> None:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--variant", default="accordion")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--start", type=int, default=1, help="the first seed")
    parser.add_argument("--players", type=int, default=2, help="at the same time")
    args = parser.parse_args()
    player = Player(args.url)
    seeds = range(args.start, args.start + args.games)
    with ThreadPoolExecutor(args.players) as pool:
        ends = Counter(pool.map(lambda seed: player.follow(args.variant, seed), seeds))
    for status, games in ends.most_common():
        print(f"{status}: {games} of {args.games}")


if __name__ == "__main__":
    main()
