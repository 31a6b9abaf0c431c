"""Starting the service: checks, the solver, the embedded store, then the server."""

import logging
from importlib import import_module
from importlib.util import find_spec

from service.access.api_keys import Keys
from service.config import Settings
from service.logs import log_to_stderr
from service.server import ServeError
from service.server.address import check_address
from service.server.standard_streams import print_line
from service.solver import are_kernels_cached, is_compiled, warm
from service.store.embedded import EmbeddedStore
from service.store.factory import open_store

_LOG = logging.getLogger(__name__)


def serve(settings: Settings) -> None:
    """Serve until a signal to stop.

    Raises:
        SettingsError: A setting cannot be used.
        EmbeddedStoreError: The embedded store cannot run.
        ServeError: The service cannot start for another reason.
    """
    log_to_stderr(settings.log_level)
    check_address(settings.host, settings.port)
    # Only for the errors it can raise: the embedded store has not been started yet.
    open_store(settings)
    if settings.api_keys_file is not None:
        Keys(settings.api_keys_file)
    if find_spec(settings.server) is None:
        raise ServeError(
            f"ACCORDION_SERVER is {settings.server}, which is not installed: "
            f"pip install accordion-service[{settings.server}]."
        )
    _warm_solver()
    server = import_module(f"service.server.{settings.server}")
    if settings.redis_url is not None:
        server.serve(settings, None)
        return
    with EmbeddedStore(settings.data_dir, settings.store_flush) as embedded:
        server.serve(settings, embedded)


def _warm_solver() -> None:
    """Compile the solver before the workers are forked, so that they share it."""
    if not is_compiled():
        print_line("Compiling the solver, which takes up to a minute.")
    warm()
    if not are_kernels_cached():
        _LOG.warning(
            "The compiled solver cannot be saved, so every start compiles it again. "
            "Set NUMBA_CACHE_DIR to a folder that can be written."
        )
