"""Ends the store's server: this service's own, or one left by a killed service."""

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
    """Have the kernel send this process SIGTERM when its parent dies (Linux only).

    Safe to call between fork and exec, and kept through exec.
    """
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def end(server: subprocess.Popen[bytes]) -> None:
    """End a server of this process, giving it time to save."""
    server.terminate()
    try:
        server.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def end_left_behind(pid_file: Path, socket: Path) -> None:
    """End the server of a service that was killed, and remove its files."""
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
    """The command line of a process; empty where there is none."""
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
