"""Files without a name, shared by forked processes."""

from __future__ import annotations

import os
from tempfile import TemporaryFile


def open_unnamed_file(purpose: str) -> int:
    """Open a file without a name: in memory on Linux, else in the temporary folder.

    A file in memory needs no folder, which could be missing, full or read-only.

    Args:
        purpose: What the file is for; part of the name that Linux lists.

    Returns:
        The file descriptor.
    """
    if hasattr(os, "memfd_create"):
        return os.memfd_create(f"accordion-{purpose}")
    with TemporaryFile() as file:
        return os.dup(file.fileno())
