"""The folder of the embedded store: one process at a time uses it."""

import fcntl
import os
from pathlib import Path
from typing import Self


class EmbeddedStoreError(Exception):
    """The embedded store cannot run; the message is one sentence for the operator."""


class DataFolder:
    """A folder that, within `with`, no other process uses.

    Attributes:
        path: where it is, as an absolute path.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._lock = -1
        # A forked process must not keep the lock past its owner's end.
        os.register_at_fork(after_in_child=self.release)

    def __str__(self) -> str:
        """Show the path, which need not be UTF-8."""
        return os.fsencode(self.path).decode(errors="replace")

    def __enter__(self) -> Self:
        """Make the folder where there is none, and lock it.

        Raises:
            EmbeddedStoreError: it cannot be used, or another process uses it.
        """
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(
                self.path / "store.lock", os.O_RDWR | os.O_CREAT, 0o600
            )
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.truncate(self._lock, 0)
            os.pwrite(self._lock, f"{os.getpid()}\n".encode(), 0)
        except BlockingIOError:
            holder = os.pread(self._lock, 32, 0).decode().strip() or "unknown"
            self.release()
            raise EmbeddedStoreError(
                f"ACCORDION_DATA_DIR: the folder {self} is in use by another "
                f"accordion serve (process {holder})."
            ) from None
        except OSError as error:
            self.release()
            raise self.unusable(error) from error
        return self

    def __exit__(self, *_error: object) -> None:
        """Let other processes use it."""
        self.release()

    def release(self) -> None:
        """Let other processes use it."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def remove_unfinished(self) -> None:
        """Remove the files that a server was writing anew when it was killed.

        Raises:
            OSError: one cannot be removed.
        """
        for file in self.path.glob("temp-*.aof"):
            file.unlink()

    def make_private(self, folder: Path) -> None:
        """Make another folder that only this user can open, where it is another.

        Raises:
            EmbeddedStoreError: it cannot be made, or is open to others.
        """
        if folder == self.path:
            return
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            found = folder.lstat()
            if found.st_uid != os.getuid() or found.st_mode & 0o077:
                raise PermissionError(0, f"{folder} is open to others")
        except OSError as error:
            raise self.unusable(error) from error

    def unusable(self, error: OSError) -> EmbeddedStoreError:
        """Say why the folder cannot be used."""
        return EmbeddedStoreError(
            f"ACCORDION_DATA_DIR: the folder {self} cannot be used: {error.strerror}."
        )
