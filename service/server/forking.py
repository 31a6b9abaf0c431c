"""What both servers do before they fork workers, and at the start of each worker."""

from __future__ import annotations

import gc
import logging
import random
from threading import Thread
from time import sleep, thread_time
from typing import TYPE_CHECKING, Final

from service.clock import now
from service.games.use_cases import make_use_cases
from service.http.schemas.webhooks import BODIES
from service.store.factory import open_store
from service.store.processes import stop_with_parent
from service.store.protocol import StoreUnavailableError

if TYPE_CHECKING:
    from service.config import Settings
    from service.games.use_cases import UseCases

_SECONDS: Final = 5.0
"""The mean time between two rounds of a worker's thread."""
_CERTIFYING_SECONDS: Final = 0.25
"""The CPU time of a round for certified deals, while too few are waiting."""
_LOG: Final = logging.getLogger(__name__)


def freeze() -> None:
    """Exclude all objects that exist now from garbage collection.

    Workers forked afterwards share their memory; the collector would write to each
    object, and so copy it.
    """
    gc.collect()
    gc.freeze()


def begin_worker(settings: Settings) -> None:
    """Make a forked worker end with its parent, and start its second thread.

    The thread performs duties left by processes that died, and finds certified deals in
    advance, which takes at most about a twentieth of a processor.
    """
    stop_with_parent()
    store = open_store(settings)
    cases = make_use_cases(settings, store, store.runner, now, BODIES)
    Thread(target=_sweep, args=(cases,), name="sweeping", daemon=True).start()


def _sweep(cases: UseCases) -> None:
    while True:
        sleep(_SECONDS * random.uniform(0.5, 1.5))  # noqa: S311 - no secret
        try:
            cases.ends.sweep()
            _certify_deals(cases)
        except StoreUnavailableError as error:
            _LOG.info("duties and deals are left for the next round: %s", error)


def _certify_deals(cases: UseCases) -> None:
    end = thread_time() + _CERTIFYING_SECONDS
    cases.certified.fill(lambda: thread_time() < end)
