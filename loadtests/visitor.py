"""What all simulated users share: asking, checking, thinking."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, NoReturn

import gevent
from locust import FastHttpUser
from locust.exception import RescheduleTask

from loadtests.checks import WrongAnswerError

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_ERRORS_SHOWN = 200


class Visitor(FastHttpUser):
    """A user whose every answer is checked.

    Attributes:
        tempo: the seconds that this kind of user takes to think, least and most.
    """

    abstract = True
    network_timeout = 10.0
    connection_timeout = 10.0
    tempo = (0.5, 3.0)

    def wait_time(self) -> float:
        """The pause between two visits."""
        return self._thought()

    def think(self) -> None:
        """Pause as long as this user takes for a decision."""
        gevent.sleep(self._thought())

    def ask(  # noqa: PLR0913 - the parts of a request, by name
        self,
        method: str,
        path: str,
        name: str,
        *,
        status: int | tuple[int, ...] = 200,
        body: object = None,
        headers: dict[str, str] | None = None,
        check: Callable[[Any], object] | None = None,
        judge: Callable[[Asked], object] | None = None,
    ) -> Asked:
        """Send a request and check its answer.

        Args:
            method: the method.
            path: the path.
            name: under what the request is counted.
            status: what the answer's status may be.
            body: what goes as JSON.
            headers: more fields.
            check: is given the answer's JSON and raises `WrongAnswerError`.
            judge: is given the whole answer, and does the same.

        Raises:
            RescheduleTask: The answer is wrong: the visit ends here, as a failure.
        """
        allowed = (status,) if isinstance(status, int) else status
        with self.client.request(
            method,
            path,
            name=name,
            json=body,
            headers=headers,
            catch_response=True,
        ) as response:
            if response.status_code not in allowed:
                text = (response.text or "")[:_MOST_ERRORS_SHOWN]
                _fail(response, f"status {response.status_code}: {text}")
            try:
                asked = Asked(response)
                if check is not None:
                    check(asked.json)
                if judge is not None:
                    judge(asked)
            except (WrongAnswerError, KeyError, TypeError, ValueError) as error:
                _fail(response, f"{type(error).__name__}: {error}")
            response.success()
        return asked

    def _thought(self) -> float:
        factor: float = self.environment.parsed_options.think
        return factor * random.uniform(*self.tempo)


class Asked:
    """An answer that passed its checks.

    Attributes:
        status: its status.
        etag: its `ETag`, or an empty text.
        json: its body, or None where it is not JSON.
    """

    def __init__(self, response: Any) -> None:  # noqa: ANN401 - locust's is untyped
        self.status: int = response.status_code
        self.etag: str = response.headers.get("ETag", "")
        self.json: Any = response.json() if response.content else None


def _fail(response: Any, why: str) -> NoReturn:  # noqa: ANN401 - locust's is untyped
    response.failure(why)
    raise RescheduleTask
