"""Where compiled kernels are cached: a folder for each state of the sources.

Numba compiles a kernel with those it calls, but looks only at the kernel's own file to
tell whether its cache is stale. With a folder for each state of all files here, an
edit of one never leaves another with old code inside.
"""

from __future__ import annotations

import hashlib
from importlib.resources import files

from numba.core import config

_DIGITS = 16


def use_cache_of_these_sources() -> None:
    """Have numba cache in a folder named after these sources.

    It lies in ``NUMBA_CACHE_DIR``, or where that is not set beside the sources.
    """
    package = files("service.solver")
    digest = hashlib.sha256()
    for folder in (package, package.joinpath("kernels")):
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            if file.name.endswith(".py"):
                digest.update(file.read_bytes())
    base = config.CACHE_DIR or package.joinpath("__pycache__")  # type: ignore[attr-defined]
    config.CACHE_DIR = f"{base}/{digest.hexdigest()[:_DIGITS]}"  # type: ignore[attr-defined]
