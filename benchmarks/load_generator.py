"""Sends requests as fast as a server answers them, with wrk or with Python threads."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import cycle
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from loadtests.http_client import Address, Connection

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SCRIPT = Path(__file__).with_name("replay.lua")
_FIRST_ERROR = 400


@dataclass(frozen=True, slots=True)
class Load:
    """The requests to send."""

    requests: Sequence[bytes]  # complete HTTP requests, in order
    repeat: bool = True  # start again after the last one
    status: int = 200  # of every response


class Result(NamedTuple):
    """The result of a load."""

    requests: int  # answered
    seconds: float
    unexpected: int  # responses with another status than expected
    unanswered: int
    exhausted: bool  # the requests ran out before the time
    p50_ms: float  # of the response times
    p99_ms: float

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.requests / self.seconds


def has_wrk() -> bool:
    """Whether wrk is installed."""
    return shutil.which("wrk") is not None


def run_wrk(
    address: Address, load: Load, seconds: float, connections: int = 8
) -> Result:
    """Send a load with wrk for a whole number of seconds, one at least."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"".join(request + b"\0" for request in load.requests))
        file.flush()
        command = ["wrk", "-t1", f"-c{connections}"]
        command += [f"-d{max(1, round(seconds))}s", "-s", str(_SCRIPT)]
        command += [f"http://{address.host}:{address.port}", "--", file.name]
        command += ["repeat" if load.repeat else "once"]
        output = subprocess.run(command, check=True, capture_output=True, text=True)
    (line,) = (x for x in output.stdout.splitlines() if x.startswith("RESULT "))
    result = json.loads(line.removeprefix("RESULT "))
    errors = result.pop("errors")
    # wrk counts the statuses from 400 up, but does not distinguish them.
    expected_error = load.status >= _FIRST_ERROR
    unexpected = result["requests"] - errors if expected_error else errors
    return Result(**result, unexpected=unexpected)


@dataclass(slots=True)
class _Share:
    """The result of one connection."""

    milliseconds: list[float] = field(default_factory=list)
    unexpected: int = 0
    unanswered: int = 0
    exhausted: bool = False


def run_threads(
    address: Address, load: Load, seconds: float, connections: int = 8
) -> Result:
    """Send a load with a Python thread for each connection."""
    requests = cycle(load.requests) if load.repeat else iter(load.requests)
    started = time.perf_counter()

    def send(_number: int) -> _Share:
        return _send_share(address, load.status, requests, started + seconds)

    with ThreadPoolExecutor(connections) as pool:
        shares = list(pool.map(send, range(connections)))
    seconds = time.perf_counter() - started
    times = sorted(time for share in shares for time in share.milliseconds)
    return Result(
        requests=len(times),
        seconds=seconds,
        unexpected=sum(share.unexpected for share in shares),
        unanswered=sum(share.unanswered for share in shares),
        exhausted=any(share.exhausted for share in shares),
        p50_ms=percentile(times, 0.5),
        p99_ms=percentile(times, 0.99),
    )


def _send_share(
    address: Address, status: int, requests: Iterator[bytes], deadline: float
) -> _Share:
    share = _Share()
    with Connection(address) as connection:
        for request in requests:
            started = time.perf_counter()
            if started >= deadline:
                return share
            try:
                response = connection.send(request)
            except OSError:
                share.unanswered += 1
                continue
            share.milliseconds.append((time.perf_counter() - started) * 1000)
            share.unexpected += response.status != status
    share.exhausted = True
    return share


def percentile(ascending: Sequence[float], share: float) -> float:
    """The nearest-rank percentile of sorted values; 0 if there are none."""
    return ascending[max(ceil(len(ascending) * share), 1) - 1] if ascending else 0.0
