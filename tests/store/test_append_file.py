"""The files of the embedded store: finding damage, and repairing it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import redis
from click.testing import CliRunner, Result

from service.cli import main
from service.config import Settings
from service.store.append_file import AppendFile
from service.store.data_folder import EmbeddedStoreError
from service.store.embedded import EmbeddedStore, embedded_url
from service.store.factory import open_store
from service.store.protocol import Done, GameKey, IdempotencyKey, KeptAnswer, Stored
from tests.servers import wait_until

GAMES = [GameKey("", f"game-{number}") for number in range(20)]
ANSWER = KeptAnswer(IdempotencyKey("", "game-0", "key"), bytes(16), b"answer")
MANIFEST = "appendonly.aof.manifest"


@pytest.fixture
def data_dir(short_folder: Path) -> Path:
    """The folder of a store that was stopped, with every game at version 2."""
    folder = short_folder / "data"
    with EmbeddedStore(folder):
        store = open_store(Settings(data_dir=folder, store_timeout=5))
        for key in GAMES:
            store.create(key, b"old")
        rewrite(folder)
        for key in GAMES:
            answer = ANSWER if key == GAMES[0] else None
            assert store.replace(key, 1, b"new", answer=answer) == Done(2)
    return folder


def rewrite(data_dir: Path) -> None:
    """Make the server write a new base file."""
    with redis.Redis.from_url(embedded_url(data_dir)) as client:
        client.bgrewriteaof()
        wait_until(lambda: not client.info("persistence")["aof_rewrite_in_progress"])


def file_of(data_dir: Path, kind: str) -> Path:
    [found] = (data_dir / "appendonlydir").glob(f"*.{kind}.*")
    return found


def run(action: str, data_dir: Path) -> Result:
    return CliRunner().invoke(main, ["store", action, "--data-dir", str(data_dir)])


def texts(data_dir: Path) -> list[str]:
    return [fault.text for fault in AppendFile(data_dir).faults()]


def started_games(data_dir: Path) -> list[Stored | None]:
    """Start a store; return its games."""
    with EmbeddedStore(data_dir):
        store = open_store(Settings(data_dir=data_dir, store_timeout=5))
        return [store.load(key) for key in GAMES]


ALL_NEW = [Stored(2, b"new")] * len(GAMES)


def test_sound_files_are_not_changed(data_dir: Path) -> None:
    size = sum(
        path.stat().st_size for path in (data_dir / "appendonlydir").glob("*.*.*.*")
    )
    for action in ("check", "repair"):
        result = run(action, data_dir)
        assert result.exit_code == 0
        assert result.output.startswith(f"The files are sound: {size} bytes.")
    assert {path.name for path in data_dir.glob("appendonlydir*")} == {"appendonlydir"}
    assert started_games(data_dir) == ALL_NEW


def test_a_new_folder_is_sound(short_folder: Path) -> None:
    assert run("check", short_folder).output == "The files are sound: 0 bytes.\n"


def test_a_file_cut_off_anywhere_by_a_crash_is_sound(data_dir: Path) -> None:
    """The server starts with such a file, without the write that was not finished."""
    file = file_of(data_dir, "incr")
    content = file.read_bytes()
    assert b"MULTI" in content
    for end in range(0, len(content), 3):
        file.write_bytes(content[:end])
        assert texts(data_dir) == [], content[:end]
    file.write_bytes(content[:-5])
    assert started_games(data_dir) == [*ALL_NEW[:-1], Stored(1, b"old")]


@pytest.mark.parametrize("tail", [bytes(1), bytes(5000), b"rubbish", b"*1\r\n+x\r\n"])
def test_an_unreadable_end_of_a_file_is_cut_off(data_dir: Path, tail: bytes) -> None:
    file = file_of(data_dir, "incr")
    size = file.stat().st_size
    with file.open("ab") as appended:
        appended.write(tail)
    wrong = (
        f"{file.name} cannot be read from byte {size} on, which are {len(tail)} bytes"
    )
    with pytest.raises(EmbeddedStoreError, match=wrong):
        EmbeddedStore(data_dir).__enter__()
    checked = run("check", data_dir)
    assert checked.exit_code == 1
    assert checked.output == f"The files are damaged:\n  {wrong}\n"
    repaired = run("repair", data_dir)
    assert repaired.exit_code == 0
    assert repaired.output.endswith(
        "Repaired. The files as they were are in appendonlydir.damaged-1.\n"
    )
    copy = data_dir / "appendonlydir.damaged-1" / file.name
    assert copy.stat().st_size == size + len(tail)
    assert started_games(data_dir) == ALL_NEW


def remove(file: Path) -> None:
    file.unlink()


def empty(file: Path) -> None:
    file.write_text("")


def fill(file: Path) -> None:
    file.write_bytes(bytes(100))


@pytest.mark.parametrize("damage", [remove, empty, fill])
def test_a_lost_manifest_is_made_again(
    data_dir: Path, damage: Callable[[Path], None]
) -> None:
    damage(data_dir / "appendonlydir" / MANIFEST)
    with pytest.raises(EmbeddedStoreError, match="accordion store repair"):
        EmbeddedStore(data_dir).__enter__()
    assert run("repair", data_dir).exit_code == 0
    assert started_games(data_dir) == ALL_NEW


def test_of_two_bases_the_newer_is_used(data_dir: Path) -> None:
    """A crash can leave two while the server writes a new one."""
    folder, older = data_dir / "appendonlydir", data_dir / "older"
    shutil.copytree(folder, older)
    with EmbeddedStore(data_dir):
        rewrite(data_dir)
    for path in older.glob("*.*.*.*"):
        path.rename(folder / path.name)
    (folder / MANIFEST).unlink()
    assert len(list(folder.glob("*.base.rdb"))) == 2
    assert run("repair", data_dir).exit_code == 0
    assert started_games(data_dir) == ALL_NEW


def test_a_file_of_writes_missing_in_the_manifest_is_added(data_dir: Path) -> None:
    manifest, file = data_dir / "appendonlydir" / MANIFEST, file_of(data_dir, "incr")
    lines = manifest.read_text().splitlines(keepends=True)
    manifest.write_text("".join(line for line in lines if file.name not in line))
    assert texts(data_dir) == [f"{file.name} is not listed"]
    with pytest.raises(EmbeddedStoreError, match="is not listed"):
        EmbeddedStore(data_dir).__enter__()
    assert run("repair", data_dir).exit_code == 0
    assert started_games(data_dir) == ALL_NEW


def test_without_the_last_writes_a_store_has_the_earlier_games(data_dir: Path) -> None:
    file = file_of(data_dir, "incr")
    file.unlink()
    result = run("repair", data_dir)
    assert f"{file.name} is missing, with all that was in it" in result.output
    assert result.exit_code == 0
    assert started_games(data_dir) == [Stored(1, b"old")] * len(GAMES)


def test_a_damaged_base_cannot_be_repaired(data_dir: Path) -> None:
    file = file_of(data_dir, "base")
    content = bytearray(file.read_bytes())
    content[len(content) // 2 :] = bytes(len(content) - len(content) // 2)
    file.write_bytes(content)
    for action in ("check", "repair"):
        result = run(action, data_dir)
        assert result.exit_code == 1
        assert f"{file.name} is damaged" in result.output
    assert (
        "This cannot be repaired: restore a backup.\n" in run("repair", data_dir).output
    )
    assert file.read_bytes() == content
    assert {path.name for path in data_dir.glob("appendonlydir*")} == {"appendonlydir"}


def test_files_in_use_are_neither_checked_nor_repaired(data_dir: Path) -> None:
    with EmbeddedStore(data_dir):
        for action in ("check", "repair"):
            result = run(action, data_dir)
            assert result.exit_code == 2
            assert "is in use by another accordion serve" in result.output


def test_each_repair_keeps_a_separate_copy(data_dir: Path) -> None:
    for _ in range(2):
        fill_end = file_of(data_dir, "incr").open("ab")
        with fill_end:
            fill_end.write(bytes(10))
        assert run("repair", data_dir).exit_code == 0
    names = {path.name for path in data_dir.glob("appendonlydir.damaged-*")}
    assert names == {"appendonlydir.damaged-1", "appendonlydir.damaged-2"}
