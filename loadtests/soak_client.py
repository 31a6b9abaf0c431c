"""An HTTP client that sends a request until it is answered, and records failures."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from sys import intern
from typing import TYPE_CHECKING

from loadtests.http_client import Address, Connection, Response

if TYPE_CHECKING:
    from random import Random

OK, CREATED, NO_CONTENT, NOT_MODIFIED = 200, 201, 204, 304
NOT_FOUND, CONFLICT, PRECONDITION_FAILED = 404, 409, 412
_SERVER_ERROR, _UNAVAILABLE = 500, 503
_IN_FLIGHT = "/problems/idempotency-in-flight"

_TIMEOUT_SECONDS = 30.0
"""Long, since a request is processed even if its client has disconnected."""
_RETRY_SECONDS = (0.02, 0.4)


class NotAnsweredError(Exception):
    """A request got no response although it was sent repeatedly."""


@dataclass
class Observations:
    """What the clients of a soak test observed. Any thread may append."""

    statuses: list[str] = field(default_factory=list)  # "none" without a response
    events: list[str] = field(default_factory=list)  # names of other events to count
    unavailable_seconds: list[float] = field(default_factory=list)  # of each 503
    losses: list[str] = field(default_factory=list)  # contradict acknowledged writes
    errors: list[str] = field(default_factory=list)

    @property
    def interrupted(self) -> int:
        """The number of requests that got a 503 or no response."""
        return self.statuses.count("503") + self.statuses.count("none")


class RetryingClient:
    """Sends requests until they are answered, for `give_up_seconds` at most.

    Every request has the API key, if there is one.
    """

    def __init__(
        self,
        address: Address,
        observations: Observations,
        random: Random,
        give_up_seconds: float,
        key: str = "",
    ) -> None:
        self._address = address
        self._observations = observations
        self._random = random
        self._give_up_seconds = give_up_seconds
        self._field = f"\r\nAuthorization: Bearer {key}\r\n" if key else "\r\n"

    def try_once(self, request: bytes) -> Response | None:
        """Send a request once.

        Returns:
            The response; None if it is missing, 503, or "in flight".
        """
        started = time.monotonic()
        with Connection(self._address, _TIMEOUT_SECONDS) as connection:
            try:
                field = self._field.encode()
                response = connection.send(request.replace(b"\r\n", field, 1))
            except OSError:
                self._observations.statuses.append("none")
                return None
        self._observations.statuses.append(intern(str(response.status)))
        if response.status == _UNAVAILABLE:
            self._observations.unavailable_seconds.append(time.monotonic() - started)
        elif response.status >= _SERVER_ERROR:
            self._report(request, f"{response.status} {response.body!r}")
        if response.status == _UNAVAILABLE or problem_type(response) == _IN_FLIGHT:
            if not response.headers.get("retry-after", "").isdigit():
                self._report(request, "no Retry-After")
            return None
        return response

    def send(self, request: bytes) -> Response:
        """Send a request, which may safely be repeated, until it is answered.

        Raises:
            NotAnsweredError: It was not answered in time.
        """
        started = time.monotonic()
        while (response := self.try_once(request)) is None:
            self.wait(started, request)
            self._observations.events.append("requests sent again")
        return response

    def wait(self, started: float, request: bytes) -> None:
        """Wait before a request that was first sent at `started` is sent again.

        Raises:
            NotAnsweredError: It has been tried for too long.
        """
        if time.monotonic() - started > self._give_up_seconds:
            raise NotAnsweredError(_first_line(request))
        time.sleep(self._random.uniform(*_RETRY_SECONDS))

    def _report(self, request: bytes, error: str) -> None:
        self._observations.errors.append(f"{_first_line(request)}: {error}")


def problem_type(response: Response) -> str:
    """The type of the problem document in a response; empty if there is none."""
    if response.headers.get("content-type") != "application/problem+json":
        return ""
    found: str = response.json()["type"]
    return found


def _first_line(request: bytes) -> str:
    return request.partition(b"\r\n")[0].decode()
