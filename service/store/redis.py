"""The store on any server that speaks Redis: Redis 6 or newer, or Valkey.

A game is one string: its revision, four bytes, and its payload. A request that can be
sent again is another: 'P', the claim's token (8 bytes), its fingerprint (16) and its
note while it runs; 'A', the fingerprint and the answer afterwards.
"""

from collections.abc import Sequence
from hashlib import sha1
from importlib.resources import files
from secrets import token_bytes
from struct import Struct
from time import monotonic
from typing import Protocol

from redis.exceptions import NoScriptError, RedisError, TryAgainError

from service.store.connection import Reply, Request, pack
from service.store.errors import StoreUnavailableError
from service.store.keyspace import PROBE, claim_name, game_name
from service.store.protocol import (
    GONE,
    Answered,
    Claim,
    Done,
    GameKey,
    Gone,
    IdempotencyKey,
    InFlight,
    KeptAnswer,
    Stale,
    Stored,
)

ANSWER_LIFE_MS = b"%d" % (24 * 3600 * 1000)
"""How long an answer can be asked for again."""

CLAIM_LEASE_MS = b"5000"
"""How long a request has before another with its key may take its place."""

_PROBING_SHARE = 3
"""After so many times an operation's time, no further server is asked for a sign."""

_REVISION = Struct(">I")
_PENDING, _ANSWERED = b"P", b"A"
_TOKEN_SIZE, _FINGERPRINT_SIZE = 8, 16
_TOKEN_END = 1 + _TOKEN_SIZE
_NOTE_START = _TOKEN_END + _FINGERPRINT_SIZE
_ANSWER_START = 1 + _FINGERPRINT_SIZE


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


_REPLACE = Script("replace")
_DELETE = Script("delete")
_CLAIM = Script("claim")
_SETTLE = Script("settle")
_RELEASE = Script("release")
_KEEP = Script("keep")
_CONFIRM = Script("confirm")


