"""What a store does when its server fails, and how it recovers."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest
from redis.exceptions import ResponseError

from service.metrics import REGISTRY
from service.store.keyspace import claim_name, game_name
from service.store.protocol import (
    Answered,
    Claim,
    Done,
    GameKey,
    IdempotencyKey,
    InFlight,
    KeptAnswer,
    Stored,
    StoreUnavailableError,
)
from service.store.redis import RedisStore
from service.store.runner import describe_error
from tests.conftest import open_store_at
from tests.servers import BINARIES, LossyProxy, StoreServer, free_port

GAME = GameKey("", "some-game")
NEW = GameKey("", "new-game")
RETRY = IdempotencyKey("", "some-game", "key")
REQUEST = b"the same request"
OPTIONS = ("--repl-diskless-sync-delay", "0")

WRITES: dict[str, Callable[[RedisStore], object]] = {
    "create": lambda store: store.create(NEW, b"x"),
    "replace": lambda store: store.replace(GAME, 1, b"x"),
    "delete": lambda store: store.delete(GAME, 1),
    "claim": lambda store: store.claim(RETRY, REQUEST),
    "ping": lambda store: store.ping(),
}
OPERATIONS = WRITES | {"load": lambda store: store.load(GAME)}
GROWING = sorted(set(WRITES) - {"delete"})

each_operation = pytest.mark.parametrize("operation", list(OPERATIONS))


@pytest.fixture(params=list(BINARIES))
def server(request: pytest.FixtureRequest, short_folder: Path) -> Iterator[StoreServer]:
    """A server for one test."""
    binary = BINARIES[request.param]
    if binary is None:
        pytest.skip(f"no {request.param} server is installed")
    with StoreServer(binary, short_folder, *OPTIONS) as server:
        yield server


@pytest.fixture
def store(server: StoreServer) -> RedisStore:
    """A connected store with one game in it."""
    store = open_store_at(server.url, timeout=0.3)
    store.create(GAME, b"old")
    return store


def refused(store: RedisStore, operation: str) -> str:
    with pytest.raises(StoreUnavailableError) as caught:
        OPERATIONS[operation](store)
    return str(caught.value)


def assert_works(store: RedisStore) -> None:
    """Check that every operation works, and that nothing had been changed before."""
    assert store.load(GAME) == Stored(1, b"old")
    assert store.load(NEW) is None
    assert store.create(NEW, b"x")
    kept = KeptAnswer(RETRY, REQUEST, b"answer")
    assert store.replace(GAME, 1, b"y", answer=kept) == Done(2)
    assert store.replace(GAME, 2, b"z") == Done(3)
    assert store.load(GAME) == Stored(3, b"z")
    assert store.delete(GAME, 3) == Done(3)
    assert store.claim(RETRY, REQUEST) == Answered(REQUEST, b"answer")


@each_operation
def test_killed(server: StoreServer, store: RedisStore, operation: str) -> None:
    server.kill()
    refused(store, operation)
    refused(store, operation)
    server.start()
    store.create(GAME, b"old")
    assert_works(store)


@each_operation
def test_restarted_between_two_requests(
    server: StoreServer, store: RedisStore, operation: str
) -> None:
    server.kill()
    server.start()
    OPERATIONS[operation](store)


@each_operation
def test_paused(server: StoreServer, store: RedisStore, operation: str) -> None:
    server.pause()
    assert "Timeout" in refused(store, operation)
    refused(store, "load")
    server.resume()
    # The request that the server received before may be applied now, but only once.
    late = {"replace": Stored(2, b"x"), "delete": None}
    assert store.load(GAME) in {
        Stored(1, b"old"),
        late.get(operation, Stored(1, b"old")),
    }
    assert store.create(GameKey("", "another"), b"y")


@each_operation
def test_connections_cut_between_two_requests(
    server: StoreServer, store: RedisStore, operation: str
) -> None:
    for _ in range(3):
        with server.client() as client:
            client.client_kill_filter(_type="normal", skipme=True)
        store.load(GAME)
    with server.client() as client:
        client.client_kill_filter(_type="normal", skipme=True)
    OPERATIONS[operation](store)


def test_scripts_flushed(server: StoreServer, store: RedisStore) -> None:
    store.replace(NEW, 1, b"x")
    with server.client() as client:
        client.script_flush()
        assert_works(store)
        client.script_flush()
        store.create(GAME, b"old")
    assert store.replace(GAME, 1, b"y") == Done(2)


@pytest.mark.parametrize("operation", GROWING)
def test_out_of_memory(server: StoreServer, store: RedisStore, operation: str) -> None:
    with server.client() as client:
        client.config_set("maxmemory", 1)
        refused(store, operation)
        assert store.load(GAME) == Stored(1, b"old")
        client.config_set("maxmemory", 0)
    assert_works(store)


@pytest.mark.parametrize("operation", list(WRITES))
def test_read_only_replica(
    server: StoreServer, store: RedisStore, operation: str
) -> None:
    with server.client() as client:
        client.replicaof("127.0.0.1", str(free_port()))
        assert "ReadOnly" in refused(store, operation)
        assert store.load(GAME) == Stored(1, b"old")
        client.replicaof("NO", "ONE")
    assert_works(store)


def test_replica_that_may_not_serve_stale_data(
    server: StoreServer, store: RedisStore
) -> None:
    with server.client() as client:
        client.config_set("replica-serve-stale-data", "no")
        client.replicaof("127.0.0.1", str(free_port()))
        assert "MasterDown" in refused(store, "load")
        client.replicaof("NO", "ONE")
    assert_works(store)


@pytest.mark.parametrize("operation", GROWING)
def test_too_few_replicas(
    server: StoreServer, store: RedisStore, operation: str
) -> None:
    with server.client() as client:
        client.config_set("min-replicas-to-write", 1)
        assert "NOREPLICAS" in refused(store, operation)
        client.config_set("min-replicas-to-write", 0)
    assert_works(store)


@each_operation
def test_password_changed(
    server: StoreServer, store: RedisStore, operation: str
) -> None:
    with server.client() as client:
        client.config_set("requirepass", "secret")
        client.client_kill_filter(_type="normal", skipme=True)
        assert "Authentication" in refused(store, operation)
        client.config_set("requirepass", "")
    assert_works(store)


def test_loading(short_folder: Path) -> None:
    binary = BINARIES["valkey"]
    assert binary is not None
    with StoreServer(binary, short_folder) as server:
        filling = open_store_at(server.url)
        for index in range(500):
            filling.create(GameKey("", str(index)), b"x" * 200)
        with server.client() as client:
            client.save()
    slow = [
        "--key-load-delay",
        "2000",
        "--loading-process-events-interval-bytes",
        "1024",
    ]
    with StoreServer(binary, short_folder, *slow) as server:
        store = open_store_at(server.url)
        assert "BusyLoading" in refused(store, "load")
        server.wait_until_loaded()
        assert store.load(GameKey("", "499")) == Stored(1, b"x" * 200)


@pytest.mark.parametrize("value", [b"", b"\0\0\1"])
def test_damaged_game(server: StoreServer, store: RedisStore, value: bytes) -> None:
    with server.client() as client:
        client.set(game_name(GAME), value)
    assert refused(store, "load") == "a stored game is damaged"


def test_keys_of_another_kind(server: StoreServer, store: RedisStore) -> None:
    with server.client() as client:
        client.delete(game_name(GAME))
        client.lpush(game_name(GAME), b"x")
        client.lpush(claim_name(RETRY), b"x")
    for operation in ("load", "replace", "delete", "claim"):
        assert "WRONGTYPE" in refused(store, operation)


def test_a_write_that_too_few_replicas_have_is_not_acknowledged(
    server: StoreServer, short_folder: Path
) -> None:
    store = open_store_at(server.url, wait_replicas=1, timeout=1)
    with pytest.raises(StoreUnavailableError, match="0 of 1 replicas"):
        store.create(GAME, b"x")
    with pytest.raises(StoreUnavailableError, match="0 of 1 replicas"):
        store.replace(GAME, 1, b"y")
    assert store.load(GAME) == Stored(2, b"y")
    (folder := short_folder / "replica").mkdir()
    with server.client() as client:
        client.config_set("port", port := free_port())
    binary = BINARIES["valkey"]
    assert binary is not None
    option = ("--replicaof", f"127.0.0.1 {port}")
    with StoreServer(binary, folder, *option) as replica:
        replica.wait_until_synced()
        assert store.replace(GAME, 2, b"z") == Done(3)
        assert store.create(NEW, b"new")
        assert open_store_at(replica.url).load(GAME) == Stored(3, b"z")
        assert open_store_at(replica.url).load(NEW) == Stored(1, b"new")


def test_without_its_replicas_a_store_is_not_ready_and_failed_waits_are_counted(
    server: StoreServer,
) -> None:
    def unmet() -> float:
        labels = {"error": "TooFewReplicas"}
        return REGISTRY.get_sample_value("accordion_store_errors_total", labels) or 0

    store, before = open_store_at(server.url, wait_replicas=1), unmet()
    with pytest.raises(StoreUnavailableError, match="0 of 1 replicas"):
        store.ping()
    assert unmet() == before + 1
    open_store_at(server.url).ping()
    assert unmet() == before + 1


def test_a_write_whose_reply_is_lost_is_not_sent_again(server: StoreServer) -> None:
    proxy = LossyProxy(server.url.removeprefix("unix://"))
    store = open_store_at(proxy.url)
    store.create(GAME, b"old")
    store.replace(GAME, 9, b"loads the script")
    proxy.drop_next_reply = True
    refused(store, "replace")
    assert proxy.dropped == 1
    assert store.load(GAME) == Stored(2, b"x")


def test_a_read_whose_reply_is_lost_is_sent_again(server: StoreServer) -> None:
    proxy = LossyProxy(server.url.removeprefix("unix://"))
    store = open_store_at(proxy.url)
    store.create(GAME, b"old")
    proxy.drop_next_reply = True
    assert store.load(GAME) == Stored(1, b"old")
    assert proxy.dropped == 1
    assert store.load(GAME) == Stored(1, b"old")


def test_a_connection_that_was_cut_is_replaced_once(server: StoreServer) -> None:
    store = open_store_at(server.url)
    store.create(GAME, b"old")
    with server.client() as client:
        before = client.info("stats")["total_connections_received"]
        client.client_kill_filter(_type="normal", skipme=True)
        for _ in range(3):
            assert store.load(GAME) == Stored(1, b"old")
        after = client.info("stats")["total_connections_received"]
    assert after == before + 1


def test_a_claim_whose_reply_is_lost_is_still_obtained(server: StoreServer) -> None:
    proxy = LossyProxy(server.url.removeprefix("unix://"))
    store = open_store_at(proxy.url)
    store.claim(IdempotencyKey("", "", "loads the script"), REQUEST)
    proxy.drop_next_reply = True
    claim = store.claim(RETRY, REQUEST)
    assert proxy.dropped == 1
    assert isinstance(claim, Claim)
    assert isinstance(store.claim(RETRY, REQUEST), InFlight)
    assert store.settle(claim, b"answer")


def test_a_server_that_does_not_exist(short_folder: Path) -> None:
    for url in (f"unix://{short_folder}/none", f"redis://127.0.0.1:{free_port()}/2"):
        refused(open_store_at(url), "load")


def test_after_a_fork_each_process_has_its_own_connection(
    server: StoreServer, store: RedisStore
) -> None:
    with server.client() as client:
        before = int(client.info("clients")["connected_clients"])
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        for version in range(1, 101):
            store.replace(GAME, version, b"child")
        os.write(write, b"%d" % (store.load(GAME) or Stored(0, b"")).revision)
        os._exit(0)
    os.close(write)
    for index in range(100):
        assert store.create(GameKey("", str(index)), b"parent")
    assert os.read(read, 10) == b"101"
    os.close(read)
    assert os.waitpid(child, 0)[1] == 0
    assert store.load(GAME) == Stored(101, b"child")
    with server.client() as client:
        assert int(client.info("clients")["connected_clients"]) == before


def test_threads_do_not_read_each_others_replies(store: RedisStore) -> None:
    wrong: list[object] = []

    def look(index: int) -> None:
        key = GameKey("", f"thread-{index}")
        store.create(key, b"%d" % index)
        wrong.extend(
            found
            for _ in range(200)
            if (found := store.load(key)) != Stored(1, b"%d" % index)
        )

    threads = [Thread(target=look, args=(index,)) for index in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert store.load(GameKey("", "thread-19")) == Stored(1, b"19")


def test_an_error_message_omits_the_arguments_of_a_command() -> None:
    """Servers on which a command is renamed send such errors."""
    error = ResponseError("unknown command 'SET', with args beginning with: 'g:{:x}'")
    assert describe_error(error) == "ResponseError: unknown command 'SET'"
