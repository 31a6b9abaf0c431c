"""Files without a name, which processes that are forked share."""

from __future__ import annotations

import os
from tempfile import TemporaryFile


def open_unnamed_file(purpose: str) -> int:
    """Open a file without a name: in memory on Linux, else in the temporary folder.

    No folder is needed for one in memory, so none can be missing, full or read-only.

    Args:
        purpose: What it is for, as Linux lists it.

    Returns:
        Its handle.
    """
    if hasattr(os, "memfd_create"):
        return os.memfd_create(f"accordion-{purpose}")
    with TemporaryFile() as file:
        return os.dup(file.fileno())
