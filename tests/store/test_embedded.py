"""The embedded store: its folder and files, how it ends and is launched again."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
import redis

from service.config import Settings
from service.store.data_folder import EmbeddedStoreError
from service.store.embedded import EmbeddedStore, socket_path
from service.store.factory import open_store
from service.store.protocol import Done, GameKey, Stored, StoreUnavailableError
from service.store.redis import RedisStore
from tests.servers import Service, mounted, wait_until

GAME = GameKey("", "some-game")


@pytest.fixture
def data_dir(short_folder: Path) -> Path:
    return short_folder / "data"


def store_of(data_dir: Path) -> RedisStore:
    return open_store(Settings(data_dir=data_dir))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def pid_of(embedded: EmbeddedStore) -> int:
    assert embedded.pid is not None
    return embedded.pid


def answers(store: RedisStore) -> bool:
    try:
        store.ping()
    except StoreUnavailableError:
        return False
    return True


def config(embedded: EmbeddedStore, name: str) -> str:
    with redis.Redis.from_url(embedded.url, decode_responses=True) as client:
        value: str = client.config_get(name)[name]
        return value


@contextmanager
def in_another_process(data_dir: Path, *, kill: bool = False) -> Iterator[int]:
    """Run an embedded store in another process; yield its server's process id."""
    script = (
        "import sys; from pathlib import Path;"
        "from service.store.embedded import EmbeddedStore;"
        "store = EmbeddedStore(Path(sys.argv[1]));"
        "store.__enter__(); print(store.pid, flush=True); sys.stdin.read();"
        "store.stop()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, data_dir],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
        if kill:
            process.kill()
        process.communicate()


def test_only_this_user_can_reach_it(data_dir: Path) -> None:
    with EmbeddedStore(data_dir) as embedded:
        assert mode(data_dir) == 0o700
        assert mode(data_dir / "store.sock") == 0o700
        assert config(embedded, "port") == "0"
        assert not psutil.Process(embedded.pid).net_connections("inet")


@pytest.mark.parametrize(
    ("flush", "fsync"), [("everysecond", "everysec"), ("always", "always")]
)
def test_every_write_is_appended_to_a_file(
    data_dir: Path, flush: str, fsync: str
) -> None:
    with EmbeddedStore(data_dir, flush) as embedded:
        assert config(embedded, "appendonly") == "yes"
        assert config(embedded, "appendfsync") == fsync
        assert config(embedded, "maxmemory-policy") == "noeviction"


def test_games_remain_after_a_stop(data_dir: Path) -> None:
    with EmbeddedStore(data_dir):
        store_of(data_dir).create(GAME, b"x")
    assert not (data_dir / "store.sock").exists()
    assert not (data_dir / "store.pid").exists()
    with EmbeddedStore(data_dir):
        assert store_of(data_dir).load(GAME) == Stored(1, b"x")


def test_acknowledged_writes_remain_after_a_kill(data_dir: Path) -> None:
    store = store_of(data_dir)
    with EmbeddedStore(data_dir, "always") as embedded:
        store.create(GAME, b"x")
        for version in range(1, 500):
            assert store.replace(GAME, version, b"%d" % version) == Done(version + 1)
        os.kill(pid_of(embedded), signal.SIGKILL)
    with EmbeddedStore(data_dir):
        assert store.load(GAME) == Stored(500, b"499")


def test_a_server_that_dies_is_launched_again(data_dir: Path) -> None:
    with EmbeddedStore(data_dir) as embedded:
        store = store_of(data_dir)
        store.create(GAME, b"x")
        first = pid_of(embedded)
        embedded.relaunch_if_ended()
        assert embedded.pid == first
        os.kill(first, signal.SIGKILL)

        def is_back() -> bool:
            embedded.relaunch_if_ended()
            return answers(store)

        wait_until(is_back)
        assert store.load(GAME) == Stored(1, b"x")
        assert embedded.pid != first
        assert store.replace(GAME, 1, b"y") == Done(2)


def test_unfinished_rewrites_of_a_killed_server_are_removed(data_dir: Path) -> None:
    """Each of these files can be as large as all games."""
    with EmbeddedStore(data_dir) as embedded:
        assert store_of(data_dir).create(GAME, b"x")
        unfinished = [data_dir / "temp-rewriteaof-77.aof"]
        unfinished.append(data_dir / "temp-rewriteaof-bg-78.aof")
        for file in unfinished:
            file.write_bytes(b"half of it")
        assert embedded.pid is not None
        os.kill(embedded.pid, signal.SIGKILL)

        def is_launched_again() -> bool:
            embedded.relaunch_if_ended()
            return not any(file.exists() for file in unfinished)

        wait_until(is_launched_again)
    unfinished[0].touch()
    with EmbeddedStore(data_dir):
        assert not unfinished[0].exists()
        assert store_of(data_dir).load(GAME) == Stored(1, b"x")


def test_a_second_service_on_the_folder_is_refused(data_dir: Path) -> None:
    with in_another_process(data_dir):
        store = store_of(data_dir)
        store.create(GAME, b"x")
        with pytest.raises(EmbeddedStoreError) as caught, EmbeddedStore(data_dir):
            pass
        assert str(caught.value).startswith("ACCORDION_DATA_DIR: the folder ")
        assert "in use by another accordion serve (process " in str(caught.value)
        assert store.load(GAME) == Stored(1, b"x")
    with EmbeddedStore(data_dir):
        assert store.load(GAME) == Stored(1, b"x")


def test_the_server_ends_with_a_killed_service(data_dir: Path) -> None:
    with in_another_process(data_dir, kill=True) as pid:
        store_of(data_dir).create(GAME, b"x")
        server = psutil.Process(pid)
    psutil.wait_procs([server])
    with EmbeddedStore(data_dir):
        assert store_of(data_dir).load(GAME) == Stored(1, b"x")


def test_a_server_left_running_is_ended(data_dir: Path) -> None:
    with EmbeddedStore(data_dir) as embedded:
        command = psutil.Process(embedded.pid).cmdline()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as left:
        store = store_of(data_dir)
        wait_until(lambda: answers(store))
        wait_until(lambda: (data_dir / "store.pid").stat().st_size > 0)
        store.create(GAME, b"x")
        with EmbeddedStore(data_dir) as embedded:
            assert left.wait() == 0
            assert embedded.pid != left.pid
            assert store_of(data_dir).load(GAME) == Stored(1, b"x")


@pytest.mark.parametrize("left", ["1", "ours", "999999999", "", "rubbish"])
def test_a_stale_pid_file_ends_no_process(data_dir: Path, left: str) -> None:
    data_dir.mkdir()
    text = str(os.getpid()) if left == "ours" else left
    (data_dir / "store.pid").write_text(text)
    (data_dir / "store.sock").write_text("not even a socket")
    with EmbeddedStore(data_dir):
        store_of(data_dir).ping()


def test_a_forked_process_does_not_end_the_server(data_dir: Path) -> None:
    with EmbeddedStore(data_dir) as embedded:
        child = os.fork()
        if child == 0:
            embedded.stop()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        store_of(data_dir).ping()


def test_a_forked_process_does_not_keep_the_folder_locked(data_dir: Path) -> None:
    ready, stop = os.pipe(), os.pipe()
    with EmbeddedStore(data_dir):
        child = os.fork()
        if child == 0:
            os.write(ready[1], b"x")
            os.read(stop[0], 1)
            os._exit(0)
        os.read(ready[0], 1)
    with EmbeddedStore(data_dir):
        store_of(data_dir).ping()
    os.write(stop[1], b"x")
    assert os.waitpid(child, 0)[1] == 0
    for end in (*ready, *stop):
        os.close(end)


def test_a_folder_can_have_a_long_path(short_folder: Path) -> None:
    data_dir = short_folder / ("long" * 30)
    socket = socket_path(data_dir)
    assert len(str(socket)) <= 100
    assert socket.is_relative_to(tempfile.gettempdir())
    with EmbeddedStore(data_dir):
        assert mode(socket.parent) == 0o700
        store_of(data_dir).create(GAME, b"x")
        assert store_of(data_dir).load(GAME) == Stored(1, b"x")
    socket.parent.rmdir()


def test_a_socket_folder_open_to_others_is_not_used(short_folder: Path) -> None:
    data_dir = short_folder / ("long" * 30)
    (folder := socket_path(data_dir).parent).mkdir()
    folder.chmod(0o755)
    with pytest.raises(EmbeddedStoreError, match="is open to others"):
        EmbeddedStore(data_dir).__enter__()
    folder.rmdir()


@pytest.mark.parametrize("name", ["with space", "ü%23?#'\"\\", "not-utf-8-\udcff"])
def test_a_folder_can_have_an_unusual_name(short_folder: Path, name: str) -> None:
    data_dir = short_folder / name
    for _ in range(2):
        with EmbeddedStore(data_dir):
            store_of(data_dir).create(GAME, b"x")
    assert (data_dir / "appendonlydir").is_dir()


def test_a_folder_can_be_relative(
    short_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(short_folder)
    with EmbeddedStore(Path("data")):
        store_of(Path("data")).ping()
    assert (short_folder / "data" / "store.log").exists()


def test_a_file_in_place_of_the_folder_is_refused(data_dir: Path) -> None:
    data_dir.write_text("")
    with pytest.raises(EmbeddedStoreError) as caught:
        EmbeddedStore(data_dir).__enter__()
    assert str(caught.value) == (
        f"ACCORDION_DATA_DIR: the folder {data_dir} cannot be used: File exists."
    )


@pytest.fixture
def read_only_folder(short_folder: Path) -> Iterator[Path]:
    """A folder that cannot be written to, even by root."""
    if os.getuid() != 0:
        short_folder.chmod(0o500)
        yield short_folder
        short_folder.chmod(0o700)
        return
    with mounted(short_folder, "ro"):
        yield short_folder


def test_a_read_only_folder_is_refused(read_only_folder: Path) -> None:
    with pytest.raises(EmbeddedStoreError) as caught:
        EmbeddedStore(read_only_folder).__enter__()
    assert str(caught.value).startswith(
        f"ACCORDION_DATA_DIR: the folder {read_only_folder} cannot be used: "
    )


def test_a_server_whose_socket_is_removed_is_launched_again(data_dir: Path) -> None:
    with EmbeddedStore(data_dir) as embedded:
        store_of(data_dir).create(GAME, b"x")
        first = pid_of(embedded)
        (data_dir / "store.sock").unlink()
        embedded.relaunch_if_ended()

        def is_back() -> bool:
            embedded.relaunch_if_ended()
            return answers(store_of(data_dir))

        wait_until(is_back)
        assert embedded.pid != first
        assert store_of(data_dir).load(GAME) == Stored(1, b"x")


def test_a_service_recovers_after_the_socket_of_its_store_is_removed(
    served: Callable[..., Service],
) -> None:
    service = served(workers=2)
    store = service.store
    (service.data_dir / "store.sock").unlink()
    psutil.wait_procs([store])
    wait_until(lambda: service.request("GET", "/readyz").status == 200)


def test_a_damaged_file_prevents_a_start_and_the_message_names_a_command(
    data_dir: Path,
) -> None:
    with EmbeddedStore(data_dir):
        store_of(data_dir).create(GAME, b"x")
    [file] = (data_dir / "appendonlydir").glob("*.incr.aof")
    file.write_bytes(b"rubbish\r\n" + (content := file.read_bytes()))
    for _ in range(2):
        with pytest.raises(EmbeddedStoreError) as caught:
            EmbeddedStore(data_dir).__enter__()
        assert str(caught.value) == (
            f"The store in {data_dir} is damaged: {file.name} cannot be read from byte "
            f"0 on, which are {len(content) + 9} bytes. Nothing was changed; see "
            "accordion store check, and accordion store repair."
        )


@pytest.mark.parametrize("gone", ["appendonly.aof.manifest", "*.incr.aof"])
def test_a_missing_file_prevents_a_start(data_dir: Path, gone: str) -> None:
    with EmbeddedStore(data_dir):
        store_of(data_dir).create(GAME, b"x")
    [file] = (data_dir / "appendonlydir").glob(gone)
    file.unlink()
    with pytest.raises(EmbeddedStoreError, match=f"{file.name} is missing"):
        EmbeddedStore(data_dir).__enter__()
    assert {path.name for path in data_dir.glob("appendonlydir*")} == {"appendonlydir"}
    assert not file.exists()


def test_a_server_that_dies_is_not_launched_without_its_games(data_dir: Path) -> None:
    with EmbeddedStore(data_dir) as embedded:
        store_of(data_dir).create(GAME, b"x")
        manifest = data_dir / "appendonlydir" / "appendonly.aof.manifest"
        text = manifest.read_text()
        manifest.unlink()
        first = pid_of(embedded)
        os.kill(first, signal.SIGKILL)
        until = time.monotonic() + 2
        while time.monotonic() < until:
            embedded.relaunch_if_ended()
            assert not answers(store_of(data_dir))
        manifest.write_text(text)

        def is_back() -> bool:
            embedded.relaunch_if_ended()
            return answers(store_of(data_dir))

        wait_until(is_back)
        assert store_of(data_dir).load(GAME) == Stored(1, b"x")
