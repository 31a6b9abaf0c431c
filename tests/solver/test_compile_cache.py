"""The cache of compiled kernels follows all of their sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numba.core import config

from service.solver import compile_cache

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_each_state_of_the_sources_has_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile_cache, "files", lambda _: tmp_path)

    def folder() -> str:
        monkeypatch.setattr(config, "CACHE_DIR", "")
        compile_cache.use_cache_of_these_sources()
        return str(config.CACHE_DIR)  # type: ignore[attr-defined]

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


def test_the_folder_lies_where_the_operator_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    compile_cache.use_cache_of_these_sources()
    assert str(config.CACHE_DIR).startswith(f"{tmp_path}/")  # type: ignore[attr-defined]
