"""A store of several servers is ready while one of them accepts writes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import pytest
from redis.crc import REDIS_CLUSTER_HASH_SLOTS as SLOTS
from redis.crc import key_slot

from service.config import Settings
from service.store.factory import open_store
from service.store.keyspace import CLUSTER_PROBES
from service.store.servers import names_cluster
from tests.cluster.launcher import Cluster, Node, run_cluster
from tests.conftest import Serve

FAILURES: dict[str, tuple[Callable[[Node], object], Callable[[Node], object]]] = {
    "killed": (Node.kill, Node.start),
    "hung": (Node.pause, Node.resume),
    "full": (
        lambda node: node.command("CONFIG", "SET", "maxmemory", 1),
        lambda node: node.command("CONFIG", "SET", "maxmemory", 0),
    ),
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with TemporaryDirectory(prefix="acc") as folder, run_cluster(Path(folder)) as made:
        yield made


def test_the_probes_are_spread_over_all_slots() -> None:
    assert sorted(key_slot(name) * 16 // SLOTS for name in CLUSTER_PROBES) == [
        *range(16)
    ]


@pytest.mark.parametrize("failure", list(FAILURES))
def test_a_store_is_ready_while_one_of_its_servers_takes_writes(
    cluster: Cluster, failure: str
) -> None:
    store = open_store(Settings(redis_url=cluster.url))
    begin, end = FAILURES[failure]
    for healthy in cluster.masters:
        store.ping()
        failing = [node for node in cluster.masters if node is not healthy]
        for node in failing:
            begin(node)
        try:
            start = monotonic()
            store.ping()
            assert monotonic() - start < 2
        finally:
            for node in failing:
                end(node)
        cluster.wait_until_settled()


@pytest.mark.parametrize("failure", list(FAILURES))
def test_a_service_is_not_ready_when_no_server_takes_writes(
    cluster: Cluster, served: Serve, failure: str
) -> None:
    service = served(redis_url=cluster.url, workers=1)
    assert service.request("GET", "/readyz").status == 200
    begin, end = FAILURES[failure]
    for node in cluster.masters:
        begin(node)
    try:
        assert service.request("GET", "/readyz", timeout=2).status == 503
    finally:
        for node in cluster.masters:
            end(node)
    cluster.wait_until_settled()


def test_only_a_cluster_has_several_servers_that_take_writes() -> None:
    assert names_cluster("redis://one?cluster=true")
    assert names_cluster("redis://one?nodes=two,three")
    assert not names_cluster("redis://one/0")
    assert not names_cluster("redis://one?sentinel=games&nodes=two")
