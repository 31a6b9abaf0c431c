"""The service as a load test sees it: games made ready through its own API."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from loadtests.generator import send_all
from loadtests.wire import Address, Answer, request

if TYPE_CHECKING:
    from collections.abc import Sequence

Step = dict[str, int]
"""A move as the API takes it: `from` and `to`."""

FULL_LINE = 51
"""Moves from 52 piles to one."""

_LINES = 24
_MIDWAY_GAMES = 102
_FIRST_ERROR = 400


class UnexpectedAnswerError(Exception):
    """The service answered otherwise than the contract says."""


class Line(NamedTuple):
    """A deal and moves that win it.

    Attributes:
        seed: the seed of the deal.
        steps: its 51 moves.
    """

    seed: str
    steps: Sequence[Step]


class Site:
    """Prepares games on a running service.

    Args:
        address: where the service listens.
        enough: how many requests one measurement surely does not exceed.

    Attributes:
        followed: games whose players follow hints, once there are any.
    """

    def __init__(self, address: Address, enough: int) -> None:
        self.address = address
        self.enough = enough
        self.followed: Sequence[str] = ()

    @cached_property
    def lines(self) -> list[Line]:
        """Won lines, as the service's own solver finds them."""
        seeds = [f"bench-{i}" for i in range(_LINES)]
        ids = self.create([{"seed": seed} for seed in seeds])
        answers = self.advise(ids, "solution")
        found = [
            Line(seed, [{"from": a["from"], "to": a["to"]} for a in answer["actions"]])
            for seed, answer in zip(seeds, answers, strict=True)
            if answer["verdict"] == "winnable"
        ]
        if not found or any(len(line.steps) != FULL_LINE for line in found):
            raise UnexpectedAnswerError("a solution does not have 51 moves")
        return found

    @cached_property
    def midway(self) -> list[dict[str, Any]]:
        """Games at every stage, as the service shows them."""
        lines = self.lines_for(_MIDWAY_GAMES)
        ids = self.create([{"seed": line.seed} for line in lines])
        self.advance(ids, [line.steps[: i % FULL_LINE] for i, line in enumerate(lines)])
        answers = self.send([request("GET", f"/v1/games/{game}") for game in ids])
        return [answer.json() for answer in answers]

    def lines_for(self, count: int) -> list[Line]:
        """As many lines as asked for; those there are, over and over."""
        return [self.lines[i % len(self.lines)] for i in range(count)]

    def create(self, bodies: Sequence[dict[str, object]]) -> list[str]:
        """Create games, and return their ids."""
        return [game["id"] for game in self.post(["/v1/games"] * len(bodies), bodies)]

    def advance(self, games: Sequence[str], steps: Sequence[Sequence[Step]]) -> None:
        """Play some moves in each of the games; none where there are none."""
        wanted = [(game, line) for game, line in zip(games, steps, strict=True) if line]
        self.post(
            [f"/v1/games/{game}/moves" for game, _ in wanted],
            [{"moves": list(line)} for _, line in wanted],
        )

    def advise(self, games: Sequence[str], what: str) -> list[Any]:
        """Ask for a `hint` or a `solution` of each game, one after the other.

        A service with many threads a process refuses to search in all of them.
        """
        paths = [f"/v1/games/{game}/{what}" for game in games]
        requests = [request("POST", path, {}) for path in paths]
        return [answer.json() for answer in self.send(requests, connections=1)]

    def post(self, paths: Sequence[str], bodies: Sequence[dict[str, Any]]) -> list[Any]:
        """Post a body to each path, or the one body to all; return what is answered."""
        each = bodies if len(bodies) == len(paths) else list(bodies) * len(paths)
        pairs = zip(paths, each, strict=True)
        answers = self.send([request("POST", path, body) for path, body in pairs])
        return [answer.json() for answer in answers]

    def send(self, requests: Sequence[bytes], connections: int = 4) -> list[Answer]:
        """Send requests that must succeed.

        Raises:
            UnexpectedAnswerError: One of them did not.
        """
        answers = send_all(self.address, requests, connections)
        for text, answer in zip(requests, answers, strict=True):
            if answer.status >= _FIRST_ERROR:
                raise UnexpectedAnswerError(
                    f"{text.decode()!r} was answered {answer.status}: "
                    f"{answer.body.decode(errors='replace')}"
                )
        return answers
