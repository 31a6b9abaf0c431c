"""Ends the server of the embedded store, or one that a killed service left running."""

import ctypes
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

_STOP_SECONDS = 30.0
_POLL_SECONDS = 0.01
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None

_log = logging.getLogger("accordion.store")


def stop_with_parent() -> None:
    """Make the kernel send this process SIGTERM when its parent dies (Linux only).

    Safe to call between fork and exec; the setting persists through exec.
    """
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def end(server: subprocess.Popen[bytes]) -> None:
    """End a server that this process started; kill it if it does not end in 30 s."""
    server.terminate()
    try:
        server.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def end_orphaned_server(pid_file: Path, socket: Path) -> None:
    """End the server of a service that was killed, and remove its pid file and socket.

    The server is recognised by the path of its socket in its command line.
    """
    try:
        pid = int(pid_file.read_text())
    except (FileNotFoundError, ValueError):
        pid = 0
    if pid and str(socket) in _command_line(pid):
        _end_other(pid, socket)
    pid_file.unlink(missing_ok=True)
    socket.unlink(missing_ok=True)


def _end_other(pid: int, socket: Path) -> None:
    _log.warning("Ending the store that an earlier service left (process %d).", pid)
    os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + _STOP_SECONDS
    while str(socket) in _command_line(pid):
        if time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
        time.sleep(_POLL_SECONDS)


def _command_line(pid: int) -> list[str]:
    """The command line of a process; empty if the process does not exist."""
    if Path("/proc/self/cmdline").exists():
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            return []
        return os.fsdecode(line).split("\0")
    shown = subprocess.run(  # noqa: S603
        ["/bin/ps", "-ww", "-o", "args=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
    )
    return shown.stdout.split()
