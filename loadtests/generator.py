"""Sends requests as fast as a server takes them, and counts what comes of it.

wrk does it where it is installed; otherwise processes of our own, one a connection.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from loadtests.parallel import run_each
from loadtests.wire import Address, Answer, Connection, ProtocolError

if TYPE_CHECKING:
    from collections.abc import Sequence

SCRIPT = Path(__file__).with_name("wrk") / "replay.lua"
_FIRST_ERROR = 400
_GRACE_SECONDS = 30
_MOST_SECONDS = 600
"""What sending everything once may take: some ten thousand games are prepared so."""


@dataclass(frozen=True, slots=True)
class Load:
    """What to send.

    Attributes:
        requests: whole HTTP requests, sent in this order.
        cycle: whether to start again after the last; else the load ends with it.
        connections: how many there are at once. Requests that lie closer together than
            this may be under way together.
    """

    requests: Sequence[bytes]
    cycle: bool
    connections: int = 8


class Outcome(NamedTuple):
    """What came of a load.

    Attributes:
        requests: how many were answered.
        seconds: how long it took.
        refused: how many of the answers had a status of 400 or more.
        broken: how many requests had no answer.
        exhausted: whether the requests ran out before the time did.
        p50: the median time to the whole answer, in milliseconds.
        p90: the 90th percentile of it.
        p99: the 99th percentile of it.
    """

    requests: int
    seconds: float
    refused: int
    broken: int
    exhausted: bool
    p50: float
    p90: float
    p99: float

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds


def has_wrk() -> bool:
    """Whether wrk is installed."""
    return shutil.which("wrk") is not None


def run(address: Address, load: Load, seconds: float, *, wrk: bool) -> Outcome:
    """Send a load for some seconds: with wrk, or with processes of our own."""
    return (run_wrk if wrk else run_processes)(address, load, seconds)


def run_wrk(address: Address, load: Load, seconds: float) -> Outcome:
    """Send a load with wrk, in one thread; it measures in whole seconds."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"".join(text + b"\0" for text in load.requests))
        file.flush()
        whole = max(1, round(seconds))
        command = ["wrk", "-t1", f"-c{load.connections}", f"-d{whole}s"]
        command += ["-s", str(SCRIPT), address.url, "--", file.name]
        command += ["cycle" if load.cycle else "once"]
        shown = subprocess.run(
            command,
            check=True,
            capture_output=True,
            text=True,
            timeout=whole + _GRACE_SECONDS,
        )
    line = next(x for x in shown.stdout.splitlines() if x.startswith("RESULT "))
    return Outcome(**json.loads(line.removeprefix("RESULT ")))


def run_processes(address: Address, load: Load, seconds: float) -> Outcome:
    """Send a load with one process a connection, each with every n-th request.

    Raises:
        ProcessDiedError: One of them came to nothing.
    """
    deadline = time.monotonic() + seconds
    count = min(load.connections, len(load.requests))
    shares = [
        (address, load.requests[i::count], load.cycle, deadline) for i in range(count)
    ]
    start = time.monotonic()
    tallies = run_each(_drive, shares, seconds + _GRACE_SECONDS)
    return _sum_up(tallies, time.monotonic() - start)


def send_all(
    address: Address, requests: Sequence[bytes], connections: int = 4
) -> list[Answer]:
    """Send each request once and return the answers, in the order of the requests.

    Raises:
        ProcessDiedError: One of the processes that send them came to nothing.
    """
    count = max(1, min(connections, len(requests)))
    shares = [(address, requests[i::count]) for i in range(count)]
    parts = run_each(_send_share, shares, _MOST_SECONDS)
    answers: list[Answer] = [answer for part in parts for answer in part]
    for i, part in enumerate(parts):
        answers[i::count] = part
    return answers


@dataclass(slots=True)
class _Tally:
    milliseconds: list[float]
    refused: int = 0
    broken: int = 0
    exhausted: bool = False


def _drive(
    address: Address,
    requests: Sequence[bytes],
    cycle: bool,  # noqa: FBT001 - a share is passed by position
    deadline: float,
) -> _Tally:
    tally = _Tally([])
    with Connection(address) as connection:
        while not tally.exhausted:
            for text in requests:
                if time.monotonic() >= deadline:
                    return tally
                _send_one(connection, text, tally)
            tally.exhausted = not cycle
    return tally


def _send_one(connection: Connection, text: bytes, tally: _Tally) -> None:
    start = time.perf_counter()
    try:
        answer = connection.send(text)
    except (OSError, ProtocolError):
        tally.broken += 1
        return
    tally.milliseconds.append((time.perf_counter() - start) * 1000)
    tally.refused += answer.status >= _FIRST_ERROR


def _send_share(address: Address, requests: Sequence[bytes]) -> list[Answer]:
    with Connection(address) as connection:
        return [connection.send(text) for text in requests]


def _sum_up(tallies: Sequence[_Tally], seconds: float) -> Outcome:
    times = sorted(ms for tally in tallies for ms in tally.milliseconds)
    return Outcome(
        requests=len(times),
        seconds=seconds,
        refused=sum(tally.refused for tally in tallies),
        broken=sum(tally.broken for tally in tallies),
        exhausted=any(tally.exhausted for tally in tallies),
        p50=percentile(times, 50),
        p90=percentile(times, 90),
        p99=percentile(times, 99),
    )


def percentile(ascending: Sequence[float], percent: float) -> float:
    """The nearest-rank percentile of sorted values; 0 of none."""
    if not ascending:
        return 0.0
    rank = -(-len(ascending) * percent // 100)
    return ascending[max(0, int(rank) - 1)]
