"""Opens the store that the settings name."""

from collections.abc import Sequence

from service.config import Settings, SettingsError
from service.store.circuit_breaker import CircuitBreaker
from service.store.cluster import ClusterTopology, RoutedLink, SentinelTopology
from service.store.connection import HeldConnection, Send
from service.store.embedded import embedded_url
from service.store.keyspace import CLUSTER_PROBES, PROBE
from service.store.limit_counter import Limit, LimitCounter, strategies
from service.store.redis import RedisStore
from service.store.runner import Runner
from service.store.servers import Servers, names_cluster, names_several
from service.store.wire import connector


def store_url(settings: Settings) -> str:
    """The configured URL of the store, or else the URL of the embedded store."""
    return settings.redis_url or embedded_url(settings.data_dir)


_COUNTING_SHARE = 3
"""Counting a request may take the time-out of an operation divided by this."""


def is_cluster(settings: Settings) -> bool:
    """Whether the store is a cluster, whose keys are divided among several servers."""
    return names_cluster(store_url(settings))


def open_store(settings: Settings) -> RedisStore:
    """The store, for any thread of this process or of its children.

    It connects on first use.

    Raises:
        SettingsError: the URL cannot be used, for example because of an unknown option.
    """
    return RedisStore(
        _open(settings, settings.store_timeout),
        game_ttl=settings.game_ttl,
        wait_replicas=settings.wait_replicas,
        timeout=settings.store_timeout,
        probes=CLUSTER_PROBES if is_cluster(settings) else [PROBE],
    )


def open_limit_counter(settings: Settings, limits: Sequence[Limit]) -> LimitCounter:
    """A counter for rate limits, for any thread of this process or of its children.

    With the default time-out, counting and the up to four store operations of a request
    take less than two seconds in total.

    Raises:
        SettingsError: the URL cannot be used, or the strategy does not exist.
    """
    known, strategy = strategies(), settings.rate_limit_strategy
    if strategy not in known:
        raise SettingsError(
            f"ACCORDION_RATE_LIMIT_STRATEGY must be one of {', '.join(known)}, "
            f"not {strategy!r}."
        )
    timeout = settings.store_timeout / _COUNTING_SHARE
    runner = Runner(_open(settings, timeout), timeout=timeout)
    return LimitCounter(runner, limits, strategy)


def _open(settings: Settings, timeout: float) -> Send:
    try:
        link = open_link(store_url(settings), timeout)
    except ValueError as error:
        raise SettingsError(f"ACCORDION_REDIS_URL cannot be used: {error}.") from error
    if isinstance(link, RoutedLink):  # which has its own circuit breaker
        return link.run
    breaker = CircuitBreaker(timeout)
    return lambda request: breaker.run(None, link.run, request)


def open_link(url: str, timeout: float) -> HeldConnection | RoutedLink:
    """The link to the server or servers that a URL names; it connects on first use.

    Raises:
        ValueError: the URL cannot be used, for example because of an unknown option.
    """
    if not names_several(url):
        return HeldConnection(connector(url), timeout)
    servers = Servers(url)
    if servers.sentinel:
        return RoutedLink(servers, SentinelTopology(servers.sentinel), timeout)
    return RoutedLink(servers, ClusterTopology(), timeout)
