"""Play on a real service while faults are injected, and check that nothing is lost.

The service runs on its embedded store, which writes every change to disk before it is
acknowledged. The players (`soak_player.py`) record what was acknowledged. The faults
(`soak_faults.py`, `soak_clients.py`, and where disks can be mounted `soak_disks.py`)
are injected in random order; the last one kills every process. Then each game is
compared with its log (`game_log.py`).
"""

from __future__ import annotations

import secrets
import sys
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

import click

from loadtests.game_log import audit
from loadtests.http_client import Address
from loadtests.soak_boards import BoardPlayer, audit_boards
from loadtests.soak_client import OK, NotAnsweredError, Observations, RetryingClient
from loadtests.soak_clients import CLIENT_FAULTS
from loadtests.soak_disks import (
    DISK_FAULTS,
    enter_own_mounts,
    has_own_mounts,
    small_disks,
)
from loadtests.soak_faults import FAULTS, Fault, kill_everything
from loadtests.soak_player import GamePool, SoakPlayer
from loadtests.soak_webhooks import Portal, soak_portal
from tests.servers import Service, free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from loadtests.game_log import GameLog
    from loadtests.soak_boards import Game

Argument = TypeVar("Argument")

_PLAYERS_PER_SHARED_GAME = 4
_PLAYERS_PER_BOARD_PLAYER = 3
_POLL_SECONDS = 0.02
_MAX_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Plan:
    """The parameters of a soak test."""

    seconds: float
    players: int
    seed: int  # of every random choice
    faults: Mapping[str, Fault]  # each happens once before any happens again
    pause: float  # seconds between two faults, on average
    every_fault: bool = False  # go on until each has happened
    give_up_seconds: float = 120.0  # of waiting for a response or for readiness
    kill_at_end: bool = True  # kill and restart everything before the check


@dataclass(slots=True)
class FaultResult:
    """The effect of all faults of one kind."""

    times: int = 0
    longest: float = 0.0  # seconds until the service was ready again
    interrupted: int = 0  # requests that got a 503 or no response

    def __str__(self) -> str:
        """The effect in words."""
        longest = f"{self.longest:.1f} s"
        return f"ready in {longest} at most; {self.interrupted} requests interrupted"


@dataclass(slots=True)
class Result:
    """The result of a soak test; faults are by name."""

    observations: Observations = field(default_factory=Observations)
    faults: defaultdict[str, FaultResult] = field(
        default_factory=lambda: defaultdict(FaultResult)
    )
    games: int = 0
    writes: int = 0
    on_boards: int = 0  # ended games that must be on boards
    webhook_ends: int = 0  # ends of games with a webhook
    webhook_figures: str = ""

    @property
    def passed(self) -> bool:
        """Whether nothing was lost and nothing else was wrong."""
        return not (self.observations.losses or self.observations.errors)


