"""The link to several servers: a cluster, or a primary that sentinels monitor.

redis-py's `RedisCluster` is not used: after a redirection it sends WAIT to the old
server, and so acknowledges a write that the replicas may not hold; while servers do not
respond, one request takes up to four time-outs; and it uses three times the CPU.

A `Topology` defines how to ask which server takes the writes of which slot.
`RoutedLink` stores the result as a map, sends each request to its server, follows the
redirections of a cluster, and fetches the map again when a server names another one or
does not respond.
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

from service.store.circuit_breaker import CircuitBreaker, CircuitOpenError
from service.store.connection import HeldConnection, StoreRequest, pack
from service.store.servers import Address, Servers
from service.store.wire import Reply

_QUICK_HOPS = 2
_PAUSE_SECONDS = 0.02
"""The pause before each further hop: servers may disagree, or keys be moving."""

_MAP_SHARE, _QUESTION_SHARE = 2, 4
"""Asking for the map, and asking one server, may take the time-out divided by these."""

_HOP_SHARE = 10
"""A request is not sent again if less than the time-out divided by this is left."""

_MAP = object()
"""The key in the circuit breaker for all servers that know the map."""

_ASKING = pack(b"ASKING")


class SlotMap(NamedTuple):
    """Which server takes the writes of which slot.

    Attributes:
        owners: by slot, the server that takes its writes; None if none is known.
        sources: the servers that can be asked for the next map.
    """

    owners: Sequence[Address | None]
    sources: Sequence[Address]


class Topology(Protocol):
    """Defines how to ask for the map."""

    question: StoreRequest

    def read(self, reply: Reply, asked: Address) -> SlotMap:
        """Read the map from the reply of the server `asked`.

        Raises:
            redis.exceptions.RedisError: the reply contains no map.
        """


class ClusterTopology:
    """Every server of a cluster knows the map."""

    question = StoreRequest(b"", pack(b"CLUSTER", b"SLOTS"), 1, repeatable=False)

    def read(self, reply: Reply, asked: Address) -> SlotMap:
        """See `Topology.read`."""
        owners: list[Address | None] = [None] * SLOTS
        sources: list[Address] = []
        for first, last, *servers in reply:
            addresses = [_address(server, asked) for server in servers]
            owners[first : last + 1] = [addresses[0]] * (last + 1 - first)
            sources += addresses
        return SlotMap(owners, sources)


class SentinelTopology:
    """Sentinels know the primary, which holds every slot."""

    def __init__(self, service: str) -> None:
        self._service = service
        name = service.encode()
        packed = pack(b"SENTINEL", b"GET-MASTER-ADDR-BY-NAME", name)
        self.question = StoreRequest(b"", packed, 1, repeatable=False)

    def read(self, reply: Reply, asked: Address) -> SlotMap:
        """See `Topology.read`."""
        if reply is None:
            raise RedisError(f"the sentinel {asked} knows no {self._service!r}")
        return SlotMap([_address(reply, asked)] * SLOTS, [])


class _Hop(NamedTuple):
    address: Address
    request: StoreRequest


class RoutedLink:
    """A link to several servers, which sends each request to the server of its key.

    The time-out, in seconds, covers the whole request, including asking for the map. A
    request is sent again only if it was certainly not executed or is repeatable.
    Threads share the map, but each has its own connections.
    """

    def __init__(self, servers: Servers, topology: Topology, timeout: float) -> None:
        self._servers = servers
        self._topology = topology
        self._timeout = timeout
        self._held: dict[Address, HeldConnection] = {}
        self._map = SlotMap([None] * SLOTS, [])
        self._stale = True
        self._failed: set[Address] = set()
        self._map_source: Address | None = None
        self._breaker = CircuitBreaker(timeout)
        self._learning = threading.Lock()

    def run(self, request: StoreRequest) -> list[Reply]:
        """Send a request to the server of its key and read the replies.

        Raises:
            redis.exceptions.RedisError: no server could be reached, or one refused.
        """
        deadline = monotonic() + self._timeout
        spent = self._refresh(deadline)
        hop = _Hop(self._owner(request), request)
        hops = 0
        while True:
            try:
                replies = self._send(hop, deadline if spent else None)
            except CircuitOpenError:
                self._stale = True  # another server may have taken over
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
        held = self._connection(hop.address)
        return self._breaker.run(hop.address, held.run, hop.request, deadline)

    def _next_hop(
        self,
        error: RedisError,
        address: Address,
        request: StoreRequest,
        deadline: float,
    ) -> _Hop:
        """Where to send the request next; raise the error if it must not be resent."""
        if isinstance(error, MovedError | ReadOnlyError | CutError | SlowError):
            self._failed.add(address)
            self._stale = True
        if monotonic() > deadline - self._timeout / _HOP_SHARE:
            raise error
        match error:
            case MovedError():  # its other slots have usually moved too
                named = _named(error, address)
                self._update_map(deadline, first=[named])
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
        """Ask for the map if it is stale; return whether it was."""
        if not self._stale:
            return False
        self._update_map(deadline)
        return True

    def _owner(self, request: StoreRequest) -> Address:
        slot = key_slot(request.key)
        owner = self._map.owners[slot]
        if owner is None:
            raise CutError(f"no server is known to hold slot {slot}")
        return owner

    def _update_map(self, deadline: float, first: Sequence[Address] = ()) -> None:
        """Ask for the map, which stays as it is if no server responds in time."""
        if self._breaker.is_open(_MAP):
            return
        until = min(deadline, monotonic() + self._timeout / _MAP_SHARE)
        if not self._learning.acquire(timeout=max(0.0, until - monotonic())):
            return
        try:
            if self._stale:
                self._ask_all(until, first)
        finally:
            self._learning.release()

    def _ask_all(self, until: float, first: Sequence[Address]) -> None:
        # Servers that failed, and the source of the stale map, are asked last.
        last = {*self._failed, self._map_source}
        known = {*self._map.sources, *self._servers.seeds}
        for address in dict.fromkeys([*first, *sorted(known, key=last.__contains__)]):
            left = until - monotonic()
            if left <= 0:
                return
            try:
                self._map = self._ask(address, left)
            except RedisError as error:
                self._failed.add(address)
                if isinstance(error, SlowError):
                    self._breaker.open(_MAP)
            else:
                self._use_map(address)
                return

    def _use_map(self, source: Address) -> None:
        """Start using the new map, and forget the servers that it does not name."""
        self._map_source = source
        self._stale = False
        owners = set(self._map.owners)
        known = {*owners, *self._map.sources}
        for address in set(self._held) - known:
            self._held.pop(address, None)
        self._failed &= {*known, *self._servers.seeds} - {source}
        self._breaker.keep(owners)

    def _ask(self, address: Address, left: float) -> SlotMap:
        seconds = min(left, self._timeout / _QUESTION_SHARE)
        asked = HeldConnection(self._servers.connect_to_ask(address), seconds)
        try:
            return self._topology.read(asked.run(self._topology.question)[0], address)
        finally:
            asked.close()

    def _connection(self, address: Address) -> HeldConnection:
        held = self._held.get(address)
        if held is None:
            held = HeldConnection(self._servers.connect(address), self._timeout)
            held = self._held.setdefault(address, held)
        return held


def _asking(request: StoreRequest) -> StoreRequest:
    """The request as a server accepts it for a slot that it is still importing."""
    return request._replace(
        packed=_ASKING + request.packed, replies=request.replies + 1
    )


def _named(error: AskError, asked: Address) -> Address:
    return _address((error.host, error.port), asked)


def _address(told: Sequence[bytes | str | int | None], asked: Address) -> Address:
    """An address as the server `asked` gives it, which may leave out its own host."""
    host, port = told[:2]
    if isinstance(host, bytes):
        host = host.decode()
    known = isinstance(host, str) and host not in {"", "?"}
    return Address(str(host) if known else asked.host, int(port or 0))


def _was_not_executed(error: RedisError) -> bool:
    if isinstance(error, ReadOnlyError):
        return True
    return isinstance(error.__context__, ConnectionRefusedError)  # nothing was sent
