"""Full disks, as faults of a soak test.

Where it is allowed, the program runs in its own mount namespace: its disks are in
memory, and no other program sees them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from loadtests.soak_faults import Fault, kill_store, kill_worker, wait
from tests.servers import mounted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

    from tests.servers import Service

_NAMESPACE: Final = ("unshare", "--mount", "--map-root-user")
_OWN_MOUNTS_VARIABLE: Final = "SOAK_HAS_OWN_MOUNTS"
_SHARED_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - this program's own mount
_DATA_SIZE: Final = "12g"  # a million writes need less; memory is taken as it fills
_SHARED_SIZE: Final = "1m"
_PAGE: Final = 4096
_CHECK_SECONDS: Final = 1.5  # the service checks the free space once a second
_RETRY_SECONDS: Final = 0.01


def enter_own_mounts(module: str) -> None:
    """Run this module again in its own mount namespace, or return if impossible."""
    if not has_own_mounts() and can_mount():
        command = [*_NAMESPACE, sys.executable, "-m", module, *sys.argv[1:]]
        os.execvpe(command[0], command, os.environ | {_OWN_MOUNTS_VARIABLE: "yes"})  # noqa: S606


def can_mount() -> bool:
    """Whether a program may create a mount namespace here."""
    mount = ["mount", "-t", "tmpfs", "none", str(_SHARED_MEMORY)]
    return shutil.which(_NAMESPACE[0]) is not None and _succeeds([*_NAMESPACE, *mount])


def has_own_mounts() -> bool:
    """Whether this program runs in its own mount namespace."""
    return _OWN_MOUNTS_VARIABLE in os.environ


@contextmanager
def small_disks(data: Path) -> Iterator[None]:
    """Mount small disks for a data folder and for shared memory, if possible."""
    with ExitStack() as stack:
        if has_own_mounts():
            options = f"size={_DATA_SIZE},mode=700"
            stack.enter_context(mounted(data, options))
            stack.enter_context(mounted(_SHARED_MEMORY, f"size={_SHARED_SIZE}"))
        yield


@contextmanager
def _full(disk: Path, size: str) -> Iterator[None]:
    """Leave no space on a disk during the `with` block.

    The disk is shrunk to its content, so that filling it takes no memory.
    """
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(_PAGE))  # no disk has the size 0
    try:
        while not _resize(disk, str(_used(disk))):  # more was written meanwhile
            time.sleep(_RETRY_SECONDS)
        yield
    finally:
        _resize(disk, size)
        ballast.unlink()


def _used(disk: Path) -> int:
    found = os.statvfs(disk)
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def _resize(disk: Path, size: str) -> bool:
    return _succeeds(["mount", "-o", f"remount,size={size}", str(disk)])


def _succeeds(command: Sequence[str]) -> bool:
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def _fill_data(service: Service, random: Random) -> None:
    with _full(service.data_dir, _DATA_SIZE):
        time.sleep(_CHECK_SECONDS)
        wait(random)


def _fill_data_and_kill_store(service: Service, random: Random) -> None:
    with _full(service.data_dir, _DATA_SIZE):
        wait(random)
        kill_store(service, random)
        time.sleep(_CHECK_SECONDS)


def _fill_shared_memory(service: Service, random: Random) -> None:
    with _full(_SHARED_MEMORY, _SHARED_SIZE):
        kill_worker(service, random)
        wait(random)


DISK_FAULTS: dict[str, Fault] = {
    "disk full": _fill_data,
    "store killed while its disk is full": _fill_data_and_kill_store,
    "shared memory full, worker killed": _fill_shared_memory,
}
