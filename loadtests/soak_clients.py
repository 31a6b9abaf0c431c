"""Clients as faults of a soak test: slow requests, and searches without pause."""

from __future__ import annotations

import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from random import Random
from typing import TYPE_CHECKING, Final

from loadtests.http_client import build_request
from loadtests.soak_client import OK
from service.engine.cards import NAMES

if TYPE_CHECKING:
    from loadtests.soak_faults import Fault
    from tests.servers import Service

_SLOW_CLIENTS: Final = 200  # two workers can wait for 512
_SLOW_SECONDS: Final = (1.0, 12.0)  # the service waits ten for a request
_SEARCHING_CLIENTS: Final = 4
_SEARCH_SECONDS: Final = (2.0, 5.0)
_TIMEOUT_SECONDS: Final = 30.0
_JSON: Final = {"Content-Type": "application/json"}
_BUSY: Final = "/problems/solver-busy"

_CREATION: Final = build_request("POST", "/v1/games", {"player": "slow"})
_EXPECTING: Final = build_request(
    "POST", "/v1/games", {}, {"Expect": "100-continue"}
).removesuffix(b"{}")
_UNFINISHED: Final = (
    _CREATION[:20],
    _CREATION[:-1],
    _EXPECTING,
    build_request("GET", "/openapi.json"),  # and the response is not read
)


def _leave_requests_unfinished(service: Service, random: Random) -> None:
    """Send parts of requests, and wait, sometimes longer than the service does."""
    address = (service.host, service.port)
    with ExitStack() as stack:
        for _ in range(_SLOW_CLIENTS):
            client = socket.create_connection(address, _TIMEOUT_SECONDS)
            stack.enter_context(client).sendall(random.choice(_UNFINISHED))
        time.sleep(random.uniform(*_SLOW_SECONDS))


def _search_without_pause(service: Service, random: Random) -> None:
    """Let several clients search, each again as soon as it has a response."""
    until = time.monotonic() + random.uniform(*_SEARCH_SECONDS)
    seeds = [random.getrandbits(64) for _ in range(_SEARCHING_CLIENTS)]
    with ThreadPoolExecutor(_SEARCHING_CLIENTS) as pool:
        list(pool.map(lambda seed: _search(service, Random(seed), until), seeds))


def _search(service: Service, random: Random, until: float) -> None:
    while time.monotonic() < until:
        row = random.sample(NAMES, len(NAMES))
        fields = {"variant": "accordion", "row": row, "budget_ms": 2000}
        body = json.dumps(fields).encode()
        response = service.request(
            "POST", "/v1/analysis", body, _JSON, _TIMEOUT_SECONDS
        )
        if response.status != OK and json.loads(response.body)["type"] != _BUSY:
            raise AssertionError(response)


CLIENT_FAULTS: dict[str, Fault] = {
    "slow clients": _leave_requests_unfinished,
    "searches without pause": _search_without_pause,
}
