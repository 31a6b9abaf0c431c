"""Games played over HTTP, and the state of each that the service acknowledged."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.servers import Response, Service

Game = dict[str, Any]


def post(service: Service, path: str, body: object, timeout: float = 10) -> Response:
    headers = {"Content-Type": "application/json"}
    return service.request("POST", path, json.dumps(body).encode(), headers, timeout)


def new_game(service: Service) -> Game:
    response = post(service, "/v1/games", {})
    assert response.status == 201, response
    game: Game = json.loads(response.body)
    return game


def get_game(service: Service, game_id: str) -> Game:
    response = service.request("GET", f"/v1/games/{game_id}")
    assert response.status == 200, response
    game: Game = json.loads(response.body)
    return game


def move(service: Service, game: Game) -> Response:
    """Play the first legal move."""
    return post(service, f"/v1/games/{game['id']}/moves", game["legal_moves"][0])


def play(service: Service) -> Iterator[Game]:
    """Play one game after another; yield every acknowledged state."""
    while True:
        game = new_game(service)
        yield game
        while game["legal_moves"]:
            response = move(service, game)
            assert response.status == 200, response
            game = json.loads(response.body)
            yield game


@dataclass
class AcknowledgedGames:
    """The last acknowledged state of each game, by id."""

    games: dict[str, Game]

    def add(self, game: Game) -> None:
        self.games[game["id"]] = game

    def differing(self, service: Service) -> list[Game]:
        """List the games whose stored state differs from the acknowledged one."""
        return [
            game
            for game in self.games.values()
            if get_game(service, game["id"]) | {"elapsed_seconds": None}
            != game | {"elapsed_seconds": None}
        ]
