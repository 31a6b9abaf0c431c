"""What each worker process does besides answering requests."""

from __future__ import annotations

import logging
import random
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING, Final

from service.clock import now
from service.games.use_cases import make_use_cases
from service.http.schemas.webhooks import BODIES
from service.store.errors import StoreUnavailableError
from service.store.factory import open_store

if TYPE_CHECKING:
    from service.config import Settings
    from service.games.deal_stock import CertifiedDeals
    from service.games.game_end import GameEnds

_SECONDS: Final = 5.0
"""From one look at the duties to the next, on average, in each worker."""
_CANDIDATES: Final = 20
"""Deals that are looked at each time, about 10 ms each, while too few wait."""
_LOG: Final = logging.getLogger(__name__)


def start_sweeping(settings: Settings) -> None:
    """Start the thread that does the duties left by processes that died.

    It also finds certified deals ahead, with a twentieth of a processor's time.
    """
    store = open_store(settings)
    cases = make_use_cases(settings, store, store.runner, now, BODIES)
    args = cases.ends, cases.certified
    Thread(target=_sweep, args=args, name="sweeping", daemon=True).start()


def _sweep(ends: GameEnds, certified: CertifiedDeals) -> None:
    while True:
        sleep(_SECONDS * random.uniform(0.5, 1.5))  # noqa: S311 - no secret
        try:
            ends.sweep()
            certified.fill(_CANDIDATES)
        except StoreUnavailableError as error:
            _LOG.info("duties are looked for later: %s", error)
