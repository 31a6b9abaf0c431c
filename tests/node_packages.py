"""npm packages that the lock file of a folder names."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

_FILES = ("package.json", "package-lock.json", ".npmrc")


def install(folder: Path) -> Path:
    """Install the packages that a folder's lock file names, once for all tests.

    Returns the folder node_modules, which is in Python's environment. If the packages
    cannot be installed, the test is skipped; in CI it fails.
    """
    contents = b"".join((folder / name).read_bytes() for name in _FILES)
    installed = Path(sys.prefix) / "node" / sha256(contents).hexdigest()[:16]
    installed.parent.mkdir(exist_ok=True)
    with (installed.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not installed.exists():
            _install(folder, installed)
    return installed / "node_modules"


def _install(folder: Path, installed: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        _skip_or_fail("no npm is installed")
        return
    with TemporaryDirectory(dir=installed.parent) as new:
        for name in _FILES:
            shutil.copy(folder / name, new)
        done = subprocess.run(
            [npm, "ci", "--silent"],
            cwd=new,
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            _skip_or_fail(f"npm ci: {done.stdout}{done.stderr}")
        shutil.copytree(Path(new), installed, symlinks=True)


def _skip_or_fail(reason: str) -> None:
    if "CI" in os.environ:
        pytest.fail(reason)
    pytest.skip(reason)
