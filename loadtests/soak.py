"""Play on a real service for a while, torment it, and see that it has lost nothing.

The service runs on its embedded store, which writes every change to the disk before it
is acknowledged. Players (`loadtests.regulars`) keep a ledger of what was acknowledged;
faults (`loadtests.faults`) befall the service in random order, the last of them a kill
of all its processes. Then every game is compared with its ledger (`loadtests.audit`).
"""

from __future__ import annotations

import secrets
import sys
import threading
import time
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from loadtests.audit import audit
from loadtests.faults import FAULTS, Fault, kill_everything
from loadtests.regulars import Lounge, Regular
from loadtests.stubborn import OK, NeverAnsweredError, Stubborn
from loadtests.tally import Tally
from loadtests.wire import Address, request
from tests.servers import Service, free_port

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WORKERS = 2
_SHARED = 4
"""Players to an open table, on average."""

_POLL_SECONDS = 0.02
_MOST_SHOWN = 20
_HINT_PATH = "/v1/games/{game_id}/hint"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do.

    Attributes:
        seconds: how long to play and torment.
        players: how many play at once.
        seed: what the dice start from.
        faults: what befalls the service; each once before any comes again.
        calm: the seconds between two faults, least and most.
        patience: the seconds after which an unavailability counts as endless.
    """

    seconds: float = 60.0
    players: int = 12
    seed: int = 0
    faults: Sequence[Fault] = FAULTS
    calm: tuple[float, float] = (0.5, 2.0)
    patience: float = 60.0


@dataclass(slots=True)
class Spell:
    """What the faults of one kind came to.

    Attributes:
        times: how often they were injected.
        longest: the most seconds from the fault until the service was ready.
        met: how many requests were refused or cut off meanwhile.
    """

    times: int = 0
    longest: float = 0.0
    met: int = 0

    def __str__(self) -> str:
        """Tell how bad they were."""
        return f"ready in {self.longest:.1f} s at most, met by {self.met} requests"


@dataclass(slots=True)
class Outcome:
    """What a soak came to.

    Attributes:
        tally: what the players met.
        spells: what each kind of fault came to.
        games: how many games were checked.
        writes: how many acknowledged writes they had.
        seconds: how long was played.
    """

    tally: Tally = field(default_factory=Tally)
    spells: defaultdict[str, Spell] = field(default_factory=lambda: defaultdict(Spell))
    games: int = 0
    writes: int = 0
    seconds: float = 0.0

    @property
    def is_clean(self) -> bool:
        """Whether nothing was lost, and nothing was otherwise wrong."""
        return not (self.tally.losses or self.tally.faults)


class Soak:
    """A soak of a service that runs.

    Args:
        service: the service.
        plan: what to do.
    """

    def __init__(self, service: Service, plan: Plan) -> None:
        self._service = service
        self._plan = plan
        self._dice = Random(plan.seed)
        self._address = Address(service.host, service.port)
        self._outcome = Outcome()

    def run(self) -> Outcome:
        """Play, torment, and check."""
        outcome, begun = self._outcome, time.monotonic()
        lounge = Lounge(max(1, self._plan.players // _SHARED), hints=self._has_hints())
        stop = threading.Event()
        players = [
            threading.Thread(target=self._play, args=(lounge, stop, number))
            for number in range(self._plan.players)
        ]
        for player in players:
            player.start()
        try:
            self._torment()
        finally:
            stop.set()
            for player in players:
                player.join()
        outcome.seconds = time.monotonic() - begun
        self._inject(Fault("everything killed", kill_everything))
        client = self._client(self._dice)
        for ledger in lounge.ledgers:
            for loss in audit(client, ledger):
                outcome.tally.loss(loss)
        outcome.games = len(lounge.ledgers)
        outcome.writes = sum(ledger.writes for ledger in lounge.ledgers)
        return outcome

    def _client(self, dice: Random) -> Stubborn:
        return Stubborn(self._address, self._outcome.tally, dice, self._plan.patience)

    def _has_hints(self) -> bool:
        answer = self._client(self._dice).ask(request("GET", "/openapi.json"))
        return _HINT_PATH in answer.json()["paths"]

    def _play(self, lounge: Lounge, stop: threading.Event, number: int) -> None:
        tally, dice = self._outcome.tally, Random(f"{self._plan.seed} {number}")
        try:
            Regular(self._client(dice), lounge, tally, dice).play(stop)
        except NeverAnsweredError as error:
            tally.fault(f"never answered: {error}")
        except Exception as error:  # noqa: BLE001 - told in the summary
            tally.fault(f"a player could not go on: {error!r}")

    def _torment(self) -> None:
        deadline = time.monotonic() + self._plan.seconds
        for fault in self._shuffled():
            pause = self._dice.uniform(*self._plan.calm)
            time.sleep(max(0.0, min(pause, deadline - time.monotonic())))
            if time.monotonic() >= deadline:
                return
            self._inject(fault)

    def _shuffled(self) -> Iterator[Fault]:
        while True:
            yield from self._dice.sample(self._plan.faults, len(self._plan.faults))

    def _inject(self, fault: Fault) -> None:
        """Have a fault happen, and wait until the service is ready again."""
        tally, spell = self._outcome.tally, self._outcome.spells[fault.name]
        met, begun = tally.refused_or_cut, time.monotonic()
        fault.inject(self._service, self._dice)
        while not self._is_ready():
            if time.monotonic() - begun > self._plan.patience:
                tally.fault(f"not ready {self._plan.patience} s after: {fault.name}")
                break
            time.sleep(_POLL_SECONDS)
        spell.times += 1
        spell.longest = max(spell.longest, time.monotonic() - begun)
        spell.met += tally.refused_or_cut - met

    def _is_ready(self) -> bool:
        try:
            return self._service.request("GET", "/readyz").status == OK
        except (OSError, HTTPException):
            return False


def soak(plan: Plan) -> Outcome:
    """Start a service, soak it and stop it."""
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="acc"))
        settings = {
            "data_dir": Path(folder),
            "port": free_port(),
            "workers": _WORKERS,
            "store_flush": "always",
            "log_level": "warning",
        }
        return Soak(stack.enter_context(Service(settings)), plan).run()


def summary(plan: Plan, outcome: Outcome) -> str:
    """The outcome as a table."""
    tally = outcome.tally
    requests = sum(tally.answers.values())
    notes = {"503": f"the slowest after {tally.slowest_refusal:.1f} s in the queue"}
    faults = sum(spell.times for spell in outcome.spells.values())
    rows: list[tuple[str, object, str]] = [
        ("requests", requests, f"{plan.players} players, {outcome.seconds:.0f} s"),
        *((f"  {x}", y, notes.get(x, "")) for x, y in sorted(tally.answers.items())),
        *((name, count, "") for name, count in sorted(tally.events.items())),
        ("faults", faults, f"seed {plan.seed}"),
        *((f"  {x}", y.times, str(y)) for x, y in sorted(outcome.spells.items())),
        ("acknowledged writes", outcome.writes, ""),
        ("games checked", outcome.games, ""),
        ("losses", len(tally.losses), ""),
        ("other findings", len(tally.faults), ""),
    ]
    return "\n".join(f"{a:42}{b!s:>8}  {c}".rstrip() for a, b, c in rows)


@click.command()
@click.option("--seconds", default=60.0, show_default=True, help="How long to play.")
@click.option("--players", default=12, show_default=True, help="How many at once.")
@click.option("--seed", type=int, help="What the dice start from; else random.")
def main(*, seconds: float, players: int, seed: int | None) -> None:
    """Play on a tormented service, and check that it has lost nothing."""
    chosen = secrets.randbelow(1 << 32) if seed is None else seed
    plan = Plan(seconds, players, chosen)
    outcome = soak(plan)
    click.echo(summary(plan, outcome))
    for text in [*outcome.tally.losses, *outcome.tally.faults][:_MOST_SHOWN]:
        click.echo(text)
    sys.exit(not outcome.is_clean)


if __name__ == "__main__":
    main()
