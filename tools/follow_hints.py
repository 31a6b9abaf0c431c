"""Play open games of Accordion by the hints of a running service.

    accordion serve &
    python -m tools.follow_hints --games 1000

Prints how many games were won, and how long a hint took.
"""

from __future__ import annotations

import time
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import click

from loadtests.http_client import Address, Connection, build_request


def post(connection: Connection, path: str, body: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON of any shape
    """Post a body, and return the JSON of the response."""
    response = connection.send(build_request("POST", path, body))
    if response.status not in {200, 201}:
        raise click.ClickException(f"{path} is answered {response}")
    return response.json()


def play(connection: Connection, seed: str) -> tuple[bool, list[float]]:
    """Play a deal; return whether it was won, and the milliseconds of each hint."""
    game = post(connection, "/v1/games", {"variant": "accordion", "seed": seed})
    path, times = f"/v1/games/{game['id']}", []
    while game["status"] == "playing":
        started = time.perf_counter()
        action = post(connection, f"{path}/hint", {})["action"]
        times.append(1000 * (time.perf_counter() - started))
        move = {"from": action["from"], "to": action["to"]}
        game = post(connection, f"{path}/moves", move)
    return game["status"] == "won", times


@click.command()
@click.option("--url", default="http://127.0.0.1:8000", show_default=True)
@click.option("--games", default=1000, show_default=True, type=click.IntRange(1))
@click.option("--from", "first", default=1, show_default=True, help="The first seed.")
def main(url: str, games: int, first: int) -> None:
    """Play games by hints, and print how many were won and how long a hint took."""
    parts = urlsplit(url)
    won, first_hints, later_hints = 0, [], []
    with Connection(Address(parts.hostname or "", parts.port or 80)) as connection:
        for seed in range(first, first + games):
            is_won, times = play(connection, str(seed))
            won += is_won
            first_hints += times[:1]
            later_hints += times[1:]
    click.echo(f"won {won} of {games}")
    for name, times in (("first", first_hints), ("later", later_hints)):
        click.echo(f"{name} hints: median {median(times):.1f}, max {max(times):.1f} ms")


if __name__ == "__main__":
    main()
