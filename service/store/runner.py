"""Runs commands and scripts on any server that speaks Redis."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha1
from importlib.resources import files
from threading import local
from time import perf_counter
from typing import TypeVar

from redis.exceptions import NoScriptError, RedisError, TryAgainError

from service.metrics import STORE_ERRORS, STORE_SECONDS
from service.store.circuit_breaker import CircuitOpenError
from service.store.connection import Argument, Send, StoreRequest, pack
from service.store.protocol import StoreUnavailableError
from service.store.wire import Reply

Keys = Sequence[bytes]
Args = Sequence[Argument]
T = TypeVar("T")

_GUARDED = b"""
local function guard(KEYS, ARGV)
%s
end
local function guarded(KEYS, ARGV)
%s
end
local keys, args = tonumber(ARGV[1]), tonumber(ARGV[2])
local found = guard({ unpack(KEYS, 1, keys) }, { unpack(ARGV, 3, args + 2) })
if found[#found][1] == 0 then
  return { found }
end
return { found, guarded({ unpack(KEYS, keys + 1) }, { unpack(ARGV, args + 3) }) }
"""
"""A script that runs after a guard. Its first two arguments are the numbers of the
guard's keys and arguments."""


class Script:
    """A Lua script: called by its digest, or sent whole if the server lacks it."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self._digest = sha1(source, usedforsecurity=False).hexdigest().encode()
        self._guarded: dict[Script, Script] = {}

    def guarded_by(self, guard: "Script") -> "Script":
        """The script that runs a guard, and then this script if the guard admits it."""
        if guard not in self._guarded:
            self._guarded[guard] = Script(_GUARDED % (guard.source, self.source))
        return self._guarded[guard]

    def call(self, keys: Keys, args: Args) -> bytes:
        """Encode a call by digest."""
        return pack(b"EVALSHA", self._digest, len(keys), *keys, *args)

    def whole(self, keys: Keys, args: Args) -> bytes:
        """Encode a call with the script's text, which the server then caches."""
        return pack(b"EVAL", self.source, len(keys), *keys, *args)


def read_script(name: str, *, shared: str = "") -> Script:
    """Read a script from its file.

    Args:
        name: the file in `scripts`, without its suffix.
        shared: the file of functions that scripts share, likewise; empty for none.
    """
    folder = files("service.store").joinpath("scripts")
    names = [f"{file}.lua" for file in (shared, name) if file]
    return Script(b"".join(folder.joinpath(file).read_bytes() for file in names))


_GET = read_script("get")


@dataclass
class Guard:
    """A script that runs before the next request, in one step, and may refuse it.

    Attributes:
        script: returns one list for each check; the last list begins with 0 if the
            request is refused.
        refuse: makes the error to raise for a refusal, from the script's reply.
        found: the script's reply; None until it has run.
    """

    script: Script
    keys: Keys
    args: Args
    refuse: Callable[[Reply], Exception]
    found: Reply = None

    def take(self, found: Reply) -> None:
        """Store the script's reply; raise the error of `refuse` if it is a refusal."""
        self.found = found
        if not found[-1][0]:
            raise self.refuse(found)


class _Thread(local):
    guard: Guard | None = None


class Runner:
    """Runs commands and scripts, each on the server that holds its keys.

    Args:
        send: sends a request; it raises the errors of redis-py.
        wait_replicas: how many replicas must hold a write before it is acknowledged.
        timeout: the seconds that an operation may take; replicas get half of them.
    """

    def __init__(self, send: Send, *, wait_replicas: int = 0, timeout: float) -> None:
        self._send = send
        self._thread = _Thread()
        self._replicas = wait_replicas
        self.wait = b""
        if wait_replicas:
            self.wait = pack(b"WAIT", wait_replicas, max(1, int(timeout * 500)))

    def get(self, name: bytes) -> bytes | None:
        """The value of a key, or None if it does not exist."""
        if self._thread.guard is not None:
            return self.get_all(name)[0]
        value: bytes | None = self.read(b"GET", name)
        return value

    def get_all(self, *names: bytes) -> list[bytes | None]:
        """The values of several keys, None for each key that does not exist.

        Raises:
            KeysMovingError: the keys are on several servers for the moment.
        """
        if self._thread.guard is None:
            values: list[bytes | None] = self.read(b"MGET", *names)
        else:
            values = self.script(_GET, names, [])
        return values

    def read(self, command: bytes, name: bytes, *args: Argument) -> Reply:
        """Run a command on the key `name` that only reads, and return the reply."""
        packed = pack(command, name, *args)
        return self.run(StoreRequest(name, packed, 1, repeatable=True))[0]

    def write(self, command: bytes, name: bytes, *args: Argument) -> Reply:
        """As `read`, for a command that writes, once enough replicas hold the write."""
        packed, replies = pack(command, name, *args) + self.wait, 2 if self.wait else 1
        request = StoreRequest(name, packed, replies, repeatable=False)
        return self._held_by_replicas(self.run(request))

    def script(self, script: Script, keys: Keys, args: Args) -> Reply:
        """Run a script that does no harm if executed twice, and return the reply."""
        return self._script(script, keys, args, repeatable=True)[0]

    def write_script(self, script: Script, keys: Keys, args: Args) -> Reply:
        """As `script`, for one that writes, once enough replicas hold the write."""
        return self._held_by_replicas(
            self._script(script, keys, args, repeatable=False)
        )

    def _script(
        self, script: Script, keys: Keys, args: Args, *, repeatable: bool
    ) -> list[Reply]:
        guard = self._take_guard()
        if guard is None:
            return self._call(script, keys, args, repeatable=repeatable)
        (found, *reply), *rest = self._call(
            script.guarded_by(guard.script),
            [*guard.keys, *keys],
            [len(guard.keys), len(guard.args), *guard.args, *args],
            repeatable=repeatable,
        )
        guard.take(found)
        return [*reply, *rest]

    def _call(
        self, script: Script, keys: Keys, args: Args, *, repeatable: bool
    ) -> list[Reply]:
        wait = b"" if repeatable else self.wait
        replies = 2 if wait else 1
        by_digest = script.call(keys, args) + wait
        try:
            return self._measure(StoreRequest(keys[0], by_digest, replies, repeatable))
        except NoScriptError:
            whole = script.whole(keys, args) + wait
            return self._measure(StoreRequest(keys[0], whole, replies, repeatable))

    @contextmanager
    def guarded(self, guard: Guard) -> Iterator[None]:
        """Run a guard with the first request within the `with` statement, if any.

        The guard takes no round trip of its own if that request is a script, or reads
        values by `get` or `get_all`. The store must not be a cluster.

        Raises:
            Exception: the error of `Guard.refuse`; the request was not executed.
        """
        self._thread.guard = guard
        try:
            yield
        finally:
            self._thread.guard = None

    def _take_guard(self) -> Guard | None:
        guard, self._thread.guard = self._thread.guard, None
        return guard

    def _held_by_replicas(self, replies: list[Reply]) -> Reply:
        if self.wait and replies[1] < self._replicas:
            STORE_ERRORS.labels("TooFewReplicas").inc()
            raise StoreUnavailableError(
                f"{replies[1]} of {self._replicas} replicas hold the write"
            )
        return replies[0]

    def run(self, request: StoreRequest) -> list[Reply]:
        """Send a request and return the replies.

        Raises:
            KeysMovingError: its keys are on several servers for the moment.
            StoreUnavailableError: the store is unavailable or refuses.
        """
        guard = self._take_guard()
        if guard is not None:
            found = self._call(guard.script, guard.keys, guard.args, repeatable=True)
            guard.take(found[0])
        return self._measure(request)

    def _measure(self, request: StoreRequest) -> list[Reply]:
        """Send a request, and record its duration and errors in the metrics."""
        start = perf_counter()
        try:
            replies = self._send(request)
        except CircuitOpenError as error:  # nothing was sent
            raise StoreUnavailableError(describe_error(error)) from error
        except RedisError as error:
            STORE_SECONDS.observe(perf_counter() - start)
            if isinstance(error, NoScriptError):
                raise
            STORE_ERRORS.labels(type(error).__name__).inc()
            is_moving = isinstance(error, TryAgainError)
            failure = KeysMovingError if is_moving else StoreUnavailableError
            raise failure(describe_error(error)) from error
        STORE_SECONDS.observe(perf_counter() - start)
        return replies


def pairs_of(found: Sequence[T]) -> Iterator[tuple[T, T]]:
    """Split a reply such as `[name, value, name, value]` into pairs."""
    return zip(found[::2], found[1::2], strict=True)


def describe_error(error: RedisError) -> str:
    """Describe an error of redis-py, without the arguments that a server repeats."""
    text = str(error).partition(", with args")[0]
    return f"{type(error).__name__}: {text}"


class KeysMovingError(StoreUnavailableError):
    """Some keys of a request are on another server; nothing was executed."""
