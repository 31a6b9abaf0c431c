"""A server of a cluster that hangs: which requests wait for it, and how long."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from redis.crc import key_slot

from service.games.ids import watch_id_of
from service.store.keyspace import game_name
from service.store.protocol import Done, GameKey, Stored, StoreUnavailableError
from service.store.redis import RedisStore
from tests.cluster.launcher import Cluster, Node, run_cluster
from tests.conftest import Serve, open_store_at
from tests.servers import Service, wait_until

KEYS = [GameKey("", f"game-{number}") for number in range(60)]
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with TemporaryDirectory(prefix="acc") as folder, run_cluster(Path(folder)) as made:
        yield made


def filled_store(cluster: Cluster, timeout: float) -> RedisStore:
    """A store that knows the cluster and has every game, each at version 1."""
    with cluster.client() as client:
        client.flushall()
    store = open_store_at(cluster.url, timeout=timeout)
    for key in KEYS:
        assert store.create(key, b"x")
    return store


def games_of(cluster: Cluster, node: Node) -> list[GameKey]:
    return [key for key in KEYS if cluster.owner(game_name(key)) is node]


def is_served(store: RedisStore, key: GameKey) -> bool:
    try:
        return store.load(key) is not None
    except StoreUnavailableError:
        return False


def test_only_the_first_request_waits_for_a_server_that_hangs(cluster: Cluster) -> None:
    """With a long time-out, all later requests come while the circuit is open."""
    store = filled_store(cluster, timeout=3)
    hanging = cluster.masters[0]
    first, *stuck = games_of(cluster, hanging)
    others = [key for key in KEYS if key not in {first, *stuck}]
    hanging.pause()
    try:
        with pytest.raises(StoreUnavailableError, match="Timeout"):
            store.replace(first, 1, b"y")
        for key in stuck:
            with pytest.raises(StoreUnavailableError, match="a moment ago"):
                store.replace(key, 1, b"y")
            with pytest.raises(StoreUnavailableError, match="a moment ago"):
                store.load(key)
        for key in others:
            assert store.replace(key, 1, b"y") == Done(2)
    finally:
        hanging.resume()
    cluster.wait_until_settled()
    wait_until(lambda: is_served(store, first))
    for key in stuck:
        assert store.replace(key, 1, b"y") == Done(2)
    # The request that it received while it hung may be applied now, but only once.
    assert store.load(first) in {Stored(1, b"x"), Stored(2, b"y")}


@pytest.mark.parametrize("hanging", [1, 3])
def test_many_clients_of_servers_that_hang_are_all_answered_in_time(
    cluster: Cluster, served: Serve, hanging: int
) -> None:
    """If each of 12 requests to the one worker waited, the last would wait 5 s."""
    service = served(redis_url=cluster.url, workers=1, log_level="error")
    paths = {node: games_at(service, cluster, node) for node in cluster.masters}
    paused, others = cluster.masters[:hanging], cluster.masters[hanging:]
    stuck = [path for node in paused for path in paths[node][: 12 // hanging]]
    answered = [path for node in others for path in paths[node][:6]]
    for node in paused:
        node.pause()
    try:
        with ThreadPoolExecutor(24) as clients:
            statuses = clients.map(
                lambda path: status_of(service, path), [*stuck, *answered]
            )
            assert list(statuses) == [503] * len(stuck) + [200] * len(answered)
    finally:
        for node in paused:
            node.resume()
    cluster.wait_until_settled()
    for path in [*stuck, *answered]:
        wait_until(lambda path=path: status_of(service, path) == 200)  # type: ignore[misc]


def games_at(service: Service, cluster: Cluster, node: Node) -> list[str]:
    """Create games until twelve are on a server; return their paths."""
    paths: list[str] = []
    while len(paths) < 12:
        game = json.loads(service.request("POST", "/v1/games", b"{}", JSON).body)
        name = game_name(GameKey("", watch_id_of(game["id"])))
        if cluster.owner(name) is node:
            paths.append(f"/v1/games/{game['id']}")
    return paths


def status_of(service: Service, path: str) -> int:
    return service.request("GET", path, timeout=3).status


def test_a_promoted_replica_is_found_while_its_master_still_hangs() -> None:
    with (
        TemporaryDirectory(prefix="acc") as folder,
        run_cluster(Path(folder), replicated=True) as cluster,
    ):
        store = filled_store(cluster, timeout=3)
        hanging, replica = cluster.masters[0], cluster.replicas[0]
        first, second, *stuck = games_of(cluster, hanging)
        hanging.pause()
        replica.pause()
        with pytest.raises(StoreUnavailableError, match="Timeout"):
            store.replace(first, 1, b"y")
        with pytest.raises(StoreUnavailableError, match="a moment ago"):
            store.replace(second, 1, b"y")
        replica.resume()
        cluster.wait_until_owned(key_slot(game_name(first)), replica, hanging)
        for key in stuck:
            assert store.replace(key, 1, b"y") == Done(2)
        assert store.load(first) == Stored(1, b"x")
