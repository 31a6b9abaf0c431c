"""What is printed for the operator when the service starts."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from service.server.address import join_address
from service.server.standard_streams import print_line
from service.store.factory import open_store
from service.store.protocol import StoreUnavailableError

if TYPE_CHECKING:
    from service.config import Settings

_RETRY_SECONDS: Final = 5.0


class Readiness:
    """Prints once that the service is ready: that its store accepts writes."""

    def __init__(self, settings: Settings, host: str, port: int) -> None:
        self._ping = open_store(settings).ping
        self._url = f"http://{join_address(host, port)}"
        self._is_ready = False
        self._next_try = 0.0
        self._has_failed = False

    def check(self) -> None:
        """Try a write, unless one has succeeded, or failed in the last five seconds."""
        if self._is_ready or monotonic() < self._next_try:
            return
        try:
            self._ping()
        except StoreUnavailableError as error:
            self._fail(error)
            return
        self._is_ready = True
        print_line(f"Accordion is ready: {self._url}")

    def _fail(self, error: StoreUnavailableError) -> None:
        self._next_try = monotonic() + _RETRY_SECONDS
        if not self._has_failed:
            self._has_failed = True
            print_line(
                f"Accordion is not ready: {self._url} listens, but the store takes no "
                f"writes ({error}). Until it does, requests for games are answered 503."
            )
