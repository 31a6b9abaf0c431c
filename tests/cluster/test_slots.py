"""A store on a cluster, while its slots stay and while they move."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import sleep

import pytest
from redis.crc import key_slot

from service.store.keyspace import claim_name, game_name
from service.store.protocol import (
    Answered,
    Claim,
    Done,
    GameKey,
    IdempotencyKey,
    KeptAnswer,
    Stale,
    Stored,
    StoreUnavailableError,
)
from service.store.redis import RedisStore
from tests.cluster.launcher import NEVER_FAILED, Cluster, Node, run_cluster
from tests.conftest import open_store_at
from tests.servers import free_port

GAME = GameKey("tenant", "some-game")
RETRY = IdempotencyKey("tenant", "some-game", "key")
KEPT = KeptAnswer(RETRY, b"the same request", b"answer")
ANSWERED = Answered(KEPT.fingerprint, KEPT.answer)
SLOT = key_slot(game_name(GAME))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with (
        TemporaryDirectory(prefix="acc") as folder,
        run_cluster(Path(folder), *NEVER_FAILED) as made,
    ):
        yield made


@pytest.fixture
def store(cluster: Cluster) -> RedisStore:
    """An empty store that knows the cluster as it is now."""
    with cluster.client() as client:
        client.flushall()
    store = open_store_at(cluster.url)
    store.ping()
    return store


def owner_and_other(cluster: Cluster) -> tuple[Node, Node]:
    owner = cluster.owner(game_name(GAME))
    return owner, next(node for node in cluster.masters if node is not owner)


def test_a_game_and_the_requests_that_change_it_are_in_one_slot() -> None:
    for tenant in ("", "tenant"):
        game = game_name(GameKey(tenant, "some-game"))
        slots = {
            key_slot(claim_name(IdempotencyKey(tenant, "some-game", f"key-{number}")))
            for number in range(100)
        }
        assert slots == {key_slot(game)}


def test_games_and_creations_are_spread_over_all_servers(
    cluster: Cluster, store: RedisStore
) -> None:
    for number in range(120):
        assert store.create(GameKey("", f"game-{number}"), b"x")
        assert isinstance(
            store.claim(IdempotencyKey("", "", f"key-{number}"), KEPT.fingerprint),
            Claim,
        )
    sizes = [node.command("DBSIZE") for node in cluster.masters]
    assert sum(sizes) >= 240
    assert min(sizes) > 40
    for number in range(120):
        key = GameKey("", f"game-{number}")
        assert store.replace(key, 1, b"y") == Done(2)
        assert store.load(key) == Stored(2, b"y")


def test_a_slot_that_has_moved_is_found(cluster: Cluster, store: RedisStore) -> None:
    owner, other = owner_and_other(cluster)
    for _ in range(2):
        store.create(GAME, b"x")
        cluster.move_slot(SLOT, owner, other)
        assert store.replace(GAME, 1, b"y") == Done(2)
        assert store.load(GAME) == Stored(2, b"y")
        assert store.delete(GAME, 2) == Done(2)
        owner, other = other, owner


def test_every_key_is_found_while_its_slot_moves(
    cluster: Cluster, store: RedisStore
) -> None:
    owner, other = owner_and_other(cluster)
    store.create(GAME, b"x")
    assert store.keep(KEPT) is None
    cluster.begin_move(SLOT, owner, other)
    try:
        assert store.replace(GAME, 1, b"y") == Done(2)
        assert other.command("DBSIZE") == 0
        cluster.move_keys(owner, other, game_name(GAME), claim_name(RETRY))
        assert store.load(GAME) == Stored(2, b"y")
        assert store.replace(GAME, 1, b"z") == Stale(2)
        assert store.load(GAME, RETRY) == Stored(2, b"y", ANSWERED)
        assert store.replace(GAME, 2, b"z", answer=KEPT) == ANSWERED
        assert store.delete(GAME) == Done(2)
        assert store.create(GAME, b"new")
        assert other.command("DBSIZE") == 2
    finally:
        cluster.end_move(SLOT, owner, other)
    assert store.load(GAME) == Stored(1, b"new")


def test_an_answer_is_kept_while_its_slot_moves(
    cluster: Cluster, store: RedisStore
) -> None:
    """The key of the answer is created on the target; the game moves there later."""
    owner, other = owner_and_other(cluster)
    store.create(GAME, b"x")
    cluster.begin_move(SLOT, owner, other)
    try:
        with pytest.raises(StoreUnavailableError, match="TryAgain"):
            store.replace(GAME, 1, b"y", answer=KEPT)
        assert store.load(GAME, RETRY) == Stored(1, b"x")

        def move_soon() -> None:
            sleep(0.2)
            cluster.move_keys(owner, other, game_name(GAME))

        mover = Thread(target=move_soon)
        mover.start()
        assert store.replace(GAME, 1, b"y", answer=KEPT) == Done(2)
        mover.join()
        assert store.load(GAME, RETRY) == Stored(2, b"y", ANSWERED)
    finally:
        cluster.end_move(SLOT, owner, other)
    assert store.load(GAME, RETRY) == Stored(2, b"y", ANSWERED)


class Writers:
    """Threads that each write their own game, one version after another."""

    def __init__(self, store: RedisStore, count: int) -> None:
        self._store = store
        self._stopped = Event()
        self.keys = [GameKey("", f"writer-{number}") for number in range(count)]
        self._threads = ThreadPoolExecutor(count)
        for key in self.keys:
            assert store.create(key, b"1")
        self._written = [self._threads.submit(self._write, key) for key in self.keys]

    def _write(self, key: GameKey) -> int:
        version = 1
        while not self._stopped.is_set():
            assert self._store.load(key) == Stored(version, b"%d" % version)
            following = b"%d" % (version + 1)
            if version % 8:
                assert self._store.replace(key, version, following) == Done(version + 1)
            else:
                self._write_answering(key, version, following)
            version += 1
        return version

    def _write_answering(self, key: GameKey, version: int, following: bytes) -> None:
        retry = IdempotencyKey("", key.game_id, str(version))
        kept = KeptAnswer(retry, KEPT.fingerprint, following)
        answered = Answered(kept.fingerprint, following)
        written = self._store.replace(key, version, following, answer=kept)
        assert written == Done(version + 1)
        assert self._store.load(key, retry) == Stored(version + 1, following, answered)

    def finish(self) -> Counter[GameKey]:
        """Stop the threads; return the version that each game has reached."""
        self._stopped.set()
        self._threads.shutdown()
        return Counter(
            {
                key: written.result()
                for key, written in zip(self.keys, self._written, strict=True)
            }
        )


@pytest.mark.parametrize("move", [Cluster.move_slot, Cluster.move_slot_at_once])
def test_every_write_is_applied_once_while_slots_move(
    cluster: Cluster,
    store: RedisStore,
    move: Callable[[Cluster, int, Node, Node], None],
) -> None:
    # While a slot changes its owner, the servers redirect clients to each other; on a
    # busy machine that can last longer than the usual time-out.
    writers = Writers(open_store_at(cluster.url, timeout=30), 6)
    for key in writers.keys:
        name = game_name(key)
        source = cluster.owner(name)
        for target in cluster.masters:
            if target is not source:
                move(cluster, key_slot(name), source, target)
                source = target
    versions = writers.finish()
    assert min(versions.values()) > 20
    for key, version in versions.items():
        assert store.load(key) == Stored(version, b"%d" % version)


def test_one_reachable_server_in_the_url_is_enough(cluster: Cluster) -> None:
    unreachable = f"127.0.0.1:{free_port()}"
    last = f"127.0.0.1:{cluster.masters[-1].port}"
    store = open_store_at(
        f"redis://{unreachable}?cluster=true&nodes={unreachable},{last}"
    )
    store.create(GAME, b"x")
    assert store.load(GAME) is not None
    store.delete(GAME)


def test_without_a_reachable_server_the_store_is_unavailable() -> None:
    store = open_store_at(f"redis://127.0.0.1:{free_port()}?cluster=true")
    with pytest.raises(StoreUnavailableError):
        store.load(GAME)
