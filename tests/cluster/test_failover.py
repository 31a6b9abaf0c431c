"""Which writes are kept, and which are lost, when a server of a cluster dies."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from redis.crc import key_slot

from service.store.keyspace import game_name
from service.store.protocol import (
    Answered,
    Done,
    GameKey,
    IdempotencyKey,
    KeptAnswer,
    Stored,
    StoreUnavailableError,
)
from tests.cluster.launcher import Cluster, Node, run_cluster
from tests.conftest import open_store_at
from tests.servers import wait_until

GAME = GameKey("", "some-game")
RETRY = IdempotencyKey("", "some-game", "key")
KEPT = KeptAnswer(RETRY, b"the same request", b"answer")
SLOT = key_slot(game_name(GAME))


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with (
        TemporaryDirectory(prefix="acc") as folder,
        run_cluster(Path(folder), replicated=True) as made,
    ):
        yield made


def owner_and_replica(cluster: Cluster) -> tuple[Node, Node]:
    """Return the server that accepts writes of the game, and its replica."""
    master = cluster.owner(game_name(GAME))
    return master, cluster.replicas[cluster.masters.index(master)]


def disconnect(master: Node, replica: Node) -> None:
    """Stop a replica from receiving anything more."""
    replica.pause()
    master.command("CLIENT", "KILL", "TYPE", "replica")


@pytest.mark.parametrize("replicas", [0, 1])
def test_a_write_that_no_replica_has_is_lost_but_acknowledged_only_without_waiting(
    cluster: Cluster, replicas: int
) -> None:
    store = open_store_at(cluster.url, wait_replicas=replicas)
    assert store.create(GAME, b"held by both")
    master, replica = owner_and_replica(cluster)
    disconnect(master, replica)
    if replicas:
        with pytest.raises(StoreUnavailableError, match="0 of 1 replicas"):
            store.replace(GAME, 1, b"held by one")
    else:
        assert store.replace(GAME, 1, b"held by one") == Done(2)
    assert store.load(GAME) == Stored(2, b"held by one")
    master.kill()
    replica.resume()
    cluster.wait_until_owned(SLOT, replica)
    assert store.load(GAME) == Stored(1, b"held by both")


def test_an_answer_is_repeated_only_once_a_replica_has_it(
    cluster: Cluster,
) -> None:
    store = open_store_at(cluster.url, wait_replicas=1)
    assert store.create(GAME, b"old")
    master, replica = owner_and_replica(cluster)
    disconnect(master, replica)
    with pytest.raises(StoreUnavailableError, match="0 of 1 replicas"):
        store.replace(GAME, 1, b"new", answer=KEPT)
    other = open_store_at(cluster.url, wait_replicas=1)
    for _ in range(2):
        with pytest.raises(StoreUnavailableError, match="0 of 1 replicas"):
            other.load(GAME, RETRY)
        with pytest.raises(StoreUnavailableError, match="0 of 1 replicas"):
            other.create(GAME, b"another")
    replica.resume()
    wait_until(lambda: replica.is_synced)
    answered = Answered(KEPT.fingerprint, KEPT.answer)
    assert other.load(GAME, RETRY) == Stored(2, b"new", answered)
    assert not other.create(GAME, b"another")
    master.kill()
    cluster.wait_until_owned(SLOT, replica)
    assert store.load(GAME) == Stored(2, b"new")


def test_a_redirected_write_waits_for_the_replicas_of_its_new_server(
    cluster: Cluster,
) -> None:
    store = open_store_at(cluster.url, wait_replicas=1)
    assert store.create(GAME, b"old")
    source, _ = owner_and_replica(cluster)
    target = next(node for node in cluster.masters if node is not source)
    cluster.move_slot(SLOT, source, target)
    replica = cluster.replicas[cluster.masters.index(target)]
    disconnect(target, replica)
    with pytest.raises(StoreUnavailableError, match="0 of 1 replicas"):
        store.replace(GAME, 1, b"new")
    replica.resume()
    wait_until(lambda: replica.is_synced)
    assert store.replace(GAME, 2, b"newer") == Done(3)
