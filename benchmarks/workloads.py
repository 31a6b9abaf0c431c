"""The workloads of the benchmark, in several configurations of the service.

Each request is one that a player could send at that moment. Moves are those of won
games, in their order; games at every stage take turns.
"""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - a NamedTuple names it
from datetime import UTC, datetime
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.load_generator import Load
from loadtests.http_client import Address, Response, build_request, send_all
from loadtests.rules import legal_moves
from service.access.api_keys import add_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Move = dict[str, int]
Headers = dict[str, str]

_MOVES = 51  # from 52 piles to one
_SEEDS = 24
_TURNS = 512
"""Games that take turns; enough that no two moves of one game are sent at once."""
_SAMPLE_GAMES = 2 * _MOVES
_DEALS = 2000
_FOLLOWED_GAMES = 512
_FIRST_ERROR = 400
_ORIGIN = "https://cards.example"


class Configuration(NamedTuple):
    """Settings of the service, and the header fields that its requests need."""

    name: str
    title: str  # follows the title of a kind of request
    settings: dict[str, object]
    headers: Headers


def configurations(folder: Path) -> list[Configuration]:
    """List the configurations; the file of API keys is written to a folder."""
    keys_file = folder / "keys.json"
    key = add_key(keys_file, "benchmark", "benchmark", datetime.now(UTC).date())
    with_key: dict[str, object] = {"api_keys_file": keys_file}
    with_limit = {**with_key, "rate_limit": "100000000/hour"}
    bearer = {"Authorization": f"Bearer {key}"}
    origin = {"Origin": _ORIGIN, "Sec-Fetch-Mode": "cors"}
    return [
        Configuration("plain", "", {}, {}),
        Configuration("key", ", API key", with_key, bearer),
        Configuration("key-limit", ", API key and limit", with_limit, bearer),
        Configuration("browser", ", from a browser", {"cors_origins": _ORIGIN}, origin),
        Configuration("granian", ", granian", {"server": "granian"}, {}),
    ]


class UnexpectedResponseError(Exception):
    """The service answered a request with another status than expected."""


class Line(NamedTuple):
    """The seed of a deal, and the moves that win it."""

    seed: str
    moves: list[Move]


