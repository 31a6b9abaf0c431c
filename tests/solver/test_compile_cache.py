"""Compiled kernels are found again, and no state of the cache stops a start."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from numba import njit
from numba.core import config

from service.solver import compile_cache

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REPORT = """
import json, time
from service.engine.variants import VARIANTS
from service.solver import is_cached, is_compiled, warm
from service.solver.warmup import KERNELS
compiled = is_compiled()
warm()
print(json.dumps([compiled, is_cached(), KERNELS[0].stats.cache_path]))
"""


def added(a: int, b: int) -> int:
    return a + b


@pytest.fixture(autouse=True)
def _sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    sources = tmp_path / "sources"
    sources.joinpath("kernels").mkdir(parents=True)
    monkeypatch.setattr(compile_cache, "files", lambda _: sources)
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "first"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "users"))
    yield


def kernel() -> Any:
    """A kernel that this process has not compiled, with the cache it gets."""
    configured = config.CACHE_DIR
    made = njit(added)
    compile_cache.use_cache([made])
    config.CACHE_DIR = configured
    return made


def compiled_from(made: Any) -> str:
    """Call a kernel; tell where its code comes from."""
    assert made(2, 3) == 5
    return "disk" if made.stats.cache_hits else "source"
