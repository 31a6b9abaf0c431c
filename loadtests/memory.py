"""Measure what a live game takes in the store, and what a worker takes in memory."""

from __future__ import annotations

import random
import tempfile
import time
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from redis import Redis

from loadtests.generator import send_all
from loadtests.servers import WORKERS, Server, serve
from loadtests.wire import request
from service.config import Settings
from service.engine.play import Options, Status
from service.engine.variants import VARIANTS
from service.games.create import NewGame
from service.games.use_cases import make_use_cases
from service.store.embedded import EmbeddedStore
from service.store.factory import open_store

if TYPE_CHECKING:
    from service.games.session import Session

_RULESET = VARIANTS["accordion"]
_MIB = 1024 * 1024


def walk(session: Session, moves: int) -> Session | None:
    """The session after random moves; None where it comes to an end before."""
    for _ in range(moves):
        legal = session.play.legal_moves
        if not legal:
            return None
        session = session.move(random.choice(legal), session.started_at)
    return session if session.play.status is Status.PLAYING else None


def fill(data_dir: Path, games: int, moves: int) -> int:
    """Play that many games that far; returns how many did.

    Every game is a deal of its own and is written to the store once at its start and
    once after the moves, as the API does it. A game that comes to an end before is
    dealt anew.
    """
    store = open_store(Settings(data_dir=data_dir))
    cases = make_use_cases(
        Settings(), store, store.runner, lambda: time.time_ns() // 1_000_000
    )
    made = cases.games
    wish = NewGame(_RULESET, Options(_RULESET.layout))
    for _ in range(games):
        while True:
            kept = made.create("", wish)
            played = walk(kept.session, moves)
            if played is not None and kept.game_id is not None:
                break
            made.delete("", kept.game_id or "")
        made.change("", kept.game_id, lambda _session, _now, played=played: played)
    return games


def bytes_per_game(games: int, moves: int) -> float:
    """What a live game takes in the store, by `INFO memory` before and after."""
    with tempfile.TemporaryDirectory() as folder:
        data_dir = Path(folder) / "data"
        with EmbeddedStore(data_dir) as store, Redis.from_url(store.url) as client:
            before = _used(client)
            share = games // WORKERS
            with get_context("spawn").Pool(WORKERS) as pool:
                made = sum(
                    pool.starmap(fill, repeat((data_dir, share, moves), WORKERS))
                )
            if client.dbsize() != made:
                raise RuntimeError(f"{client.dbsize()} keys for {made} games")
            return (_used(client) - before) / made


def show_processes(server: Server) -> None:
    """Print the memory of the server's processes after some work."""
    games = [
        answer.json()["id"]
        for answer in send_all(
            server.address, [request("POST", "/v1/games", {})] * 20 * WORKERS
        )
    ]
    send_all(
        server.address,
        [request("POST", f"/v1/games/{game}/hint", {}) for game in games],
    )
    click.echo("process     resident  its own  (MiB; the rest is shared)")
    for process in server.processes:
        memory: Any = process.memory_full_info()
        name = "parent" if process == server.process else f"pid {process.pid}"
        click.echo(f"{name:10} {memory.rss / _MIB:9.1f} {memory.uss / _MIB:8.1f}")


def _used(client: Redis) -> int:
    info: dict[str, int] = client.info("memory")
    return info["used_memory"]


@click.command()
@click.option("--games", default=100_000, show_default=True, type=click.IntRange(2))
@click.option("--moves", default=25, show_default=True, type=click.IntRange(0, 50))
def main(games: int, moves: int) -> None:
    """Measure memory: of games in the store, and of the worker processes."""
    figure = bytes_per_game(games, moves)
    click.echo(f"{figure:.0f} bytes per live game of 52 cards after {moves} moves")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with serve(home / "data", home / "log") as server:
            show_processes(server)


if __name__ == "__main__":
    main()
