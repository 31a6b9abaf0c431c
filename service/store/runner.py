"""Running commands and scripts on any server that speaks Redis."""

from collections.abc import Sequence
from hashlib import sha1
from importlib.resources import files
from typing import Protocol

from redis.exceptions import NoScriptError, RedisError, TryAgainError

from service.metrics import STORE_ERRORS
from service.store.connection import Request, pack
from service.store.errors import StoreUnavailableError
from service.store.wire import Reply

Args = Sequence[bytes]


class Link(Protocol):
    """The way to the server that holds a key."""

    def run(self, request: Request) -> list[Reply]:
        """Send a request and read its replies; the driver's errors pass through."""


class Script:
    """A Lua script: called by its digest, sent whole where the server lacks it."""

    def __init__(self, name: str) -> None:
        source = files("service.store").joinpath("scripts", f"{name}.lua").read_bytes()
        self._source = source
        self._digest = sha1(source, usedforsecurity=False).hexdigest().encode()

    def call(self, keys: Args, args: Args) -> bytes:
        """The call by digest."""
        return pack(b"EVALSHA", self._digest, len(keys), *keys, *args)

    def whole(self, keys: Args, args: Args) -> bytes:
        """The call with the script's text, which the server keeps from then on."""
        return pack(b"EVAL", self._source, len(keys), *keys, *args)


class Runner:
    """Runs commands and scripts, each on the server that holds its keys.

    Args:
        link: the way to the servers.
        wait_replicas: how many replicas must hold a write before it counts.
        timeout: the seconds that an operation may take.
    """

    def __init__(self, link: Link, *, wait_replicas: int = 0, timeout: float) -> None:
        self._link = link
        self._replicas = wait_replicas
        self.wait = b""
        if wait_replicas:
            self.wait = pack(b"WAIT", wait_replicas, max(1, int(timeout * 500)))

    def get(self, name: bytes) -> bytes | None:
        """The value of a key, or None."""
        value: bytes | None = self.read(name, pack(b"GET", name))
        return value

    def read(self, name: bytes, packed: bytes) -> Reply:
        """The reply to one command that writes nothing."""
        return self.run(Request(name, packed, 1, repeatable=True))[0]

    def script(
        self,
        script: Script,
        keys: Args,
        args: Args,
        *,
        repeatable: bool,
        wait: bytes = b"",
    ) -> list[Reply]:
        """The replies to a script, and to the wait behind it where there is one."""
        replies = 2 if wait else 1
        by_digest = script.call(keys, args) + wait
        try:
            return self.run(Request(keys[0], by_digest, replies, repeatable))
        except _ScriptMissingError:
            whole = script.whole(keys, args) + wait
            return self.run(Request(keys[0], whole, replies, repeatable))

    def write_script(self, script: Script, keys: Args, args: Args) -> Reply:
        """The reply to a script that writes, once enough replicas hold it."""
        replies = self.script(script, keys, args, repeatable=False, wait=self.wait)
        return self._held_by_replicas(replies)

    def write(self, name: bytes, packed: bytes) -> Reply:
        """The reply to one command that writes, once enough replicas hold it."""
        replies = 2 if self.wait else 1
        request = Request(name, packed + self.wait, replies, repeatable=False)
        return self._held_by_replicas(self.run(request))

    def _held_by_replicas(self, replies: list[Reply]) -> Reply:
        if self.wait and replies[1] < self._replicas:
            STORE_ERRORS.labels("TooFewReplicas").inc()
            raise StoreUnavailableError(
                f"{replies[1]} of {self._replicas} replicas hold the write"
            )
        return replies[0]

    def run(self, request: Request) -> list[Reply]:
        """The replies to a request.

        Raises:
            KeysMovingError: its keys are on several servers for the moment.
            StoreUnavailableError: the store cannot do its part.
        """
        try:
            return self._link.run(request)
        except NoScriptError as error:
            raise _ScriptMissingError from error
        except TryAgainError as error:
            raise KeysMovingError(reason_of(error)) from error
        except RedisError as error:
            raise StoreUnavailableError(reason_of(error)) from error


def reason_of(error: RedisError) -> str:
    """Say why the driver failed, without what a server repeats of a command."""
    text = str(error).partition(", with args")[0]
    return f"{type(error).__name__}: {text}"


class KeysMovingError(StoreUnavailableError):
    """Of the keys of a request some are on another server; nothing was executed."""


class _ScriptMissingError(Exception):
    """The server does not have the script; nothing was executed."""
