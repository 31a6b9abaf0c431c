"""A server of a cluster that hangs: who waits for it, and for how long."""

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
    """With so long a time-out, all that follows falls into the moment after it."""
    store = filled_store(cluster, timeout=3)
    hung = cluster.masters[0]
    first, *stuck = games_of(cluster, hung)
    others = [key for key in KEYS if key not in {first, *stuck}]
    hung.pause()
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
        hung.resume()
    cluster.wait_until_settled()
    wait_until(lambda: is_served(store, first))
    for key in stuck:
        assert store.replace(key, 1, b"y") == Done(2)
    # What it had been sent before it hung may be applied now, but whole and once.
    assert store.load(first) in {Stored(1, b"x"), Stored(2, b"y")}


@pytest.mark.parametrize("hung", [1, 3])
def test_many_clients_of_servers_that_hang_are_all_answered_in_time(
    cluster: Cluster, served: Serve, hung: int
) -> None:
    """One worker; if each of 12 waited for its server, the last would wait 5 s."""
    service = served(redis_url=cluster.url, workers=1, log_level="error")
    paths = {node: games_at(service, cluster, node) for node in cluster.masters}
    paused, others = cluster.masters[:hung], cluster.masters[hung:]
    stuck = [path for node in paused for path in paths[node][: 12 // hung]]
    going = [path for node in others for path in paths[node][:6]]
    for node in paused:
        node.pause()
    try:
        with ThreadPoolExecutor(24) as clients:
            look = clients.map(lambda path: look_at(service, path), [*stuck, *going])
            assert list(look) == [503] * len(stuck) + [200] * len(going)
    finally:
        for node in paused:
            node.resume()
    cluster.wait_until_settled()
    for path in [*stuck, *going]:
        wait_until(lambda path=path: look_at(service, path) == 200)  # type: ignore[misc]


def games_at(service: Service, cluster: Cluster, node: Node) -> list[str]:
    """Twelve games of a server, as paths."""
    paths: list[str] = []
    while len(paths) < 12:
        game = json.loads(service.request("POST", "/v1/games", b"{}", JSON).body)
        name = game_name(GameKey("", watch_id_of(game["id"])))
        if cluster.owner(name) is node:
            paths.append(f"/v1/games/{game['id']}")
    return paths


def look_at(service: Service, path: str) -> int:
    return service.request("GET", path, timeout=3).status


def test_who_takes_over_is_found_while_the_other_is_left_alone() -> None:
    with (
        TemporaryDirectory(prefix="acc") as folder,
        run_cluster(Path(folder), replicated=True) as cluster,
    ):
        store = filled_store(cluster, timeout=3)
        hung, heir = cluster.masters[0], cluster.replicas[0]
        first, second, *stuck = games_of(cluster, hung)
        hung.pause()
        heir.pause()
        with pytest.raises(StoreUnavailableError, match="Timeout"):
            store.replace(first, 1, b"y")
        with pytest.raises(StoreUnavailableError, match="a moment ago"):
            store.replace(second, 1, b"y")
        heir.resume()
        cluster.wait_until_owned(key_slot(game_name(first)), heir, hung)
        for key in stuck:
            assert store.replace(key, 1, b"y") == Done(2)
        assert store.load(first) == Stored(1, b"x")