class Soak:
    """A soak test of a running service."""

    def __init__(
        self, service: Service, plan: Plan, portal: Portal | None = None
    ) -> None:
        self._service = service
        self._portal = portal
        self._plan = plan
        self._random = Random(plan.seed)
        self._result = Result()

    def run(self) -> Result:
        """Play, inject faults, and check every game."""
        pool = GamePool(max(1, self._plan.players // _PLAYERS_PER_SHARED_GAME))
        stop = threading.Event()
        players = [
            threading.Thread(target=self._play, args=(pool, stop, number))
            for number in range(self._plan.players)
        ]
        board_players = [
            self._board_player(number)
            for number in range(max(1, self._plan.players // _PLAYERS_PER_BOARD_PLAYER))
        ]
        players += [
            threading.Thread(target=self._run, args=(player.play, stop))
            for player in board_players
        ]
        if self._portal is not None:
            self._portal.subscribe(self._client(self._random))
            player = threading.Thread(target=self._run, args=(self._end_games, stop))
            players.append(player)
        for player in players:
            player.start()
        try:
            self._inject_faults()
        finally:
            stop.set()
            for player in players:
                player.join()
        if self._plan.kill_at_end:
            self._inject("everything killed", kill_everything)
        ended = [game for player in board_players for game in player.ended]
        self._run(self._audit_boards, ended)
        self._audit(pool.logs)
        if self._portal is not None:
            self._run(self._audit_webhook, self._portal)
        return self._result

    def _end_games(self, stop: threading.Event) -> None:
        if self._portal is not None:
            random = Random(f"portal {self._plan.seed}")
            self._portal.play(self._client(random), random, stop)

    def _audit_webhook(self, portal: Portal) -> None:
        self._result.observations.losses += portal.audit(self._client(self._random))
        self._result.webhook_ends = sum(portal.ends.values())
        self._result.webhook_figures = portal.figures()

    def _audit(self, logs: list[GameLog]) -> None:
        """Compare every game with its log."""
        with ThreadPoolExecutor(self._plan.players) as pool:
            for losses in pool.map(self._audit_game, logs):
                self._result.observations.losses += losses
        self._result.games = len(logs)
        self._result.writes = sum(log.writes for log in logs)

    def _audit_game(self, log: GameLog) -> list[str]:
        try:
            return audit(self._client(Random(log.path)), log)
        except Exception as error:  # noqa: BLE001 - the summary shows it
            self._result.observations.errors.append(f"{log.path}: {error!r}")
            return []

    def _client(self, random: Random) -> RetryingClient:
        address = Address(self._service.host, self._service.port)
        observations, give_up = self._result.observations, self._plan.give_up_seconds
        key = "" if self._portal is None else self._portal.key
        return RetryingClient(address, observations, random, give_up, key)

    def _play(self, pool: GamePool, stop: threading.Event, number: int) -> None:
        observations, random = (
            self._result.observations,
            Random(f"{self._plan.seed} {number}"),
        )
        player = SoakPlayer(self._client(random), pool, observations, random)
        self._run(player.play, stop)

    def _board_player(self, number: int) -> BoardPlayer:
        name = f"{self._plan.seed} {number}"
        random = Random(f"boards {name}")
        return BoardPlayer(self._client(random), random, name)

    def _audit_boards(self, ended: list[Game]) -> None:
        self._result.observations.losses += audit_boards(
            self._client(self._random), ended
        )
        self._result.on_boards = len(ended)

    def _run(self, do: Callable[[Argument], None], argument: Argument) -> None:
        observations = self._result.observations
        try:
            do(argument)
        except NotAnsweredError as error:
            observations.errors.append(f"never answered: {error}")
        except Exception as error:  # noqa: BLE001 - the summary shows it
            observations.errors.append(f"a player failed: {error!r}")

    def _inject_faults(self) -> None:
        deadline = time.monotonic() + self._plan.seconds
        must = len(self._plan.faults) if self._plan.every_fault else 0
        for number, name in enumerate(self._shuffled_faults()):
            pause = self._plan.pause * self._random.uniform(0.4, 1.6)
            time.sleep(max(0.0, min(pause, deadline - time.monotonic())))
            if number >= must and time.monotonic() >= deadline:
                return
            self._inject(name, self._plan.faults[name])

    def _shuffled_faults(self) -> Iterator[str]:
        while True:
            yield from self._random.sample(
                list(self._plan.faults), len(self._plan.faults)
            )

    def _inject(self, name: str, fault: Fault) -> None:
        """Inject a fault, and wait until the service is ready again."""
        observations, result = self._result.observations, self._result.faults[name]
        interrupted, started = observations.interrupted, time.monotonic()
        try:
            fault(self._service, self._random)
        except Exception as error:  # noqa: BLE001 - the summary shows it
            observations.errors.append(f"{name}: {error!r}")
        while not self._is_ready():
            if time.monotonic() - started > self._plan.give_up_seconds:
                observations.errors.append(f"not ready again in time after: {name}")
                break
            time.sleep(_POLL_SECONDS)
        result.times += 1
        result.longest = max(result.longest, time.monotonic() - started)
        result.interrupted += observations.interrupted - interrupted

    def _is_ready(self) -> bool:
        try:
            return self._service.request("GET", "/readyz").status == OK
        except (OSError, HTTPException):
            return False


def soak(plan: Plan) -> Result:
    """Start a service, run a soak test on it, and stop it."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="acc")))
        stack.enter_context(small_disks(folder))
        portal = stack.enter_context(soak_portal(folder, plan.seed))
        settings = {
            **portal.settings,
            "data_dir": folder,
            "port": free_port(),
            "workers": 2,
            "store_flush": "always",
            "log_level": "warning",
        }
        service = stack.enter_context(Service(settings))
        service.fields["Authorization"] = f"Bearer {portal.key}"
        return Soak(service, plan, portal).run()


def summarize(plan: Plan, result: Result) -> str:
    """The result as a table of counts."""
    observations = result.observations
    unavailable = max(observations.unavailable_seconds, default=0.0)
    rows: list[tuple[str, object, str]] = [
        (
            "requests",
            len(observations.statuses),
            f"{plan.players} players, {plan.seconds} s",
        ),
        *((f"  {x}", y, "") for x, y in sorted(Counter(observations.statuses).items())),
        *((x, y, "") for x, y in sorted(Counter(observations.events).items())),
        ("faults", sum(x.times for x in result.faults.values()), f"seed {plan.seed}"),
        *((f"  {x}", y.times, str(y)) for x, y in sorted(result.faults.items())),
        ("slowest 503, seconds", f"{unavailable:.1f}", ""),
        ("acknowledged writes", result.writes, ""),
        ("games checked", result.games, ""),
        ("games checked on their boards", result.on_boards, "ended, each there once"),
        (
            "ends that the portal was told of",
            result.webhook_ends,
            result.webhook_figures,
        ),
        ("losses", len(observations.losses), ""),
        ("other errors", len(observations.errors), ""),
    ]
    return "\n".join(f"{a:42}{b!s:>8}  {c}".rstrip() for a, b, c in rows)


def _faults() -> dict[str, Fault]:
    """The faults that can be injected here."""
    return FAULTS | CLIENT_FAULTS | (DISK_FAULTS if has_own_mounts() else {})


@click.command()
@click.option("--seconds", default=60.0, show_default=True, help="How long to play.")
@click.option("--players", default=12, show_default=True, help="Players at once.")
@click.option("--pause", default=1.2, show_default=True, help="Between faults, mean.")
@click.option("--seed", type=int, help="Seed of the random choices.  [random]")
@click.option(
    "names",
    "--fault",
    multiple=True,
    type=click.Choice(list(_faults())),
    help="Only this kind of fault, at least once; may be repeated.",
)
def main(
    *,
    seconds: float,
    players: int,
    pause: float,
    seed: int | None,
    names: tuple[str, ...],
) -> None:
    """Play on a service while faults are injected; check that nothing is lost."""
    chosen = secrets.randbelow(1 << 32) if seed is None else seed
    faults = {name: fault for name, fault in _faults().items() if name in names}
    plan = Plan(seconds, players, chosen, faults or _faults(), pause, bool(names))
    result = soak(plan)
    click.echo(summarize(plan, result))
    for sentence in [*result.observations.losses, *result.observations.errors][
        :_MAX_SHOWN
    ]:
        click.echo(sentence)
    sys.exit(not result.passed)


if __name__ == "__main__":
    enter_own_mounts("loadtests.soak")
    main()
