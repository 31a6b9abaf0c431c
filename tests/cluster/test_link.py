"""Which requests are sent again when a connection is cut, and how long that takes."""

from pathlib import Path
from time import monotonic, sleep

import pytest
from redis.crc import REDIS_CLUSTER_HASH_SLOTS as SLOTS
from redis.exceptions import TimeoutError as SlowError

from service.store.cluster import RoutedLink, SlotMap
from service.store.connection import StoreRequest, pack
from service.store.protocol import Done, GameKey, Stale, Stored, StoreUnavailableError
from service.store.redis import RedisStore
from service.store.servers import Address, Servers
from service.store.wire import Reply
from tests.servers import BINARIES, LossyProxy, StoreServer, free_port

GAME = GameKey("", "some-game")
VALKEY = str(BINARIES["valkey"])


def address_of(proxy: LossyProxy) -> Address:
    return Servers(proxy.url).seeds[0]


class FailoverTopology:
    """Names one server when asked first, and another when asked again."""

    question = StoreRequest(b"", pack(b"PING"), 1, repeatable=False)

    def __init__(self, *addresses: Address) -> None:
        self._addresses = list(addresses)

    def read(self, _reply: Reply, _asked: Address) -> SlotMap:
        address = self._addresses[0]
        del self._addresses[:-1]
        return SlotMap([address] * SLOTS, [])


@pytest.fixture
def proxies(valkey_server: StoreServer) -> list[LossyProxy]:
    with valkey_server.client() as client:
        client.flushall()
    return [LossyProxy(valkey_server.url.removeprefix("unix://")) for _ in range(2)]


def store_on(asked: LossyProxy, *owners: Address) -> RedisStore:
    """A store whose games are on the first owner, and later on the second."""
    link = RoutedLink(Servers(asked.url), FailoverTopology(*owners), 0.5)
    return RedisStore(link.run, game_ttl=1000, timeout=0.5)


@pytest.fixture
def store(proxies: list[LossyProxy]) -> RedisStore:
    """A store that finds its server behind the first proxy, later behind the second."""
    store = store_on(proxies[1], *[address_of(proxy) for proxy in proxies])
    assert store.create(GAME, b"old")
    assert store.replace(GAME, 9, b"loads the script") == Stale(1)
    return store


def test_a_write_whose_reply_is_lost_is_not_sent_to_the_next_server(
    proxies: list[LossyProxy], store: RedisStore
) -> None:
    proxies[0].drop_next_reply = True
    with pytest.raises(StoreUnavailableError):
        store.replace(GAME, 1, b"new")
    assert proxies[0].dropped == 1
    assert store.load(GAME) == Stored(2, b"new")
    assert store.replace(GAME, 2, b"newer") == Done(3)


def test_a_read_whose_reply_is_lost_is_sent_to_the_next_server(
    proxies: list[LossyProxy], store: RedisStore
) -> None:
    proxies[0].drop_next_reply = True
    assert store.load(GAME) == Stored(1, b"old")
    assert proxies[0].dropped == 1


def test_a_write_that_cannot_connect_is_sent_to_the_next_server(
    proxies: list[LossyProxy],
) -> None:
    unreachable = Address("127.0.0.1", free_port())
    assert store_on(proxies[1], unreachable, address_of(proxies[0])).create(
        GAME, b"new"
    )


def test_a_write_that_a_replica_refuses_is_sent_to_the_next_server(
    proxies: list[LossyProxy], short_folder: Path
) -> None:
    no_master = ("--replicaof", f"127.0.0.1 {free_port()}")
    with StoreServer(VALKEY, short_folder, *no_master, port=free_port()) as replica:
        first = Address("127.0.0.1", replica.port)
        assert store_on(proxies[1], first, address_of(proxies[0])).create(GAME, b"new")


class SlowTopology(FailoverTopology):
    """Takes some time to read a reply."""

    def read(self, reply: Reply, asked: Address) -> SlotMap:
        sleep(0.45)
        return super().read(reply, asked)


class LinkWhoseMapGetsStale(RoutedLink):
    """A link whose map another thread marks stale after `reads_left` checks."""

    reads_left: int | None = None

    @property
    def _stale(self) -> bool:
        if self.reads_left is None:
            return self._is_stale
        self.reads_left -= 1
        return self.reads_left < 0

    @_stale.setter
    def _stale(self, stale: bool) -> None:
        self._is_stale = stale


@pytest.mark.parametrize("reads", [0, 1, 2])
def test_the_time_out_includes_asking_for_the_map_whenever_that_begins(
    proxies: list[LossyProxy], short_folder: Path, reads: int
) -> None:
    with StoreServer(VALKEY, short_folder, port=free_port()) as server:
        topology = SlowTopology(Address("127.0.0.1", server.port))
        link = LinkWhoseMapGetsStale(Servers(proxies[1].url), topology, 1.0)
        ping = StoreRequest(b"", pack(b"PING"), 1, repeatable=False)
        assert link.run(ping) == [b"PONG"]
        server.pause()
        link.reads_left = reads
        start = monotonic()
        with pytest.raises(SlowError):
            link.run(ping)
        assert monotonic() - start < 1.3
