"""The store that the settings name."""

from service.config import Settings, SettingsError
from service.store.circuit_breaker import SparingLink, pause_after
from service.store.cluster import ClusterGuide, GuidedLink, SentinelGuide
from service.store.connection import HeldConnection, connector
from service.store.counter import Counter
from service.store.embedded import embedded_url
from service.store.instrumented import ObservedLink
from service.store.keyspace import CLUSTER_PROBES, PROBE
from service.store.redis import RedisStore
from service.store.runner import Link
from service.store.servers import Servers, names_cluster, names_several


def store_url(settings: Settings) -> str:
    """The URL of the store: the configured one, or the embedded one's."""
    return settings.redis_url or embedded_url(settings.data_dir)


_COUNTING_SHARE = 3
"""All counting for a request may take this part of an operation's time."""


def open_store(settings: Settings) -> RedisStore:
    """The store, ready for use by any thread of this process or of its children.

    Nothing is connected until the first use.

    Raises:
        SettingsError: the URL has an option that no connection has.
    """
    return RedisStore(
        _open(settings, settings.store_timeout),
        game_ttl=settings.game_ttl,
        wait_replicas=settings.wait_replicas,
        timeout=settings.store_timeout,
        probes=CLUSTER_PROBES if names_cluster(store_url(settings)) else [PROBE],
    )


def open_counter(settings: Settings, counts: int) -> Counter:
    """Counts in the store, for any thread of this process or of its children.

    `counts` says how many a request adds to: together they come on top of its four
    operations, and still leave it within two seconds.

    Raises:
        SettingsError: the URL has an option that no connection has.
    """
    timeout = settings.store_timeout / _COUNTING_SHARE / counts
    return Counter(_open(settings, timeout))


def _open(settings: Settings, timeout: float) -> Link:
    url = store_url(settings)
    try:
        link = ObservedLink(open_link(url, timeout))
    except ValueError as error:
        raise SettingsError(f"ACCORDION_REDIS_URL cannot be used: {error}.") from error
    if names_several(url):  # that link spares each of its servers by itself
        return link
    return SparingLink(link, pause_after(timeout))


def open_link(url: str, timeout: float) -> Link:
    """The way to the server, or the servers, that a URL names.

    Raises:
        ValueError: the URL has an option that no connection has.
    """
    if not names_several(url):
        return HeldConnection(connector(url), timeout)
    servers = Servers(url)
    guide = SentinelGuide(servers.sentinel) if servers.sentinel else ClusterGuide()
    return GuidedLink(servers, guide, timeout)
