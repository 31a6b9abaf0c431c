"""Counts of requests for rate limits, shared by all processes.

A strategy is a script in `scripts/limits` that counts one request for all limits of a
client in one step, up to the first limit that refuses it. The library `limits` is not
used: it asks the store once for each limit, and again for what is left of it.
"""

from collections.abc import Callable, Sequence
from importlib.resources import files
from math import ceil
from typing import NamedTuple

from service.store.keyspace import count_name
from service.store.runner import Guard, Runner, read_script
from service.store.wire import Reply

_FOLDER, _SUFFIX = "limits", ".lua"


class Limit(NamedTuple):
    """One rate limit.

    Attributes:
        name: such as `600/minute`.
        quota: the number of requests allowed in a window.
        window: the length of the window in seconds.
    """

    name: str
    quota: int
    window: int


class LimitResult(NamedTuple):
    """The result of one limit for a request.

    Attributes:
        name: the name of the limit.
        admitted: whether the limit admits the request.
        left: how many more requests the limit admits now.
        seconds: the time until the full quota is available again; for a refused
            request, the time until another one can be admitted.
    """

    name: str
    admitted: bool
    left: int
    seconds: float

    @property
    def reset(self) -> int:
        """`seconds`, rounded up to a whole number, at least 1."""
        return max(1, ceil(self.seconds))


def strategies() -> list[str]:
    """The names of the strategies, such as `fixed-window`."""
    scripts = files("service.store").joinpath("scripts", _FOLDER).iterdir()
    names = (script.name for script in scripts if script.name.endswith(_SUFFIX))
    return sorted(name.removesuffix(_SUFFIX).replace("_", "-") for name in names)


class LimitCounter:
    """Counts the requests of clients on any server that speaks Redis.

    If a connection breaks while a request is counted, it may be counted twice, but it
    is never left out.

    Args:
        runner: runs scripts on the servers.
        limits: the limits, in the order in which they are checked.
        strategy: one of `strategies()`.
    """

    def __init__(self, runner: Runner, limits: Sequence[Limit], strategy: str) -> None:
        self._runner = runner
        self._names = [limit.name for limit in limits]
        self._script = read_script(f"{_FOLDER}/{strategy.replace('-', '_')}")
        self._args = [n for limit in limits for n in (limit.quota, 1000 * limit.window)]

    def count(self, client: str) -> list[LimitResult]:
        """Count a request for each limit, up to the first that refuses it.

        Returns:
            A result for each of those limits.

        Raises:
            StoreUnavailableError: the store cannot count.
        """
        keys = self._keys(client)
        return self.read(self._runner.script(self._script, keys, self._args))

    def guard(
        self, client: str, refuse: Callable[[list[LimitResult]], Exception]
    ) -> Guard:
        """The guard that counts a request along with its first request to the store.

        Args:
            client: the client that sent the request.
            refuse: makes the error to raise if a limit refuses the request.
        """
        keys = self._keys(client)
        return Guard(self._script, keys, self._args, lambda it: refuse(self.read(it)))

    def read(self, found: Reply) -> list[LimitResult]:
        """Convert the reply of the script to results."""
        return [
            LimitResult(name, bool(admitted), left, rest / 1000)
            for name, (admitted, left, rest) in zip(self._names, found, strict=False)
        ]

    def _keys(self, client: str) -> list[bytes]:
        return [count_name(client, name) for name in self._names]
