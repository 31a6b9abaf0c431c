"""The folder in which all worker processes count."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
_SHARED_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - the folder in it is private


@contextmanager
def metrics_folder() -> Iterator[None]:
    """Keep a folder for the counts of this process and of those it forks.

    The metrics library looks for it when it is first imported.
    """
    within = _SHARED_MEMORY if _SHARED_MEMORY.is_dir() else None
    folder = tempfile.mkdtemp(prefix="accordion-metrics-", dir=within)
    os.environ[_VARIABLE] = folder
    owner = os.getpid()
    try:
        yield
    finally:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)
