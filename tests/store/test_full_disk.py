"""An embedded store on a full disk: what it refuses, and what it keeps."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count, takewhile
from pathlib import Path

import pytest
import redis

from service.config import Settings
from service.store.data_folder import EmbeddedStoreError
from service.store.embedded import EmbeddedStore, embedded_url
from service.store.factory import open_store
from service.store.protocol import GameKey, Stored, StoreUnavailableError
from service.store.redis import RedisStore
from tests.servers import Service, mounted, wait_until

DISK = "size=24m,mode=700"
VALUE = b"x" * 10_000
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def disk(short_folder: Path) -> Iterator[Path]:
    """A small disk for one test."""
    with mounted(short_folder, DISK):
        yield short_folder


def fill(disk: Path, left: int = 0) -> None:
    """Fill the disk until at most `left` bytes are free."""
    with (disk / "filler").open("ab", buffering=0) as file:
        with suppress(OSError):
            while file.write(bytes(4096)):
                pass
        file.truncate(max(0, file.tell() - left))


def clear(disk: Path) -> None:
    (disk / "filler").unlink()


def store_of(disk: Path) -> RedisStore:
    return open_store(Settings(data_dir=disk, store_timeout=5))


def accepts_write(store: RedisStore, number: int) -> bool:
    try:
        return store.create(GameKey("", str(number)), VALUE)
    except StoreUnavailableError:
        return False


def write_until_refused(disk: Path) -> list[int]:
    """Return the numbers of the writes that were acknowledged."""
    store = store_of(disk)
    return list(takewhile(lambda number: accepts_write(store, number), range(10_000)))


def assert_kept(disk: Path, acknowledged: list[int]) -> None:
    store = store_of(disk)
    for number in acknowledged:
        assert store.load(GameKey("", str(number))) == Stored(1, VALUE)


def test_a_new_store_does_not_start_on_a_full_disk(short_folder: Path) -> None:
    with mounted(short_folder, "size=64k,mode=700"):
        fill(short_folder, left=8192)
        with pytest.raises(EmbeddedStoreError) as caught:
            EmbeddedStore(short_folder).__enter__()
        assert str(caught.value).startswith(f"The store cannot start in {short_folder}")
        assert str(caught.value).endswith(": No space left on device.")


def test_writes_acknowledged_before_the_disk_was_full_remain_after_a_kill(
    disk: Path,
) -> None:
    with EmbeddedStore(disk) as embedded:
        fill(disk, left=300_000)
        acknowledged = write_until_refused(disk)
        assert len(acknowledged) > 10
        reserve = disk / "store.reserve"
        assert reserve.stat().st_size == 16 * 1024 * 1024

        def is_released() -> bool:
            embedded.relaunch_if_ended()
            return not reserve.exists()

        wait_until(is_released)
        assert embedded.pid is not None
        wait_until(lambda: is_saved(disk))
        os.kill(embedded.pid, signal.SIGKILL)
    clear(disk)
    with EmbeddedStore(disk):
        assert_kept(disk, acknowledged)


def is_saved(disk: Path) -> bool:
    """Whether the server has nothing left to write."""
    with redis.Redis.from_url(embedded_url(disk)) as client:
        found = client.info("persistence")
        return bool(found["aof_buffer_length"] == 0)


def test_writes_acknowledged_before_the_disk_was_full_remain_after_a_stop(
    disk: Path,
) -> None:
    with EmbeddedStore(disk):
        fill(disk, left=300_000)
        acknowledged = write_until_refused(disk)
    clear(disk)
    with EmbeddedStore(disk):
        assert_kept(disk, acknowledged)


def test_no_write_is_accepted_until_there_is_space_again(disk: Path) -> None:
    with EmbeddedStore(disk) as embedded:
        fill(disk, left=300_000)
        acknowledged = write_until_refused(disk)
        store, numbers = store_of(disk), count(20_000)
        until = time.monotonic() + 4
        while time.monotonic() < until:  # the reserve has room for more
            embedded.relaunch_if_ended()
            assert not accepts_write(store, next(numbers))
        assert_kept(disk, acknowledged)
        with pytest.raises(StoreUnavailableError):
            store.ping()
        clear(disk)

        def is_back() -> bool:
            embedded.relaunch_if_ended()
            return accepts_write(store, next(numbers))

        wait_until(is_back)
        assert (disk / "store.reserve").exists()


@pytest.mark.parametrize("flush", ["everysecond", "always"])
def test_a_store_on_a_full_disk_starts_and_refuses_writes(
    disk: Path, flush: str
) -> None:
    with EmbeddedStore(disk, flush):
        assert accepts_write(store_of(disk), 0)
    fill(disk)
    with EmbeddedStore(disk, flush) as embedded:
        assert_kept(disk, [0])
        assert not accepts_write(store_of(disk), 1)
        clear(disk)

        def is_back() -> bool:
            embedded.relaunch_if_ended()
            return accepts_write(store_of(disk), 2)

        wait_until(is_back)


def test_a_stop_that_loses_writes_reports_it(disk: Path) -> None:
    embedded = EmbeddedStore(disk).__enter__()
    (disk / "store.reserve").unlink()
    fill(disk, left=300_000)
    write_until_refused(disk)
    with pytest.raises(EmbeddedStoreError) as caught:
        embedded.stop()
    assert str(caught.value) == (
        f"The last writes to {disk} are lost: its disk is full."
    )


def play(service: Service, path: str) -> bool:
    """Make a move, or undo all if none is legal; return whether it succeeded."""
    game = json.loads(service.request("GET", path).body)
    move = (game["legal_moves"] or [None])[0]
    action = f"{path}/moves" if move else f"{path}/undo"
    body = json.dumps(move or {"count": "all"}).encode()
    return service.request("POST", action, body, JSON).status == 200


@pytest.mark.parametrize("has_reserve", [True, False])
def test_a_service_keeps_acknowledged_moves_or_reports_their_loss_at_a_stop(
    disk: Path, served: Callable[..., Service], *, has_reserve: bool
) -> None:
    service = served(data_dir=disk, workers=1, store_timeout=5)
    made = service.request("POST", "/v1/games", b"{}", JSON)
    path = f"/v1/games/{json.loads(made.body)['id']}"
    if not has_reserve:
        (disk / "store.reserve").unlink()
    fill(disk, left=20_000)
    while play(service, path):
        pass
    assert service.request("GET", "/readyz").status == 503
    last = service.request("GET", path)
    assert last.status == 200
    code = service.stop()
    if not has_reserve:
        assert code != 0
        assert "are lost: its disk is full." in service.output()
        return
    assert code == 0
    clear(disk)
    service.start()
    found = json.loads(service.request("GET", path).body)
    assert found["version"] == json.loads(last.body)["version"]
