"""Prevents the loss of acknowledged writes when the embedded store's disk is full.

The server notices a full disk only when it cannot save writes that it has already
acknowledged; then it refuses further writes. A file that reserves space is removed to
make room for the acknowledged writes, and further writes are refused until there is
again enough space for the reserve and for new writes.
"""

import logging
import os
import time
from contextlib import suppress
from pathlib import Path

from redis.exceptions import RedisError

from service.store.connection import HeldConnection, StoreRequest, pack
from service.store.data_folder import DataFolder
from service.store.wire import connector

_RESERVED_BYTES = 16 * 1024 * 1024
"""More than the acknowledged writes not yet saved, which are of at most 2 seconds."""
_FREE_BYTES = 1024 * 1024
"""How much must be free in addition to the reserve for writes to be accepted."""
_TIMEOUT_SECONDS = 0.2
_CHECK_SECONDS = 1.0
_FLUSH_SECONDS = 5.0
_POLL_SECONDS = 0.02

_INFO = StoreRequest(b"", pack(b"INFO", b"PERSISTENCE"), 1, repeatable=True)
# If this setting is 1, the server, which has no replicas, refuses writes.
_SETTING = "min-replicas-to-write"

_log = logging.getLogger("accordion.store")


class DiskReserve:
    """Reserves disk space, and has writes refused while the disk is full.

    Args:
        folder: the folder that the server saves to.
        url: the URL of the server.
    """

    def __init__(self, folder: DataFolder, url: str) -> None:
        self._folder = folder
        self._file = folder.path / "store.reserve"
        self._server = HeldConnection(connector(url), _TIMEOUT_SECONDS)
        self._refuses = False
        self._is_saved = True
        self._next_check = 0.0

    def options(self) -> dict[str, str]:
        """Reserve the space; return options with which to launch the server."""
        if not self._is_saved:
            _log.error("The last writes to %s are lost.", self._folder)
            self._is_saved = True
        self._refuses = not self._reserve_space()
        if self._refuses:
            _log.error("The disk of %s is full: writes are refused.", self._folder)
        return {_SETTING: str(int(self._refuses))}

    def check(self) -> None:
        """Refuse or accept writes, by the state of the disk; checks once a second."""
        if time.monotonic() < self._next_check:
            return
        self._next_check = time.monotonic() + _CHECK_SECONDS
        try:
            self._read_status()
            if not self._is_saved:
                self._refuse_writes()
            elif self._refuses and self._reserve_space():
                self._set(refuses=False)
                _log.warning("The disk of %s has space again.", self._folder)
        except RedisError as error:
            _log.warning("The store was not checked: %s", error)

    def flush(self) -> bool:
        """Wait until acknowledged writes are saved; return whether, as far as known."""
        with suppress(RedisError):
            self._save(_FLUSH_SECONDS)
        return self._is_saved

    def _save(self, seconds: float) -> None:
        """Wait until all is saved; give up the reserve if its space is needed."""
        until = time.monotonic() + seconds
        while (self._read_status() or not self._is_saved) and time.monotonic() < until:
            if not self._is_saved:
                self._file.unlink(missing_ok=True)
            time.sleep(_POLL_SECONDS)

    def _read_status(self) -> bool:
        """Check whether the last writes were saved; return whether more are to be."""
        text: bytes = self._server.run(_INFO)[0]
        found = text.split()
        self._is_saved = b"aof_last_write_status:ok" in found
        return b"aof_buffer_length:0" not in found

    def _refuse_writes(self) -> None:
        if not self._refuses:
            _log.error("The disk of %s is full: writes are refused.", self._folder)
        self._set(refuses=True)
        if self._file.exists():
            self._save(_TIMEOUT_SECONDS)

    def _set(self, *, refuses: bool) -> None:
        packed = pack(b"CONFIG", b"SET", _SETTING.encode(), int(refuses))
        self._server.run(StoreRequest(b"", packed, 1, repeatable=True))
        self._refuses = refuses

    def _reserve_space(self) -> bool:
        """Reserve the space; return whether there is enough."""
        try:
            _allocate(self._file)
            free = os.statvfs(self._folder.path)
        except OSError:
            self._file.unlink(missing_ok=True)
            return False
        return free.f_bavail * free.f_frsize >= _FREE_BYTES


def _allocate(path: Path) -> None:
    with path.open("ab") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, _RESERVED_BYTES)
        else:
            file.write(bytes(max(0, _RESERVED_BYTES - file.tell())))
