"""The folder in which all worker processes count."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
_SHARED_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - the folder in it is private
_PREFIX: Final = "accordion-metrics-"
_NEW_SECONDS: Final = 60
"""How long a folder is left alone, whose service may not have locked it yet."""


@contextmanager
def metrics_folder() -> Iterator[None]:
    """Keep a folder for the counts of this process and of those it forks.

    The metrics library looks for it when it is first imported. Folders that killed
    services have left are cleared away: nobody holds their lock any more.
    """
    within = _SHARED_MEMORY if _SHARED_MEMORY.is_dir() else Path(tempfile.gettempdir())
    clear_left_behind(within)
    folder = tempfile.mkdtemp(prefix=_PREFIX, dir=within)
    lock = _lock(folder)
    os.environ[_VARIABLE] = folder
    owner = os.getpid()
    try:
        yield
    finally:
        if os.getpid() == owner:
            del os.environ[_VARIABLE]
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def clear_left_behind(within: Path) -> None:
    """Remove this user's folders of counts that no running process has locked."""
    for folder in within.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            found = folder.lstat()
            is_old = time.time() - found.st_mtime > _NEW_SECONDS
            if is_old and found.st_uid == os.getuid():
                os.close(_lock(folder))
                shutil.rmtree(folder)


def _lock(folder: str | Path) -> int:
    """Lock a folder, for as long as this process or one that it forked lives.

    Raises:
        BlockingIOError: Another has locked it.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle
