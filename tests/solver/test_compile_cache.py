"""Compiled kernels are found again, and no state of the cache stops a start."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from numba import njit
from numba.core import config

from service.solver import compile_cache

if TYPE_CHECKING:
    from pathlib import Path


def added(a: int, b: int) -> int:
    return a + b


@pytest.fixture(autouse=True)
def first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that an operator names; the user's own is ``users``."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "first"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "users"))
    return tmp_path / "first"


@pytest.fixture
def users(tmp_path: Path) -> Path:
    return tmp_path / "users"


def kernel() -> Any:  # noqa: ANN401 - numba has no type for it
    """A kernel as a new process has it: not compiled, with the cache it gets."""
    operators = config.CACHE_DIR  # type: ignore[attr-defined]
    made = njit(added)
    compile_cache.use_cache([made])
    config.CACHE_DIR = operators  # type: ignore[attr-defined]
    return made


def was_cached(made: Any) -> bool:  # noqa: ANN401
    """Call a kernel; whether its code came from the disk."""
    assert made(2, 3) == 5
    return bool(made.stats.cache_hits)


def forbid(folder: Path) -> None:
    """Have a folder that cannot be made, not even by root."""
    folder.write_text("not a folder")


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*.nb*")}


def test_what_is_compiled_once_is_found_again(first: Path, users: Path) -> None:
    made = kernel()
    assert not compile_cache.is_cached([made])
    assert not was_cached(made)
    assert compile_cache.is_cached([made])
    assert was_cached(kernel())
    assert len(files(first)) == 2
    assert not users.exists()


def test_without_a_folder_of_the_operator_the_users_is_taken(
    first: Path, users: Path
) -> None:
    forbid(first)
    assert not was_cached(kernel())
    assert was_cached(kernel())
    assert len(files(users)) == 2


def test_without_any_folder_kernels_are_compiled_in_memory(
    first: Path, users: Path
) -> None:
    forbid(first)
    forbid(users)
    made = kernel()
    assert not was_cached(made)
    assert not compile_cache.is_cached([made])


def test_without_a_home_no_folder_of_that_name_is_made(
    first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forbid(first)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "~/.cache")
    assert not was_cached(kernel())
    assert [path.name for path in tmp_path.iterdir()] == ["first"]


def test_kernels_are_read_where_nothing_can_be_written(
    first: Path, users: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not was_cached(kernel())
    first.rename(users)
    users.joinpath("accordion-service").mkdir()
    for folder in users.glob("????????????????"):
        folder.rename(users / "accordion-service" / folder.name)
    monkeypatch.setattr(compile_cache.KernelCache, "has_room", lambda _: False)
    before = files(users)
    assert was_cached(kernel())
    assert files(users) == before
    assert not first.exists()


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("content", [b"", b"\x80", b"rubbish"])
def test_a_damaged_cache_is_made_again(
    first: Path, ending: str, content: bytes
) -> None:
    was_cached(kernel())
    (file,) = first.rglob(f"*.{ending}")
    file.write_bytes(content)
    assert not was_cached(kernel())
    assert was_cached(kernel())


def test_code_for_another_processor_does_not_count() -> None:
    made = kernel()
    was_cached(made)
    triple, _, features = made.targetctx.codegen().magic_tuple()
    assert not made._cache.has_code_for((triple, "another", features))  # noqa: SLF001


FULL_DISK = """
import resource, sys
from numba import njit
from service.solver import compile_cache

def added(a, b):
    return a + b

resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
kernel = njit(added)
compile_cache.use_cache([kernel])
assert kernel(2, 3) == 5
print(compile_cache.is_cached([kernel]))
"""


@pytest.mark.parametrize("room", [0, 2**12, 2**30])
def test_a_full_disk_stops_nothing(
    room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.py"
    script.write_text(FULL_DISK)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "first"))
    result = subprocess.run(
        [sys.executable, script, str(room)], capture_output=True, text=True, check=False
    )
    assert (result.stdout, result.stderr) == (f"{room == 2**30}\n", "")
    assert not list(tmp_path.rglob("*.tmp.*"))


def test_each_state_of_the_sources_has_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile_cache, "files", lambda _: tmp_path)
    monkeypatch.setattr(config, "CACHE_DIR", "")

    def folder() -> str:
        return next(compile_cache._folders())  # noqa: SLF001

    tmp_path.joinpath("kernels").mkdir()
    one, other = tmp_path / "one.py", tmp_path / "kernels" / "other.py"
    one.write_text("1")
    other.write_text("2")
    first = folder()
    assert first.startswith(f"{tmp_path / '__pycache__'}/")
    (tmp_path / "notes.txt").write_text("3")
    assert folder() == first
    other.write_text("4")
    assert folder() != first
    other.write_text("2")
    assert folder() == first
