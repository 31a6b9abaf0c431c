"""The number of processors that a process may use, limited by its control groups."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from service.processors import processors

if TYPE_CHECKING:
    from pathlib import Path

_ALL = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def _write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root / "own"


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"own": "0::/\n", "cpu.max": "max 100000\n"},
        {"own": "0::/\n", "cpu.max": "6400000 100000\n"},
        {"own": "0::/\n", "cpu.max": "rubbish\n"},
        {"own": "0::/elsewhere/and/on\n"},
        {
            "own": "4:cpu:/\n",
            "cpu/cpu.cfs_quota_us": "-1\n",
            "cpu/cpu.cfs_period_us": "100000\n",
        },
        {
            "own": "4:memory:/\n",
            "memory/cpu.cfs_quota_us": "1000\n",
            "memory/cpu.cfs_period_us": "100000\n",
        },
    ],
)
def test_without_a_quota_all_processors_are_used(
    tmp_path: Path, files: dict[str, str]
) -> None:
    assert processors(tmp_path, _write(tmp_path, files)) == _ALL


@pytest.mark.parametrize(
    "files",
    [
        {"own": "0::/\n", "cpu.max": "100000 100000\n"},
        {"own": "0::/\n", "cpu.max": "1000 100000\n"},
        {"own": "0::/a/b\n", "a/cpu.max": "50000 100000\n", "a/b/cpu.max": "max 1\n"},
        {"own": "0::/not/there\n", "cpu.max": "50000 100000\n"},
        {
            "own": "3:cpuset:/\n4:cpu,cpuacct:/pod\n",
            "cpu,cpuacct/pod/cpu.cfs_quota_us": "50000\n",
            "cpu,cpuacct/pod/cpu.cfs_period_us": "100000\n",
        },
        {
            "own": "4:cpu:/as/it/is/outside\n",
            "cpu/cpu.cfs_quota_us": "50000\n",
            "cpu/cpu.cfs_period_us": "100000\n",
        },
    ],
)
def test_a_quota_of_one_or_less_is_one(tmp_path: Path, files: dict[str, str]) -> None:
    assert processors(tmp_path, _write(tmp_path, files)) == 1


@pytest.mark.skipif(_ALL < 2, reason="one processor")
def test_a_part_of_a_processor_counts_as_one(tmp_path: Path) -> None:
    own = _write(tmp_path, {"own": "0::/\n", "cpu.max": "110000 100000\n"})
    assert processors(tmp_path, own) == 2
