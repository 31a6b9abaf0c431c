"""Games played over HTTP, with what the service acknowledged of each."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.servers import Answer, Service

Game = dict[str, Any]


def post(service: Service, path: str, body: object, timeout: float = 10) -> Answer:
    headers = {"Content-Type": "application/json"}
    return service.request("POST", path, json.dumps(body).encode(), headers, timeout)


def new_game(service: Service) -> Game:
    answer = post(service, "/v1/games", {})
    assert answer.status == 201, answer
    game: Game = json.loads(answer.body)
    return game


def look(service: Service, game_id: str) -> Game:
    answer = service.request("GET", f"/v1/games/{game_id}")
    assert answer.status == 200, answer
    game: Game = json.loads(answer.body)
    return game


def move(service: Service, game: Game) -> Answer:
    """Play the first legal move."""
    return post(service, f"/v1/games/{game['id']}/moves", game["legal_moves"][0])


def play(service: Service) -> Iterator[Game]:
    """Play one game after another; each acknowledged state of each."""
    while True:
        game = new_game(service)
        yield game
        while game["legal_moves"]:
            answer = move(service, game)
            assert answer.status == 200, answer
            game = json.loads(answer.body)
            yield game


@dataclass
class Witness:
    """What was acknowledged of each game last."""

    games: dict[str, Game]

    def note(self, game: Game) -> None:
        self.games[game["id"]] = game

    def missing(self, service: Service) -> list[Game]:
        """The games that are not as they were acknowledged."""
        return [
            game
            for game in self.games.values()
            if look(service, game["id"]) | {"elapsed_seconds": None}
            != game | {"elapsed_seconds": None}
        ]
