"""The data folder of the embedded store, used by one process at a time."""

import fcntl
import os
from pathlib import Path
from typing import Self


class EmbeddedStoreError(Exception):
    """The embedded store cannot run; the message is one sentence for the operator."""


class DataFolder:
    """A folder that is locked against other processes within `with`.

    Attributes:
        path: its absolute path.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._lock = -1
        # A forked process must not hold the lock after its owner has ended.
        os.register_at_fork(after_in_child=self.release)

    def __str__(self) -> str:
        """Return the path for display; bytes that are not UTF-8 are replaced."""
        return os.fsencode(self.path).decode(errors="replace")

    def __enter__(self) -> Self:
        """Create the folder if it does not exist, and lock it.

        Raises:
            EmbeddedStoreError: the folder cannot be used, or another process uses it.
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
        """Release the lock."""
        self.release()

    def release(self) -> None:
        """Release the lock, if this process holds it."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def remove_unfinished(self) -> None:
        """Remove the temporary files of a rewrite that ended when a server was killed.

        Raises:
            OSError: a file cannot be removed.
        """
        for file in self.path.glob("temp-*.aof"):
            file.unlink()

    def make_private(self, folder: Path) -> None:
        """Create a folder that only this user can open, unless it is this data folder.

        Raises:
            EmbeddedStoreError: it cannot be created, or is open to other users.
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
        """The error to raise if the folder cannot be used because of `error`."""
        return EmbeddedStoreError(
            f"ACCORDION_DATA_DIR: the folder {self} cannot be used: {error.strerror}."
        )
