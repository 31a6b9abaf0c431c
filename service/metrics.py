"""What is counted and timed, for Prometheus.

With several worker processes each counts in files of its own, in a folder that all
of them know; whoever is asked adds them up.
"""

from __future__ import annotations

import os
from typing import Final

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST

REQUESTS: Final = Counter(
    "accordion_requests",
    "Requests answered, by the name of their operation.",
    ["operation", "status"],
)
REQUEST_SECONDS: Final = Histogram(
    "accordion_request_duration_seconds",
    "Time from a request's arrival to its answer, in seconds.",
    ["operation"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5),
)
GAMES_STARTED: Final = Counter(
    "accordion_games_started", "Games started, by variant.", ["variant"]
)
GAMES_ENDED: Final = Counter(
    "accordion_games_ended",
    "Games that came to an end; one taken back and lost again counts twice.",
    ["variant", "status"],
)
HINTS: Final = Counter(
    "accordion_hints", "Hints, solutions and analyses given.", ["variant", "verdict"]
)
SEARCH_SECONDS: Final = Histogram(
    "accordion_search_duration_seconds",
    "Time of a search of the solver, in seconds.",
    ["variant"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2),
)
STORE_SECONDS: Final = Histogram(
    "accordion_store_duration_seconds",
    "Time of a round trip to the store, in seconds; failed ones too.",
    buckets=(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1),
)
STORE_ERRORS: Final = Counter(
    "accordion_store_errors", "Round trips to the store that failed.", ["error"]
)

_FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Names that folder; the library looks for it when it is imported, as it is here."""


def render() -> bytes:
    """Write all metrics, of all processes, in Prometheus's text format."""
    if _FOLDER not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def forget_process(pid: int) -> None:
    """Forget what a worker process that has ended was doing; its counts stay."""
    mark_process_dead(pid)  # type: ignore[no-untyped-call]
