"""The store on any server that speaks Redis: Redis 6 or newer, or Valkey.

A game is one string: its revision (4 bytes, big-endian) and its payload. A request that
may be sent again is another string: while it runs, 'P', the claim's token (8 bytes),
its fingerprint (16 bytes) and its note; afterwards, 'A', the fingerprint and the
answer.
"""

from collections.abc import Sequence
from secrets import token_bytes
from struct import Struct
from time import monotonic

from service.store.connection import Argument, Send
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
    StoreUnavailableError,
)
from service.store.runner import Args, KeysMovingError, Runner, read_script

ANSWER_LIFE_MS = 24 * 3600 * 1000
"""How long an answer is kept."""

CLAIM_LEASE_MS = 5000
"""How long a claim is held before the same request, sent again, may take it over."""

_PROBING_SHARE = 3
"""`ping` tries no further server once this many times the time-out have passed."""

_REVISION = Struct(">I")
_PENDING, _ANSWERED = b"P", b"A"
_TOKEN_SIZE, _FINGERPRINT_SIZE = 8, 16
_TOKEN_END = 1 + _TOKEN_SIZE
_NOTE_START = _TOKEN_END + _FINGERPRINT_SIZE
_ANSWER_START = 1 + _FINGERPRINT_SIZE


_REPLACE = read_script("replace")
_DELETE = read_script("delete")
_CLAIM = read_script("claim")
_SETTLE = read_script("settle")
_RELEASE = read_script("release")
_KEEP = read_script("keep")
_CONFIRM = read_script("confirm")
_PROBE = read_script("probe")


class RedisStore:
    """A `GameStore` on a server, or a cluster of them, that speaks Redis.

    Args:
        send: as in `Runner`.
        game_ttl: the seconds that a game lives after its last write.
        wait_replicas: as in `Runner`.
        timeout: the seconds that an operation may take.
        probes: keys to probe; the store is ready if one of them can be written.

    Attributes:
        runner: runs commands and scripts on the servers.
    """

    def __init__(
        self,
        send: Send,
        *,
        game_ttl: int,
        wait_replicas: int = 0,
        timeout: float,
        probes: Sequence[bytes] = (PROBE,),
    ) -> None:
        self.runner = Runner(send, wait_replicas=wait_replicas, timeout=timeout)
        self._life = game_ttl * 1000
        self._probes = probes
        self._probed = 0
        self._probing_seconds = timeout * _PROBING_SHARE

    def create(self, key: GameKey, payload: bytes) -> bool:
        """See `GameStore.create`."""
        name = game_name(key)
        value = _REVISION.pack(1) + payload
        options = (b"NX", b"PX", self._life)
        if self.runner.write(b"SET", name, value, *options) is None:
            self._confirm(name)
            return False
        return True

    def load(
        self, key: GameKey, request: IdempotencyKey | None = None
    ) -> Stored | None:
        """See `GameStore.load`."""
        name = game_name(key)
        if request is None:
            value = self.runner.get(name)
            return None if value is None else Stored(_revision(value), value[4:])
        other = claim_name(request)
        try:
            value, kept = self.runner.get_all(name, other)
        except KeysMovingError:
            value, kept = self.runner.get(name), self.runner.get(other)
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
        names = [game_name(key)]
        args: list[Argument] = [before + known, after + payload, self._life]
        if answer is not None:
            names.append(claim_name(answer.key))
            args += [_answer_record(answer), ANSWER_LIFE_MS]
        try:
            reply = self.runner.write_script(_REPLACE, names, args)
        except KeysMovingError:
            # While their slot moves, a cluster accepts both keys only if both exist.
            options = (b"NX", b"PX", CLAIM_LEASE_MS)
            self.runner.write(b"SET", names[1], _PENDING, *options)
            reply = self.runner.write_script(_REPLACE, names, args)
        if reply == 1:
            return Done(expected + 1)
        if isinstance(reply, list):
            return _read_answer(reply[0])
        return _refused(reply)

    def keep(self, answer: KeptAnswer) -> Answered | None:
        """See `GameStore.keep`."""
        args: Args = [_answer_record(answer), ANSWER_LIFE_MS]
        found = self.runner.write_script(_KEEP, [claim_name(answer.key)], args)
        return _read_answer(found) if found else None

    def delete(self, key: GameKey, expected: int | None = None) -> Done | Stale | Gone:
        """See `GameStore.delete`; `Done` has the revision that was deleted."""
        wanted = b"" if expected is None else _REVISION.pack(expected)
        reply = self.runner.write_script(_DELETE, [game_name(key)], [wanted])
        return Done(_revision(reply[0])) if isinstance(reply, list) else _refused(reply)

    def claim(
        self, key: IdempotencyKey, fingerprint: bytes, note: bytes = b""
    ) -> Claim | Answered | InFlight:
        """See `GameStore.claim`."""
        name, token = claim_name(key), token_bytes(_TOKEN_SIZE)
        record = _PENDING + token + fingerprint + note
        args: Args = [record, ANSWER_LIFE_MS, CLAIM_LEASE_MS]
        held: bytes = self.runner.script(_CLAIM, [name], args)
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
        args: Args = [_PENDING + claim.token, record, ANSWER_LIFE_MS]
        return bool(self.runner.write_script(_SETTLE, [claim_name(claim.key)], args))

    def release(self, claim: Claim) -> None:
        """See `GameStore.release`."""
        mark = _PENDING + claim.token
        self.runner.script(_RELEASE, [claim_name(claim.key)], [mark])

    def ping(self) -> None:
        """See `GameStore.ping`; in a cluster, one server must accept writes."""
        until = monotonic() + self._probing_seconds
        first, total = self._probed, len(self._probes)
        for number in range(first, first + total):
            try:
                self.runner.write_script(_PROBE, [self._probes[number % total]], [])
            except StoreUnavailableError:
                if number == first + total - 1 or monotonic() > until:
                    raise
            else:
                self._probed = number % total  # the first to be tried next time
                return

    def _answered(self, request: IdempotencyKey, kept: bytes | None) -> Answered | None:
        """Read the answer that is kept for a request."""
        if kept is None or not kept.startswith(_ANSWERED):
            return None
        self._confirm(claim_name(request))
        return _read_answer(kept)

    def _confirm(self, name: bytes) -> None:
        """Wait until the replicas hold a value that was just read: they may not yet."""
        if self.runner.wait and not self.runner.write_script(_CONFIRM, [name], []):
            raise StoreUnavailableError("what was just read is not there any more")


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