class RedisStore:
    """A `GameStore` on a server, or a cluster of them, that speaks Redis.

    Args:
        link: the way to the servers.
        game_ttl: the seconds that a game lives after its last write.
        wait_replicas: how many replicas must hold a write before it counts.
        timeout: the seconds that an operation may take.
        probes: keys of which one must take a write for the store to be ready.
    """

    def __init__(
        self,
        link: Link,
        *,
        game_ttl: int,
        wait_replicas: int = 0,
        timeout: float,
        probes: Sequence[bytes] = (PROBE,),
    ) -> None:
        self._link = link
        self._life = b"%d" % (game_ttl * 1000)
        self._replicas = wait_replicas
        self._wait = b""
        if wait_replicas:
            self._wait = pack(b"WAIT", wait_replicas, max(1, int(timeout * 500)))
        self._probes = probes
        self._probed = 0
        self._probing_seconds = timeout * _PROBING_SHARE

    def create(self, key: GameKey, payload: bytes) -> bool:
        """See `GameStore.create`."""
        name = game_name(key)
        value = _REVISION.pack(1) + payload
        packed = pack(b"SET", name, value, b"NX", b"PX", self._life)
        if self._write(name, packed) is None:
            self._confirm(name)
            return False
        return True

    def load(
        self, key: GameKey, request: IdempotencyKey | None = None
    ) -> Stored | None:
        """See `GameStore.load`."""
        name = game_name(key)
        if request is None:
            value = self._get(name)
            return None if value is None else Stored(_revision(value), value[4:])
        value, kept = self._get_both(name, claim_name(request))
        if value is None:
            return None
        return Stored(_revision(value), value[4:], self._answered(request, kept))

    def replace(
        self,
        key: GameKey,
        expected: int,
        payload: bytes,
        known: bytes = b"",
        answer: KeptAnswer | None = None,
    ) -> Done | Stale | Gone | Answered:
        """See `GameStore.replace`."""
        before, after = _REVISION.pack(expected), _REVISION.pack(expected + 1)
        names, args = [game_name(key)], [before + known, after + payload, self._life]
        if answer is not None:
            names.append(claim_name(answer.key))
            args += [_answer_record(answer), ANSWER_LIFE_MS]
        try:
            reply = self._write_script(_REPLACE, names, args)
        except _KeysMovingError:
            # A cluster whose slot is moving takes both keys where both of them exist.
            self._write(
                names[1], pack(b"SET", names[1], _PENDING, b"NX", b"PX", b"5000")
            )
            reply = self._write_script(_REPLACE, names, args)
        if reply == 1:
            return Done(expected + 1)
        if isinstance(reply, list):
            return _read_answer(reply[0])
        return _refused(reply)

    def keep(self, answer: KeptAnswer) -> Answered | None:
        """See `GameStore.keep`."""
        args = [_answer_record(answer), ANSWER_LIFE_MS]
        found = self._write_script(_KEEP, [claim_name(answer.key)], args)
        return _read_answer(found) if found else None

    def delete(self, key: GameKey, expected: int | None = None) -> Done | Stale | Gone:
        """See `GameStore.delete`; `Done` has the revision that was deleted."""
        wanted = b"" if expected is None else _REVISION.pack(expected)
        reply = self._write_script(_DELETE, [game_name(key)], [wanted])
        return Done(_revision(reply[0])) if isinstance(reply, list) else _refused(reply)

    def claim(
        self, key: IdempotencyKey, fingerprint: bytes, note: bytes = b""
    ) -> Claim | Answered | InFlight:
        """See `GameStore.claim`."""
        name, token = claim_name(key), token_bytes(_TOKEN_SIZE)
        record = _PENDING + token + fingerprint + note
        args = [record, ANSWER_LIFE_MS, CLAIM_LEASE_MS]
        held: bytes = self._script(_CLAIM, [name], args, repeatable=True)[0]
        if held.startswith(_ANSWERED):
            self._confirm(name)
            return _read_answer(held)
        found = held[_TOKEN_END:_NOTE_START]
        if held[1:_TOKEN_END] != token:
            return InFlight(found)
        return Claim(key, found, token, held[_NOTE_START:])

    def settle(self, claim: Claim, answer: bytes) -> bool:
        """See `GameStore.settle`."""
        record = _ANSWERED + claim.fingerprint + answer
        args = [_PENDING + claim.token, record, ANSWER_LIFE_MS]
        return bool(self._write_script(_SETTLE, [claim_name(claim.key)], args))

    def release(self, claim: Claim) -> None:
        """See `GameStore.release`."""
        mark = _PENDING + claim.token
        self._script(_RELEASE, [claim_name(claim.key)], [mark], repeatable=True)

    def ping(self) -> None:
        """See `GameStore.ping`; of several servers one that takes writes will do."""
        until = monotonic() + self._probing_seconds
        first, total = self._probed, len(self._probes)
        for number in range(first, first + total):
            try:
                self._probe(self._probes[number % total])
            except StoreUnavailableError:
                if number == first + total - 1 or monotonic() > until:
                    raise
            else:
                self._probed = number % total  # asked first the next time
                return

    def _probe(self, name: bytes) -> None:
        packed = pack(b"SET", name, b"1", b"PX", 1000)
        self._run(Request(name, packed, 1, repeatable=True))

    def _get(self, name: bytes) -> bytes | None:
        packed = pack(b"GET", name)
        value: bytes | None = self._run(Request(name, packed, 1, repeatable=True))[0]
        return value

    def _get_both(self, name: bytes, other: bytes) -> tuple[bytes | None, bytes | None]:
        packed = pack(b"MGET", name, other)
        try:
            value, kept = self._run(Request(name, packed, 1, repeatable=True))[0]
        except _KeysMovingError:
            return self._get(name), self._get(other)
        return value, kept

    def _answered(self, request: IdempotencyKey, kept: bytes | None) -> Answered | None:
        """Read the answer that is kept for a request."""
        if kept is None or not kept.startswith(_ANSWERED):
            return None
        self._confirm(claim_name(request))
        return _read_answer(kept)

    def _confirm(self, name: bytes) -> None:
        """Have what is stored held by the replicas, as its own write may not be yet."""
        if self._wait and not self._write_script(_CONFIRM, [name], []):
            raise StoreUnavailableError("what was just read is not there any more")

    def _script(
        self,
        script: Script,
        keys: Args,
        args: Args,
        *,
        repeatable: bool,
        wait: bytes = b"",
    ) -> list[Reply]:
        replies = 2 if wait else 1
        by_digest = script.call(keys, args) + wait
        try:
            return self._run(Request(keys[0], by_digest, replies, repeatable))
        except _ScriptMissingError:
            whole = script.whole(keys, args) + wait
            return self._run(Request(keys[0], whole, replies, repeatable))

    def _write_script(self, script: Script, keys: Args, args: Args) -> Reply:
        replies = self._script(script, keys, args, repeatable=False, wait=self._wait)
        return self._held_by_replicas(replies)

    def _write(self, name: bytes, packed: bytes) -> Reply:
        replies = 2 if self._wait else 1
        request = Request(name, packed + self._wait, replies, repeatable=False)
        return self._held_by_replicas(self._run(request))

    def _held_by_replicas(self, replies: list[Reply]) -> Reply:
        if self._wait and replies[1] < self._replicas:
            raise StoreUnavailableError(
                f"{replies[1]} of {self._replicas} replicas hold the write"
            )
        return replies[0]

    def _run(self, request: Request) -> list[Reply]:
        try:
            return self._link.run(request)
        except NoScriptError as error:
            raise _ScriptMissingError from error
        except TryAgainError as error:
            raise _KeysMovingError(reason_of(error)) from error
        except RedisError as error:
            raise StoreUnavailableError(reason_of(error)) from error


def reason_of(error: RedisError) -> str:
    """Say why the driver failed, without what a server repeats of a command."""
    text = str(error).partition(", with args")[0]
    return f"{type(error).__name__}: {text}"


class _KeysMovingError(StoreUnavailableError):
    """Of the keys of a request some are on another server; nothing was executed."""


class _ScriptMissingError(Exception):
    """The server does not have the script; nothing was executed."""


def _revision(value: bytes) -> int:
    if len(value) < _REVISION.size:
        raise StoreUnavailableError("a stored game is damaged")
    revision: int = _REVISION.unpack_from(value)[0]
    return revision


def _refused(found: bytes) -> Stale | Gone:
    return Stale(_revision(found), found[_REVISION.size :]) if found else GONE


def _answer_record(answer: KeptAnswer) -> bytes:
    return _ANSWERED + answer.fingerprint + answer.answer


def _read_answer(record: bytes) -> Answered:
    return Answered(record[1:_ANSWER_START], record[_ANSWER_START:])
