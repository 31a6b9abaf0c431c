"""The number of processors that this process may use."""

from __future__ import annotations

import os
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT: Final = Path("/sys/fs/cgroup")
_OWN: Final = Path("/proc/self/cgroup")


def processors(root: Path = _ROOT, own: Path = _OWN) -> int:
    """Return the number of processors that this process may use, at least 1.

    It is limited by CPU affinity and by control groups (Linux, versions 1 and 2), whose
    limits are rounded up.

    Args:
        root: The folder of the control groups.
        own: The file that lists the control groups of this process.
    """
    if hasattr(os, "sched_getaffinity"):
        known = len(os.sched_getaffinity(0))
    else:
        known = os.cpu_count() or 1
    return max(1, min([known, *map(ceil, _quotas(root, own))]))


def _quotas(root: Path, own: Path) -> Iterator[float]:
    """Yield the CPU limit of each control group around this process, in processors."""
    for folder in _folders(root, own):
        with suppress(OSError, ValueError):  # version 2: "max 100000" or "50000 100000"
            part, whole = (folder / "cpu.max").read_text().split()
            yield int(part) / int(whole)
        with suppress(OSError, ValueError):  # version 1: -1 means no limit
            quota = int((folder / "cpu.cfs_quota_us").read_text())
            period = int((folder / "cpu.cfs_period_us").read_text())
            if quota > 0:
                yield quota / period


def _folders(root: Path, own: Path) -> Iterator[Path]:
    """Yield the folders of the control groups of this process and of their parents.

    In a container these may be paths of the host, and not exist.
    """
    with suppress(OSError):
        for line in own.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if not controllers or "cpu" in controllers.split(","):
                group = root / controllers / path.lstrip("/")
                around = (group, *group.parents)
                yield from (each for each in around if each.is_relative_to(root))
