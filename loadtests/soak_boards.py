"""A player of a soak test who ends games of the day, and a check of their boards."""

from __future__ import annotations

import time
from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from loadtests.http_client import build_request
from loadtests.soak_client import CREATED, OK

if TYPE_CHECKING:
    import threading
    from collections.abc import Mapping
    from random import Random

    from loadtests.soak_client import RetryingClient

Game = dict[str, Any]
Board = defaultdict[str, list[Game]]
"""The entries of a board, by player."""

_VARIANTS = ("late-binding", "accordion", "push-pin")
_END_EARLY_SHARE = 0.5
_UNDO_SHARE = 0.4
_WAIT_SECONDS = 60.0
"""The longest time after a crash until an ended game is on its boards."""
_POLL_SECONDS = 0.5


class BoardPlayer:
    """Plays games of the day to their end, each under a new name.

    Attributes:
        ended: The games, as in the response that acknowledged their last end.
    """

    def __init__(self, client: RetryingClient, random: Random, name: str) -> None:
        self._client = client
        self._random = random
        self._name = name
        self.ended: list[Game] = []

    def play(self, stop: threading.Event) -> None:
        """Play until `stop` is set, and end the last game early."""
        for number in count():
            game = self._create(number)
            while not stop.is_set() and game["status"] == "playing":
                game = self._act(game)
            if game["status"] == "playing":
                game = self._write(game, "finish", {})
            if game["status"] == "lost" and self._chance(_UNDO_SHARE):
                game = self._end_again(game)
            self.ended.append(game)
            if stop.is_set():
                return

    def _create(self, number: int) -> Game:
        body = {
            "variant": self._random.choice(_VARIANTS),
            "daily": True,
            "player": f"{self._name} {number}",
        }
        return self._post("/v1/games", body, CREATED)

    def _act(self, game: Game) -> Game:
        """Make a move; once half of the piles are left, perhaps finish."""
        half = len(game["row"]) < game["moves"]
        if half and self._chance(_END_EARLY_SHARE / len(game["row"])):
            return self._write(game, "finish", {})
        return self._write(game, "moves", self._random.choice(game["legal_moves"]))

    def _end_again(self, game: Game) -> Game:
        """Undo the last move of a lost game, and stop there."""
        return self._write(self._write(game, "undo", {}), "finish", {})

    def _write(self, game: Game, name: str, body: object) -> Game:
        return self._post(f"/v1/games/{game['id']}/{name}", body, OK)

    def _post(self, path: str, body: object, status: int) -> Game:
        key = {"Idempotency-Key": f"{self._random.getrandbits(128):032x}"}
        response = self._client.send(build_request("POST", path, body, key))
        if response.status != status:
            raise AssertionError(response)
        game: Game = response.json()
        return game

    def _chance(self, share: float) -> bool:
        return self._random.random() < share


def audit_boards(client: RetryingClient, ended: list[Game]) -> list[str]:
    """List what is wrong with the boards of games that have ended.

    Waits for missing entries.
    """
    until = time.monotonic() + _WAIT_SECONDS
    while (losses := _losses(client, ended)) and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)
    return losses


def _losses(client: RetryingClient, ended: list[Game]) -> list[str]:
    paths = {_board_path(game) for game in ended}
    boards = {path: _entries(client, path) for path in paths}
    return [loss for game in ended for loss in _losses_of(client, boards, game)]


def _losses_of(
    client: RetryingClient, boards: Mapping[str, Board], game: Game
) -> list[str]:
    player = game["player"]
    found = [_points(entry, game) for entry in boards[_board_path(game)][player]]
    losses = []
    if found != [_points(game, game)]:
        losses.append(f"{player} has {found} on the board, acknowledged {game}")
    path = f"/v1/players/{quote(player)}"
    response = client.send(build_request("GET", path))
    games = response.json()["games"] if response.status == OK else 0
    if games != 1:
        losses.append(f"{player} has ended {games} games, acknowledged 1")
    return losses


def _points(scored: Game, game: Game) -> int:
    """The points without the effect of time: its clock may run from an earlier try."""
    points: int = scored["score"]
    seconds: int = scored["elapsed_seconds"]
    return points + seconds if game["status"] == "won" else points


def _board_path(game: Game) -> str:
    day, variant = game["daily"], game["variant"]
    return f"/v1/leaderboards/daily/{day}?variant={variant}&limit=100"


def _entries(client: RetryingClient, path: str) -> Board:
    """All entries of a board, page after page."""
    entries: Board = defaultdict(list)
    while path:
        response = client.send(build_request("GET", path))
        if response.status != OK:
            raise AssertionError(response)
        for entry in response.json()["entries"]:
            entries[entry["player"]].append(entry)
        path = response.headers.get("link", "").partition(">")[0].removeprefix("<")
    return entries
