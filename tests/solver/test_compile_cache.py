"""Compiled kernels are cached, and no state of the cache prevents a start."""

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
def operators_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder that the operator configured; `users_folder` is the default."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "operators_folder"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "users_folder"))
    return tmp_path / "operators_folder"


@pytest.fixture
def users_folder(tmp_path: Path) -> Path:
    return tmp_path / "users_folder"


def kernel() -> Any:  # noqa: ANN401 - numba has no type for it
    """A kernel as in a new process: not compiled yet, with its cache."""
    operators = config.CACHE_DIR  # type: ignore[attr-defined]
    made = njit(added)
    compile_cache.use_cache([made])
    config.CACHE_DIR = operators  # type: ignore[attr-defined]
    return made


def was_cached(made: Any) -> bool:  # noqa: ANN401
    """Call a kernel; return whether its code was loaded from the cache."""
    assert made(2, 3) == 5
    return bool(made.stats.cache_hits)


def block_folder(folder: Path) -> None:
    """Put a file in place of a folder, so that not even root can create it."""
    folder.write_text("not a folder")


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*.nb*")}


def test_a_compiled_kernel_is_found_again(
    operators_folder: Path, users_folder: Path
) -> None:
    made = kernel()
    assert not compile_cache.is_cached([made])
    assert not was_cached(made)
    assert compile_cache.is_cached([made])
    assert was_cached(kernel())
    assert len(files(operators_folder)) == 2
    assert not users_folder.exists()


def test_without_the_operators_folder_the_users_folder_is_used(
    operators_folder: Path, users_folder: Path
) -> None:
    block_folder(operators_folder)
    assert not was_cached(kernel())
    assert was_cached(kernel())
    assert len(files(users_folder)) == 2


def test_without_any_folder_kernels_are_compiled_in_memory(
    operators_folder: Path, users_folder: Path
) -> None:
    block_folder(operators_folder)
    block_folder(users_folder)
    made = kernel()
    assert not was_cached(made)
    assert not compile_cache.is_cached([made])


def test_without_a_home_no_folder_of_that_name_is_made(
    operators_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    block_folder(operators_folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "~/.cache")
    assert not was_cached(kernel())
    assert [path.name for path in tmp_path.iterdir()] == ["operators_folder"]


def test_kernels_are_read_where_nothing_can_be_written(
    operators_folder: Path, users_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not was_cached(kernel())
    operators_folder.rename(users_folder)
    users_folder.joinpath("accordion-service").mkdir()
    for folder in users_folder.glob("????????????????"):
        folder.rename(users_folder / "accordion-service" / folder.name)
    monkeypatch.setattr(compile_cache.KernelCache, "has_room", lambda _: False)
    before = files(users_folder)
    assert was_cached(kernel())
    assert files(users_folder) == before
    assert not operators_folder.exists()


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("content", [b"", b"\x80", b"rubbish"])
def test_a_damaged_cache_is_rebuilt(
    operators_folder: Path, ending: str, content: bytes
) -> None:
    was_cached(kernel())
    (file,) = operators_folder.rglob(f"*.{ending}")
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
def test_kernels_work_on_a_full_disk(
    room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.py"
    script.write_text(FULL_DISK)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "operators_folder"))
    result = subprocess.run(
        [sys.executable, script, str(room)], capture_output=True, text=True, check=False
    )
    assert (result.stdout, result.stderr) == (f"{room == 2**30}\n", "")
    assert not list(tmp_path.rglob("*.tmp.*"))


def test_each_version_of_the_sources_has_its_own_folder(
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
    original = folder()
    assert original.startswith(f"{tmp_path / '__pycache__'}/")
    (tmp_path / "notes.txt").write_text("3")
    assert folder() == original
    other.write_text("4")
    assert folder() != original
    other.write_text("2")
    assert folder() == original
