"""Measure the memory of a live game in the store, and of the service's processes."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click
from redis import Redis

from benchmarks.servers import WORKERS
from loadtests.http_client import Address, build_request, send_all
from loadtests.rules import play_at_random
from service.store.embedded import embedded_url
from tests.servers import Service

if TYPE_CHECKING:
    from collections.abc import Iterable

_MIB = 1024 * 1024
_GAMES_AT_ONCE = 1000
_HINTS = 40


def post(address: Address, items: Iterable[tuple[str, object]]) -> list[Any]:
    """Post a body to each path, and return the JSON of the responses."""
    requests = [build_request("POST", path, body) for path, body in items]
    return [response.json() for response in send_all(address, requests)]


def create_games(address: Address, count: int, moves: int) -> None:
    """Create games of different deals, and make some moves in each."""
    created = post(address, [("/v1/games", {})] * count)
    batches = []
    for game in created:
        actions, _ = play_at_random("accordion", game["row"])
        steps = [action.split("-") for action in actions[:moves]]
        body = {"moves": [{"from": int(a), "to": int(b)} for a, b in steps]}
        batches.append((f"/v1/games/{game['id']}/moves", body))
    played = post(address, batches if moves else [])
    if any(game["moves"] > moves for game in played):
        raise RuntimeError("a game has more moves than were made")


def bytes_per_game(service: Service, games: int, moves: int) -> float:
    """The memory of a live game, from `INFO memory` before and after."""
    address = Address(service.host, service.port)
    with Redis.from_url(embedded_url(service.data_dir)) as client:
        create_games(address, 1, moves)  # loads the scripts and opens connections
        keys, before = client.dbsize(), client.info("memory")["used_memory"]
        for done in range(0, games, _GAMES_AT_ONCE):
            create_games(address, min(_GAMES_AT_ONCE, games - done), moves)
        if client.dbsize() != keys + games:
            raise RuntimeError(f"{client.dbsize() - keys} new keys for {games} games")
        used: int = client.info("memory")["used_memory"] - before
        return used / games


def print_processes(service: Service) -> None:
    """Print the memory of the service's processes after some hints."""
    address = Address(service.host, service.port)
    created = post(address, [("/v1/games", {})] * _HINTS)
    post(address, [(f"/v1/games/{game['id']}/hint", {}) for game in created])
    click.echo("process      resident  not shared  (MiB)")
    for process in (service.parent, *service.workers):
        memory = process.memory_full_info()
        name = "parent" if process == service.parent else f"worker {process.pid}"
        click.echo(f"{name:12} {memory.rss / _MIB:8.1f} {memory.uss / _MIB:11.1f}")


@click.command()
@click.option("--games", default=100_000, show_default=True, type=click.IntRange(1))
@click.option("--moves", default=25, show_default=True, type=click.IntRange(0, 50))
def main(games: int, moves: int) -> None:
    """Measure the memory of games in the store, and of the service's processes."""
    with TemporaryDirectory(prefix="acc") as folder:
        settings = {"data_dir": Path(folder), "workers": WORKERS}
        with Service(settings) as service:
            figure = bytes_per_game(service, games, moves)
            click.echo(f"{figure:.0f} bytes per live game after {moves} moves")
            print_processes(service)


if __name__ == "__main__":
    main()
