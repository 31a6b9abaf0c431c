"""What is measured: for each endpoint, the requests that exercise it.

Every request is one that a player could make at that moment, and that succeeds: moves
are those of won games, each game's in their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from loadtests.generator import Load
from loadtests.site import FULL_LINE, Site, UnexpectedAnswerError
from loadtests.wire import request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from loadtests.site import Step

SEATS = 512
"""Games that take turns: so many that no two moves of one are ever under way together,
and that the moves of any moment are of all stages."""

_DEALS = 2000
_REHEARSED = 16
_FOLLOWED_AT_MOST = 30
_MINIMAL = {"Prefer": "return=minimal"}
BY_FLASK = {"Content-Encoding": "identity"}
"""Asks for nothing more, and yet for something that the lane leaves to Flask."""


class Endpoint(NamedTuple):
    """Something to measure.

    Attributes:
        key: its name on the command line and in reports.
        title: its name for people.
        status: the status of every answer.
        prepare: makes the requests of one measurement; whatever must be in the store
            for them is put there through the API.
        goal: the share of the floor's requests a second to be reached, or None.
    """

    key: str
    title: str
    status: int
    prepare: Callable[[Site], Load]
    goal: float | None = None


def rehearse(endpoint: Endpoint, site: Site) -> None:
    """Send a few of an endpoint's requests.

    Raises:
        UnexpectedAnswerError: An answer has another status than it should.
    """
    small = Site(site.address, _REHEARSED)
    small.lines = site.lines
    requests = endpoint.prepare(small).requests[:_REHEARSED]
    for answer in site.send(requests):
        if answer.status != endpoint.status:
            raise UnexpectedAnswerError(f"{endpoint.key}: status {answer.status}")


def _create(_: Site) -> Load:
    bodies = [{"seed": f"create-{i}"} for i in range(_DEALS)]
    return Load([request("POST", "/v1/games", body) for body in bodies], cycle=True)


def _get(site: Site) -> Load:
    paths = [f"/v1/games/{game['id']}" for game in site.midway]
    return Load([request("GET", path) for path in paths], cycle=True)


def _get_unchanged(site: Site) -> Load:
    requests = [
        request(
            "GET",
            f"/v1/games/{game['id']}",
            fields={"If-None-Match": f'"{game["version"]}"'},
        )
        for game in site.midway
    ]
    return Load(requests, cycle=True)


def _legal_moves(site: Site) -> Load:
    paths = [f"/v1/games/{game['id']}/legal-moves" for game in site.midway]
    return Load([request("GET", path) for path in paths], cycle=True)


def _moves(site: Site, fields: Callable[[int, int], dict[str, str]]) -> Load:
    """Won games, move by move.

    A fixed number of them take turns, at every stage at any time; a game that is won
    makes room for a new one.

    Args:
        site: the service.
        fields: gives what a move carries, of the game's version and the move's number.
    """
    lines = site.lines_for(SEATS + -(-site.enough // FULL_LINE))
    games = site.create([{"seed": line.seed} for line in lines])
    stages = [seat * FULL_LINE // SEATS for seat in range(SEATS)]
    begun = [line.steps[:made] for line, made in zip(lines, stages, strict=False)]
    site.advance(games[:SEATS], begun)
    seats = [
        # What was played beforehand was one write.
        _moves_of(game, line.steps, made, 2 if made else 1, fields)
        for game, line, made in zip(games, lines, stages, strict=False)
    ]
    waiting = iter(
        _moves_of(game, line.steps, 0, 1, fields)
        for game, line in zip(games[SEATS:], lines[SEATS:], strict=True)
    )
    requests: list[bytes] = []
    while len(requests) < site.enough:
        for seat, moves in enumerate(seats):
            move = next(moves, None)
            if move is None:
                seats[seat] = next(waiting)
                move = next(seats[seat])
            requests.append(move)
    return Load(requests, cycle=False)


def _moves_of(
    game: str,
    steps: Sequence[Step],
    made: int,
    version: int,
    fields: Callable[[int, int], dict[str, str]],
) -> Iterator[bytes]:
    path = f"/v1/games/{game}/moves"
    for number in range(made, len(steps)):
        headers = fields(version + number - made, number)
        yield request("POST", path, steps[number], headers)


def _move(site: Site) -> Load:
    return _moves(site, lambda _version, _number: {})


def _move_minimal(site: Site) -> Load:
    return _moves(site, lambda _version, _number: _MINIMAL)


def _move_by_flask(site: Site) -> Load:
    return _moves(site, lambda _version, _number: BY_FLASK)


def _move_if_match(site: Site) -> Load:
    return _moves(site, lambda version, _: {"If-Match": f'"{version}"'})


def _move_once(site: Site) -> Load:
    # Each game has idempotency keys of its own, so a move's number is key enough.
    return _moves(site, lambda _, number: {"Idempotency-Key": f"move-{number}"})


def _batch(site: Site) -> Load:
    lines = site.lines_for(site.enough)
    games = site.create([{"seed": line.seed} for line in lines])
    requests = [
        request("POST", f"/v1/games/{game}/moves", {"moves": line.steps})
        for game, line in zip(games, lines, strict=True)
    ]
    return Load(requests, cycle=False)


def _hints(games: Sequence[str], *, cycle: bool) -> Load:
    requests = [request("POST", f"/v1/games/{game}/hint", {}) for game in games]
    return Load(requests, cycle=cycle)


def _first_hint(site: Site) -> Load:
    return _hints(site.create([{}] * site.enough), cycle=False)


def _next_hint(site: Site) -> Load:
    """Each player has done what the last hint said, and asks for the next one."""
    if not site.followed:
        site.followed = _begin_to_follow(site)
    games = site.followed
    hints = site.advise(games, "hint")
    site.post(
        [f"/v1/games/{game}/moves" for game in games],
        [{name: hint["action"][name] for name in ("from", "to")} for hint in hints],
    )
    return _hints(games, cycle=True)


def _begin_to_follow(site: Site) -> list[str]:
    lines = site.lines_for(max(_REHEARSED, site.enough // 4))
    games = site.create([{"seed": line.seed} for line in lines])
    depths = [i % _FOLLOWED_AT_MOST for i in range(len(games))]
    pairs = zip(lines, depths, strict=True)
    site.advance(games, [line.steps[:depth] for line, depth in pairs])
    return games


def _analysis(site: Site) -> Load:
    rows = [game["row"] for game in site.midway if game["status"] == "playing"]
    bodies = [{"variant": "accordion", "row": row, "budget_ms": 50} for row in rows]
    return Load([request("POST", "/v1/analysis", body) for body in bodies], cycle=True)


def _deal(_: Site) -> Load:
    paths = [f"/v1/deals?seed=deal-{i}" for i in range(_DEALS)]
    return Load([request("GET", path) for path in paths], cycle=True)


def _daily(_: Site) -> Load:
    return Load([request("GET", "/v1/deals/daily")], cycle=True)


ENDPOINTS = (
    Endpoint("create", "create a game", 201, _create),
    Endpoint("get", "get a game", 200, _get, goal=0.95),
    Endpoint("get-304", "get, If-None-Match holds", 304, _get_unchanged),
    Endpoint("move", "move", 200, _move, goal=0.80),
    Endpoint("move-if-match", "move, If-Match", 200, _move_if_match),
    Endpoint("move-minimal", "move, return=minimal", 204, _move_minimal),
    Endpoint("move-once", "move, Idempotency-Key", 200, _move_once),
    Endpoint("move-by-flask", "move, by Flask's route", 200, _move_by_flask),
    Endpoint("batch", "batch of 51 moves", 200, _batch, goal=0.50),
    Endpoint("legal-moves", "legal moves", 200, _legal_moves),
    Endpoint("hint-first", "hint, the first of a game", 200, _first_hint),
    Endpoint("hint-next", "hint, following", 200, _next_hint, goal=0.75),
    Endpoint("analysis", "analysis of a row", 200, _analysis),
    Endpoint("deal", "deal by seed", 200, _deal),
    Endpoint("daily", "deal of the day", 200, _daily),
)
