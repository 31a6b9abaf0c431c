"""The way to many servers: a cluster, or a primary that sentinels watch.

A `Guide` says how to learn which server takes the writes of which slot. `GuidedLink`
keeps what it learnt as a map, sends each request to its server, follows the cluster's
redirections, and learns anew when a server names another or does not answer. One that
hangs is left alone for a moment, so that only the first request for it waits.
"""

import threading
from collections.abc import Sequence
from time import monotonic, sleep
from typing import NamedTuple, Protocol

from redis.crc import REDIS_CLUSTER_HASH_SLOTS as SLOTS
from redis.crc import key_slot
from redis.exceptions import (
    AskError,
    MovedError,
    ReadOnlyError,
    RedisError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as CutError
from redis.exceptions import TimeoutError as SlowError

from service.store.circuit_breaker import Silent, SparedError
from service.store.connection import HeldConnection, Reply, Request, pack
from service.store.servers import Address, Servers

_QUICK_HOPS = 2
_PAUSE_SECONDS = 0.02
"""Before each further hop: servers may not agree as yet, or keys be on their way."""

_LEARNING_SHARE, _QUESTION_SHARE = 2, 4
"""All questions about the map, and one of them, may take this part of the time-out."""

_HOP_SHARE = 10
"""With less than this part of the time-out left, a request is not sent again."""

_MAP = object()
"""Stands for whoever knows the map among what is left alone for a moment."""

_ASKING = pack(b"ASKING")


class Map(NamedTuple):
    """What a guide learnt.

    Attributes:
        owners: for each slot the server that takes its writes, or None.
        sources: the servers in it that can be asked the next time.
    """

    owners: Sequence[Address | None]
    sources: Sequence[Address]


class Guide(Protocol):
    """Knows how to ask for the map."""

    question: Request

    def read(self, reply: Reply, asked: Address) -> Map:
        """The map in an answer of a server; `RedisError` if there is none in it."""


class ClusterGuide:
    """Any server of a cluster knows the map."""

    question = Request(b"", pack(b"CLUSTER", b"SLOTS"), 1, repeatable=False)

    def read(self, reply: Reply, asked: Address) -> Map:
        """See `Guide.read`."""
        owners: list[Address | None] = [None] * SLOTS
        sources: list[Address] = []
        for first, last, *servers in reply:
            addresses = [_address(server, asked) for server in servers]
            owners[first : last + 1] = [addresses[0]] * (last + 1 - first)
            sources += addresses
        return Map(owners, sources)


class SentinelGuide:
    """Sentinels know the primary, which holds every slot."""

    def __init__(self, service: str) -> None:
        self._service = service
        name = service.encode()
        packed = pack(b"SENTINEL", b"GET-MASTER-ADDR-BY-NAME", name)
        self.question = Request(b"", packed, 1, repeatable=False)

    def read(self, reply: Reply, asked: Address) -> Map:
        """See `Guide.read`."""
        if reply is None:
            raise RedisError(f"the sentinel {asked} knows no {self._service!r}")
        return Map([_address(reply, asked)] * SLOTS, [])


class _Hop(NamedTuple):
    address: Address
    request: Request


class GuidedLink:
    """A `Link` to whichever of many servers holds a key.

    The time-out is for all that a request takes, learning the map included. A request
    is sent again only where it was certainly not executed, or is repeatable. Threads
    share the map; each holds its own connections.
    """

    def __init__(self, servers: Servers, guide: Guide, timeout: float) -> None:
        self._servers = servers
        self._guide = guide
        self._timeout = timeout
        self._held: dict[Address, HeldConnection] = {}
        self._map = Map([None] * SLOTS, [])
        self._stale = True
        self._doubted: set[Address] = set()
        self._told_by: Address | None = None
        self._silent = Silent(timeout)
        self._learning = threading.Lock()

    def run(self, request: Request) -> list[Reply]:
        """Send a request to the server of its key and read the replies.

        Raises:
            redis.exceptions.RedisError: no server could be reached, or it refused.
        """
        deadline = monotonic() + self._timeout
        spent = self._refresh(deadline)
        hop = _Hop(self._owner(request), request)
        hops = 0
        while True:
            try:
                replies = self._send(hop, deadline if spent else None)
            except SparedError:
                raise
            except RedisError as error:
                if hops >= _QUICK_HOPS:
                    sleep(_PAUSE_SECONDS)
                hop = self._next_hop(error, hop.address, request, deadline)
                hops += 1
                spent = True
            else:
                return replies[-request.replies :]

    def _send(self, hop: _Hop, deadline: float | None) -> list[Reply]:
        if self._silent.spares(hop.address):
            self._stale = True  # another may have taken over before it is tried again
            raise SparedError
        try:
            replies = self._connection(hop.address).run(hop.request, deadline)
        except SlowError:
            self._silent.add(hop.address)
            raise
        self._silent.discard(hop.address)
        return replies

    def _next_hop(
        self, error: RedisError, address: Address, request: Request, deadline: float
    ) -> _Hop:
        """Where to send the request next; raises the error if it must not be sent."""
        if isinstance(error, MovedError | ReadOnlyError | CutError | SlowError):
            self._doubted.add(address)
            self._stale = True
        if monotonic() > deadline - self._timeout / _HOP_SHARE:
            raise error
        match error:
            case MovedError():  # the others of its slots have moved too, as a rule
                named = _named(error, address)
                self._learn(deadline, first=[named])
                return _Hop(named, request)
            case AskError():
                return _Hop(_named(error, address), _asking(request))
            case TryAgainError():
                self._refresh(deadline)
                return _Hop(self._owner(request), request)
        if request.repeatable or _was_not_executed(error):
            self._refresh(deadline)
            owner = self._owner(request)
            if owner != address:
                return _Hop(owner, request)
        raise error

    def _refresh(self, deadline: float) -> bool:
        """Learn the map anew where it is stale; whether it took time."""
        if not self._stale:
            return False
        self._learn(deadline)
        return True

    def _owner(self, request: Request) -> Address:
        slot = key_slot(request.key)
        owner = self._map.owners[slot]
        if owner is None:
            raise CutError(f"no server is known to hold slot {slot}")
        return owner

    def _learn(self, deadline: float, first: Sequence[Address] = ()) -> None:
        """Ask for the map; it stays as it is if nobody answers in time."""
        if self._silent.spares(_MAP):
            return
        until = min(deadline, monotonic() + self._timeout / _LEARNING_SHARE)
        if not self._learning.acquire(timeout=max(0.0, until - monotonic())):
            return
        try:
            if self._stale:
                self._ask_all(until, first)
        finally:
            self._learning.release()

    def _ask_all(self, until: float, first: Sequence[Address]) -> None:
        # Who did not answer, or told what has proved wrong, is asked last.
        last = {*self._doubted, self._told_by}
        known = {*self._map.sources, *self._servers.seeds}
        for address in dict.fromkeys([*first, *sorted(known, key=last.__contains__)]):
            left = until - monotonic()
            if left <= 0:
                return
            try:
                self._map = self._ask(address, left)
            except RedisError as error:
                self._doubted.add(address)
                if isinstance(error, SlowError):
                    self._silent.add(_MAP)
            else:
                self._take_in(address)
                return

    def _take_in(self, told_by: Address) -> None:
        """Have the new map be the one that counts."""
        self._told_by = told_by
        self._stale = False
        owners = set(self._map.owners)
        known = {*owners, *self._map.sources}
        for stranger in [held for held in list(self._held) if held not in known]:
            self._held.pop(stranger, None)
        self._doubted &= {*known, *self._servers.seeds} - {told_by}
        self._silent.keep(owners)

    def _ask(self, address: Address, left: float) -> Map:
        patience = min(left, self._timeout / _QUESTION_SHARE)
        asked = HeldConnection(self._servers.connect_to_ask(address), patience)
        try:
            return self._guide.read(asked.run(self._guide.question)[0], address)
        finally:
            asked.close()

    def _connection(self, address: Address) -> HeldConnection:
        held = self._held.get(address)
        if held is None:
            held = HeldConnection(self._servers.connect(address), self._timeout)
            held = self._held.setdefault(address, held)
        return held


def _asking(request: Request) -> Request:
    """The request as a server takes it that does not have the slot as yet."""
    return request._replace(
        packed=_ASKING + request.packed, replies=request.replies + 1
    )


def _named(error: AskError, asked: Address) -> Address:
    return _address((error.host, error.port), asked)


def _address(told: Sequence[bytes | str | int | None], asked: Address) -> Address:
    """An address as a server tells it, which may leave its own host out."""
    host, port = told[:2]
    if isinstance(host, bytes):
        host = host.decode()
    known = isinstance(host, str) and host not in {"", "?"}
    return Address(str(host) if known else asked.host, int(port or 0))


def _was_not_executed(error: RedisError) -> bool:
    if isinstance(error, ReadOnlyError):
        return True
    return isinstance(error.__context__, ConnectionRefusedError)  # nothing was sent
