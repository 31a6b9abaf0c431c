"""Packages from npm, by the lock file of a folder."""

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
    """Install what a folder's lock file names, once for all tests.

    Returns node_modules, which is kept in Python's environment. Where the packages
    cannot be had, the test is skipped; in CI it fails.
    """
    contents = b"".join((folder / name).read_bytes() for name in _FILES)
    kept = Path(sys.prefix) / "node" / sha256(contents).hexdigest()[:16]
    kept.parent.mkdir(exist_ok=True)
    with (kept.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            _install(folder, kept)
    return kept / "node_modules"


def _install(folder: Path, kept: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        _give_up("no npm is installed")
        return
    with TemporaryDirectory(dir=kept.parent) as new:
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
            _give_up(f"npm ci: {done.stdout}{done.stderr}")
        shutil.copytree(Path(new), kept, symlinks=True)


def _give_up(reason: str) -> None:
    if "CI" in os.environ:
        pytest.fail(reason)
    pytest.skip(reason)
