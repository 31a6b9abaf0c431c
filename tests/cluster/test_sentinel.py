"""A store on a primary that a sentinel watches."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.store.protocol import Done, GameKey, Stored, StoreUnavailableError
from tests.conftest import open_store_at
from tests.servers import BINARIES, StoreServer, free_port, wait_until

GAME = GameKey("", "some-game")
VALKEY = str(BINARIES["valkey"])


class Sentinel(StoreServer):
    """A sentinel that alone can make a replica of `games` the primary."""

    def __init__(self, folder: Path, primary: StoreServer) -> None:
        folder.mkdir()
        super().__init__(VALKEY, folder, port=free_port())
        settings = folder / "conf"
        settings.write_text(
            f"sentinel monitor games 127.0.0.1 {primary.port} 1\n"
            "sentinel down-after-milliseconds games 500\n"
        )
        self._command[1:1] = [str(settings), "--sentinel"]

    @property
    def replicas(self) -> int:
        with self.client() as client:
            return len(client.sentinel_slaves("games"))


@pytest.fixture
def primary(short_folder: Path) -> Iterator[StoreServer]:
    (folder := short_folder / "primary").mkdir()
    at_once = ("--repl-diskless-sync-delay", "0")
    with StoreServer(VALKEY, folder, *at_once, port=free_port()) as server:
        yield server


@pytest.fixture
def replica(short_folder: Path, primary: StoreServer) -> Iterator[StoreServer]:
    (folder := short_folder / "replica").mkdir()
    follow = ("--replicaof", f"127.0.0.1 {primary.port}")
    with StoreServer(VALKEY, folder, *follow, port=free_port()) as server:
        server.wait_until_synced()
        yield server


@pytest.fixture
def sentinel(short_folder: Path, primary: StoreServer) -> Iterator[Sentinel]:
    with Sentinel(short_folder / "sentinel", primary) as server:
        yield server


def test_the_store_follows_the_primary(
    primary: StoreServer, replica: StoreServer, sentinel: Sentinel
) -> None:
    wait_until(lambda: sentinel.replicas == 1)
    unused = free_port()
    store = open_store_at(
        f"redis://127.0.0.1:{unused}/0?sentinel=games&nodes=127.0.0.1:{sentinel.port}",
        wait_replicas=1,
    )
    assert store.create(GAME, b"x")
    assert store.replace(GAME, 1, b"y") == Done(2)
    primary.kill()
    with pytest.raises(StoreUnavailableError):
        store.load(GAME)

    with sentinel.client() as client:
        wait_until(
            lambda: client.sentinel_get_master_addr_by_name("games")[1] == replica.port
        )
    assert store.load(GAME) == Stored(2, b"y")


def test_sentinels_that_do_not_know_the_primary(sentinel: Sentinel) -> None:
    store = open_store_at(f"redis://127.0.0.1:{sentinel.port}?sentinel=others")
    with pytest.raises(StoreUnavailableError, match="no server is known"):
        store.load(GAME)
