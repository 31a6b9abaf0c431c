"""The store that the settings name."""

from service.config import Settings, SettingsError
from service.store.embedded import embedded_url
from service.store.held import HeldConnection, connector
from service.store.redis import RedisStore


def store_url(settings: Settings) -> str:
    """The URL of the store: the configured one, or the embedded one's."""
    return settings.redis_url or embedded_url(settings.data_dir)


def open_store(settings: Settings) -> RedisStore:
    """The store, ready for use by any thread of this process or of its children.

    Nothing is connected until the first use.

    Raises:
        SettingsError: the URL has an option that no connection has.
    """
    try:
        connect = connector(store_url(settings))
    except ValueError as error:
        raise SettingsError(f"ACCORDION_REDIS_URL cannot be used: {error}.") from error
    return RedisStore(
        HeldConnection(connect, settings.store_timeout),
        game_ttl=settings.game_ttl,
        wait_replicas=settings.wait_replicas,
        timeout=settings.store_timeout,
    )
