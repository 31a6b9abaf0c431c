"""Starting everything in its order."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from service.config import Settings
from service.server.address import check_address
from service.server.errors import ServeError
from service.server.on_gunicorn import serve_on_gunicorn
from service.store.embedded import EmbeddedStore
from service.store.opening import open_store


def serve(settings: Settings) -> None:
    """Serve until a signal says stop.

    Raises:
        SettingsError: A setting cannot be used.
        EmbeddedStoreError: The embedded store cannot run.
        ServeError: It cannot start for another reason.
    """
    _log_to_stderr(settings.log_level)
    check_address(settings.host, settings.port)
    open_store(settings)
    serve_on = serve_on_gunicorn
    if settings.server == "granian":
        try:
            serve_on = import_module("service.server.on_granian").serve_on_granian
        except ImportError as error:
            raise ServeError(
                "ACCORDION_SERVER is granian, which is not installed: "
                "pip install accordion-service[granian]."
            ) from error
    with _embedded_store(settings) as embedded:
        serve_on(settings, embedded)


@contextmanager
def _embedded_store(settings: Settings) -> Iterator[EmbeddedStore | None]:
    if settings.redis_url is not None:
        yield None
        return
    with EmbeddedStore(settings.data_dir, settings.store_flush) as embedded:
        yield embedded


def _log_to_stderr(level: str) -> None:
    logging.basicConfig(
        stream=sys.stderr,
        level=level.upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
