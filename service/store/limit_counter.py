"""Counts of requests for rate limits, shared by all processes.

A strategy is a script in `scripts/limits`, which counts one request for all limits of
a client in one step, up to the first limit that refuses it. Own code, as the library
`limits` asks the store once for each limit, and again for what is left of it.
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
        name: the limit, such as `600/minute`.
        quota: the requests in a window.
        window: the seconds of a window.
    """

    name: str
    quota: int
    window: int


class LimitResult(NamedTuple):
    """The result of one limit for a request.

    Attributes:
        name: the limit.
        admitted: whether the limit admits it.
        left: the requests left.
        seconds: until all are there again; where it is refused, how long all others
            are refused too.
    """

    name: str
    admitted: bool
    left: int
    seconds: float

    @property
    def reset(self) -> int:
        """Those seconds as a whole number, at least 1."""
        return max(1, ceil(self.seconds))


def strategies() -> list[str]:
    """The names of the strategies, such as `fixed-window`."""
    scripts = files("service.store").joinpath("scripts", _FOLDER).iterdir()
    names = (script.name for script in scripts if script.name.endswith(_SUFFIX))
    return sorted(name.removesuffix(_SUFFIX).replace("_", "-") for name in names)


class LimitCounter:
    """Counts the requests of clients on any server that speaks Redis.

    If a connection breaks in between, a request may be counted twice, never omitted.

    Args:
        runner: runs scripts on the servers.
        limits: the limits, in the order in which they are asked.
        strategy: one of `strategies()`.
    """

    def __init__(self, runner: Runner, limits: Sequence[Limit], strategy: str) -> None:
        self._runner = runner
        self._names = [limit.name for limit in limits]
        self._script = read_script(f"{_FOLDER}/{strategy.replace('-', '_')}")
        self._args = [n for limit in limits for n in (limit.quota, 1000 * limit.window)]

    def count(self, client: str) -> list[LimitResult]:
        """Count a request for each limit, up to the first that refuses it.

        Raises:
            StoreUnavailableError: the store cannot count.
        """
        keys = self._keys(client)
        return self.read(self._runner.script(self._script, keys, self._args))

    def guard(
        self, client: str, refuse: Callable[[list[LimitResult]], Exception]
    ) -> Guard:
        """What counts a request together with the first thing that it asks the store.

        Args:
            client: who sent it.
            refuse: makes the error of a request that is refused.
        """
        keys = self._keys(client)
        return Guard(self._script, keys, self._args, lambda it: refuse(self.read(it)))

    def read(self, found: Reply) -> list[LimitResult]:
        """Read what the script has returned."""
        return [
            LimitResult(name, bool(admitted), left, rest / 1000)
            for name, (admitted, left, rest) in zip(self._names, found, strict=False)
        ]

    def _keys(self, client: str) -> list[bytes]:
        return [count_name(client, name) for name in self._names]