class Games:
    """Prepares games on a running service.

    Every request has the header fields. An empty list of won deals is filled as needed.
    """

    def __init__(self, address: Address, headers: Headers, lines: list[Line]) -> None:
        self._address = address
        self._headers = headers
        self._lines = lines

    @cached_property
    def midway(self) -> list[dict[str, Any]]:
        """Games at every stage, as the service shows them, with their `etag`."""
        lines = [self.line(number) for number in range(_SAMPLE_GAMES)]
        moves = [line.moves[: i % _MOVES] for i, line in enumerate(lines)]
        ids = self.start(lines, moves)
        requests = [self.request("GET", f"/v1/games/{game}") for game in ids]
        shown = self.send(requests)
        return [game.json() | {"etag": game.headers["etag"]} for game in shown]

    @cached_property
    def followed(self) -> list[str]:
        """The ids of games whose players have made the move of their last hint."""
        lines = [self.line(number) for number in range(_FOLLOWED_GAMES)]
        ids = self.start(lines, [x.moves[: i % 30] for i, x in enumerate(lines)])
        paths = [f"/v1/games/{game}" for game in ids]
        hints = self.post([f"{x}/hint" for x in paths], [{}] * len(ids), connections=1)
        moves = [{k: hint["action"][k] for k in ("from", "to")} for hint in hints]
        self.post([f"{path}/moves" for path in paths], moves)
        return ids

    def line(self, number: int) -> Line:
        """A won deal, solved by the service; there are 24 different ones."""
        if not self._lines:
            seeds = [f"bench-{number}" for number in range(_SEEDS)]
            paths = [f"/v1/games/{game}/solution" for game in self.create(seeds)]
            solutions = self.post(paths, [{}] * len(paths), connections=1)
            for seed, solution in zip(seeds, solutions, strict=True):
                moves = [
                    {"from": a["from"], "to": a["to"]} for a in solution["actions"]
                ]
                self._lines.append(Line(seed, moves))
        return self._lines[number % _SEEDS]

    def create(self, seeds: Sequence[str]) -> list[str]:
        """Create a game of each seed, and return their ids."""
        bodies = [{"seed": seed} for seed in seeds]
        created = self.post(["/v1/games"] * len(bodies), bodies)
        return [game["id"] for game in created]

    def start(self, lines: Sequence[Line], moves: Sequence[list[Move]]) -> list[str]:
        """Create games and make some moves in each, all in one request."""
        ids = self.create([line.seed for line in lines])
        started = [(game, made) for game, made in zip(ids, moves, strict=True) if made]
        self.post(
            [f"/v1/games/{game}/moves" for game, _ in started],
            [{"moves": made} for _, made in started],
        )
        return ids

    def request(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> bytes:
        """Build a request with the header fields of this configuration."""
        return build_request(method, path, body, self._headers | headers)

    def post(
        self, paths: Sequence[str], bodies: Sequence[Any], connections: int = 4
    ) -> list[Any]:
        """Post a body to each path, and return the JSON of the responses."""
        pairs = zip(paths, bodies, strict=True)
        requests = [self.request("POST", path, body) for path, body in pairs]
        return [response.json() for response in self.send(requests, connections)]

    def send(self, requests: Sequence[bytes], connections: int = 4) -> list[Response]:
        """Send requests that must succeed.

        Raises:
            UnexpectedResponseError: The status of a response is 400 or more.
        """
        responses = send_all(self._address, requests, connections)
        for request, response in zip(requests, responses, strict=True):
            if response.status >= _FIRST_ERROR:
                raise UnexpectedResponseError(f"{request!r} is answered {response}")
        return responses


class Workload(NamedTuple):
    """A kind of request."""

    title: str
    prepare: Callable[[Games, int], Load]  # the int: requests needed without repeating
    connections: int = 8


def try_workload(workload: Workload, games: Games, address: Address) -> None:
    """Send a few requests of a workload.

    Raises:
        UnexpectedResponseError: A response has another status than it should.
    """
    load = workload.prepare(games, 16)
    requests = load.requests[:16]
    responses = send_all(address, requests, min(4, workload.connections))
    for request, response in zip(requests, responses, strict=True):
        if response.status != load.status:
            raise UnexpectedResponseError(f"{request!r} is answered {response}")


def _create(games: Games, _count: int) -> Load:
    seeds = [{"seed": f"create-{number}"} for number in range(_DEALS)]
    requests = [games.request("POST", "/v1/games", seed) for seed in seeds]
    return Load(requests, status=201)


def _get(suffix: str = "") -> Callable[[Games, int], Load]:
    def prepare(games: Games, _count: int) -> Load:
        paths = [f"/v1/games/{game['id']}{suffix}" for game in games.midway]
        return Load([games.request("GET", path) for path in paths])

    return prepare


def _get_unchanged(games: Games, _count: int) -> Load:
    requests = []
    for game in games.midway:
        known = {"If-None-Match": game["etag"]}
        requests.append(games.request("GET", f"/v1/games/{game['id']}", **known))
    return Load(requests, status=304)


def _move(
    headers: Callable[[int, int], Mapping[str, str]] = lambda *_: {},
    status: int = 200,
) -> Callable[[Games, int], Load]:
    """Moves of won games; their header fields follow from version and move number."""

    def prepare(games: Games, count: int) -> Load:
        turns = min(_TURNS, count)
        stages = [turn * _MOVES // turns for turn in range(turns)]
        plan = [
            (turn, *divmod(stage + rounds, _MOVES))
            for rounds in range(ceil(count / turns))
            for turn, stage in enumerate(stages)
        ]
        # The n-th game of a turn; only the first one starts in the middle.
        needed = sorted({(turn, n) for turn, n, _ in plan})
        lines = {place: games.line(i) for i, place in enumerate(needed)}
        made = [lines[t, n].moves[: 0 if n else stages[t]] for t, n in needed]
        ids = dict(zip(needed, games.start(list(lines.values()), made), strict=True))
        requests = []
        for turn, n, number in plan:
            stage = 0 if n else stages[turn]
            version = number - stage + (2 if stage else 1)
            requests.append(
                games.request(
                    "POST",
                    f"/v1/games/{ids[turn, n]}/moves",
                    lines[turn, n].moves[number],
                    **headers(version, number),
                )
            )
        return Load(requests, repeat=False, status=status)

    return prepare


def _illegal_move(games: Games, _count: int) -> Load:
    requests = []
    for game in games.midway:
        row = game["row"]
        legal = legal_moves("accordion", row)
        neighbours = [(pile, pile - 1) for pile in range(1, len(row))]
        body = next(
            ({"from": a, "to": b} for a, b in neighbours if (a, b) not in legal), None
        )
        if body and game["status"] == "playing":
            path = f"/v1/games/{game['id']}/moves"
            requests.append(games.request("POST", path, body))
    return Load(requests, status=409)


def _batch(games: Games, count: int) -> Load:
    lines = [games.line(number) for number in range(count)]
    ids = games.create([line.seed for line in lines])
    requests = [
        games.request("POST", f"/v1/games/{game}/moves", {"moves": line.moves})
        for game, line in zip(ids, lines, strict=True)
    ]
    return Load(requests, repeat=False)


def _first_hint(games: Games, count: int) -> Load:
    ids = games.create([f"hint-{number}" for number in range(count)])
    return _hints(games, ids, repeat=False)


def _next_hint(games: Games, _count: int) -> Load:
    return _hints(games, games.followed, repeat=True)


def _hints(games: Games, ids: Sequence[str], *, repeat: bool) -> Load:
    paths = [f"/v1/games/{game}/hint" for game in ids]
    return Load([games.request("POST", path, {}) for path in paths], repeat)


def _analysis(games: Games, _count: int) -> Load:
    rows = [game["row"] for game in games.midway if game["status"] == "playing"]
    bodies = [{"variant": "accordion", "row": row, "budget_ms": 50} for row in rows]
    return Load([games.request("POST", "/v1/analysis", body) for body in bodies])


def _deal(games: Games, _count: int) -> Load:
    paths = [f"/v1/deals?seed=deal-{number}" for number in range(_DEALS)]
    return Load([games.request("GET", path) for path in paths])


def _daily(games: Games, _count: int) -> Load:
    return Load([games.request("GET", "/v1/deals/daily")])


WORKLOADS = {
    "create": Workload("create a game", _create),
    "get": Workload("get a game", _get()),
    "get-unchanged": Workload("get, If-None-Match holds", _get_unchanged),
    "move": Workload("move", _move()),
    "move-if-match": Workload(
        "move, If-Match", _move(lambda version, _: {"If-Match": f'"{version}"'})
    ),
    "move-minimal": Workload(
        "move, return=minimal", _move(lambda *_: {"Prefer": "return=minimal"}, 204)
    ),
    # Keys belong to their game, so the number of the move is enough.
    "move-idempotent": Workload(
        "move, Idempotency-Key",
        _move(lambda _, number: {"Idempotency-Key": f"move-{number}"}),
    ),
    "move-illegal": Workload("illegal move (409)", _illegal_move),
    "batch": Workload("batch of 51 moves", _batch),
    "legal-moves": Workload("legal moves", _get("/legal-moves")),
    "hint-first": Workload("hint, first of a game", _first_hint),
    "hint-next": Workload("hint, following", _next_hint),
    # One at a time: the service refuses long searches beyond its limit.
    "analysis": Workload("analysis of a row, moves judged", _analysis, connections=1),
    "deal": Workload("deal by seed", _deal),
    "daily": Workload("deal of the day", _daily),
}

GOALS: dict[str, dict[str, float | None]] = {
    "plain": dict.fromkeys(WORKLOADS)
    | {"create": 0.75, "get": 1.15, "move": 0.90, "move-idempotent": 0.60}
    | {"move-illegal": 0.80, "batch": 0.50, "hint-first": 0.50, "hint-next": 0.75}
    | {"analysis": 0.12},
    "key": {"get": 1.05, "move": 0.88},
    "key-limit": {"create": None, "get": 0.85, "move": 0.70, "move-idempotent": None},
    "browser": {"get": None, "move": None},
    "granian": {"get": 2.0, "move": 1.6},
}
"""The workloads of each configuration, and the share of the baseline's requests per
second to reach; None without a goal."""
