"""The metrics of the service, for Prometheus.

prometheus_client formats the text. The numbers are in memory that all processes share:
the library's own support for several processes needs a folder with free space, and
keeps the files of all processes that have ended.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import defaultdict
from contextlib import contextmanager
from itertools import accumulate
from time import perf_counter
from typing import TYPE_CHECKING, Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.utils import floatToGoString

from service.shared_numbers import Numbers, totals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from prometheus_client.core import Metric

    Labels: TypeAlias = "tuple[str, ...]"
    Totals: TypeAlias = "Mapping[Labels, list[float]]"

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST


class Tally:
    """The numbers of a metric for one set of label values."""

    def __init__(self, numbers: Numbers, buckets: Sequence[float]) -> None:
        self._numbers = numbers
        self._buckets = buckets

    def inc(self, amount: float = 1) -> None:
        """Add an amount to a counter."""
        self._numbers.add((0, amount))

    def observe(self, value: float) -> None:
        """Add a value to a histogram."""
        bucket = bisect_left(self._buckets, value)
        self._numbers.add((bucket, 1), (len(self._buckets) + 1, value))

    @contextmanager
    def time(self) -> Iterator[None]:
        """Add the duration of a ``with`` block, in seconds, to a histogram."""
        begun = perf_counter()
        try:
            yield
        finally:
            self.observe(perf_counter() - begun)


class Counter:
    """A number that only grows, for each set of label values.

    Args:
        name: The name of the metric, without ``_total``.
        documentation: What the metric counts.
        labels: The names of the labels.
    """

    _buckets: Sequence[float] = ()
    _size = 1

    def __init__(
        self, name: str, documentation: str, labels: Sequence[str] = ()
    ) -> None:
        self.name = name
        self._documentation = documentation
        self._labels = labels
        self._tallies: dict[tuple[object, ...], Tally] = {}

    def labels(self, *values: object) -> Tally:
        """Return the tally for these label values."""
        tally = self._tallies.get(values)
        if tally is None:
            key = json.dumps([self.name, *map(str, values)])
            tally = Tally(Numbers(key, self._size), self._buckets)
            self._tallies[values] = tally
        return tally

    def collect(self, totals: Totals) -> Metric:
        """Return the metric with its totals; without labels, it starts with zeros."""
        if not self._labels:
            totals = {(): [0.0] * self._size, **totals}
        return self._write(totals)

    def _write(self, totals: Totals) -> Metric:
        family = CounterMetricFamily(
            self.name, self._documentation, labels=self._labels
        )
        for labels, (total,) in totals.items():
            family.add_metric(labels, total)
        return family


class Histogram(Counter):
    """A histogram of values and their sum, for each set of label values.

    The numbers are a count for each bucket, a count of larger values, and the sum.

    Args:
        name: The name of the metric.
        documentation: What the metric measures.
        labels: The names of the labels.
        buckets: The finite upper bounds of the buckets, ascending; at most 62.
    """

    def __init__(
        self,
        name: str,
        documentation: str,
        labels: Sequence[str] = (),
        *,
        buckets: Sequence[float],
    ) -> None:
        super().__init__(name, documentation, labels)
        self._buckets = buckets
        self._size = len(buckets) + 2
        self._bounds = [*map(floatToGoString, buckets), "+Inf"]

    def observe(self, value: float) -> None:
        """Add a value to a histogram without labels."""
        self.labels().observe(value)

    def _write(self, totals: Totals) -> Metric:
        family = HistogramMetricFamily(
            self.name, self._documentation, labels=self._labels
        )
        for labels, (*counts, total) in totals.items():
            pairs = zip(self._bounds, accumulate(counts), strict=True)
            family.add_metric(labels, list(pairs), total)
        return family


class Gauge:
    """A number that is looked up when the metrics are read.

    Args:
        name: The name of the metric.
        documentation: What the number is.

    Attributes:
        look_up: Returns the number, or None if there is none.
    """

    def __init__(self, name: str, documentation: str) -> None:
        self.name = name
        self._documentation = documentation
        self.look_up: Callable[[], float | None] = lambda: None

    def collect(self, _totals: Totals) -> Metric:
        """Return the metric with its number, if there is one."""
        family = GaugeMetricFamily(self.name, self._documentation)
        value = self.look_up()
        if value is not None:
            family.add_metric((), value)
        return family


REQUESTS: Final = Counter(
    "accordion_requests",
    "Responses sent, by the name of their operation.",
    ["operation", "status"],
)
REQUEST_SECONDS: Final = Histogram(
    "accordion_request_duration_seconds",
    "Time from the arrival of a request's last byte at this machine to its response, "
    "in seconds; waiting for a worker is part of it.",
    ["operation"],
    buckets=(
        *(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25),
        *(0.5, 1, 2.5, 5, 10, 30),
    ),
)
BACKLOG: Final = Gauge(
    "accordion_backlog_connections",
    "Connections waiting to be accepted by a worker.",
)
CLIENT_TIMEOUTS: Final = Counter(
    "accordion_clients_given_up",
    "Connections that were closed because their client did not send its request, or "
    "read the response, in time.",
    ["waited_for"],
)
GAMES_STARTED: Final = Counter(
    "accordion_games_started", "Games started, by variant.", ["variant"]
)
GAMES_ENDED: Final = Counter(
    "accordion_games_ended",
    "Games that ended; one that is undone and lost again counts twice.",
    ["variant", "status"],
)
HINTS: Final = Counter(
    "accordion_hints", "Hints, solutions and analyses given.", ["variant", "verdict"]
)
SEARCH_SECONDS: Final = Histogram(
    "accordion_search_duration_seconds",
    "Duration of a search by the solver, in seconds.",
    ["variant"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2),
)
STORE_SECONDS: Final = Histogram(
    "accordion_store_duration_seconds",
    "Duration of a round trip to the store, in seconds; failed ones included.",
    buckets=(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1),
)
STORE_ERRORS: Final = Counter(
    "accordion_store_errors", "Round trips to the store that failed.", ["error"]
)

WEBHOOK_DELIVERIES: Final = Counter(
    "accordion_webhook_deliveries",
    "Attempts to deliver to a webhook, and deliveries that were dropped because too "
    "many were waiting.",
    ["outcome"],
)
WEBHOOK_SECONDS: Final = Histogram(
    "accordion_webhook_attempt_duration_seconds",
    "Duration of an attempt to deliver to a webhook, in seconds.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
WEBHOOK_DELAY: Final = Histogram(
    "accordion_webhook_delay_seconds",
    "Time from an event to its delivery to a webhook, in seconds.",
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3600, 21600, 86400),
)


class _Collector:
    """The metrics of this module, as a collector of prometheus_client."""

    def collect(self) -> Iterator[Metric]:
        found: dict[str, dict[Labels, list[float]]] = defaultdict(dict)
        for key, numbers in totals().items():
            name, *labels = json.loads(key)
            found[name][tuple(labels)] = numbers
        for metric in globals().values():
            if isinstance(metric, Counter | Gauge):
                yield metric.collect(found[metric.name])


REGISTRY: Final = CollectorRegistry()
REGISTRY.register(_Collector())


def render() -> bytes:
    """Return the metrics of all processes in Prometheus's text format."""
    return generate_latest(REGISTRY)
