"""Starts the servers that are compared, reads what they cost, and ends them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import psutil

from loadtests.wire import Address, Connection, ProtocolError, request
from service.store.embedded import embedded_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

WORKERS = 2
_OK = 200
_START_SECONDS = 120.0
_STOP_SECONDS = 40.0
_POLL_SECONDS = 0.05
_STORE = "valkey"
"""How the names of store processes begin."""


class ServerStartError(Exception):
    """A server ended, or stayed silent, before its first answer."""


class Server(NamedTuple):
    """A running server.

    Attributes:
        address: where it listens.
        process: its first process, the parent of the others.
    """

    address: Address
    process: psutil.Process

    @property
    def processes(self) -> list[psutil.Process]:
        """The processes of the web server, without the store's."""
        family = [self.process, *self.process.children(recursive=True)]
        return [member for member in family if not member.name().startswith(_STORE)]

    @property
    def workers(self) -> list[psutil.Process]:
        """The processes that answer requests."""
        return self.processes[1:]

    def cpu_seconds(self) -> float:
        """Processor time that the web server has used so far, kernel included."""
        times = [process.cpu_times() for process in self.processes]
        return sum(spent.user + spent.system for spent in times)


@contextmanager
def serve_floor(data_dir: Path, log: Path) -> Iterator[Server]:
    """Run the floor under gunicorn, on the store of a service that runs already."""
    port = _free_port()
    command = [sys.executable, "-m", "gunicorn", "loadtests.floor:app"]
    command += ["--bind", f"127.0.0.1:{port}", "--workers", str(WORKERS), "--preload"]
    command += ["--no-control-socket", "--worker-tmp-dir", "/dev/shm"]  # noqa: S108
    environ = {**os.environ, "FLOOR_REDIS_URL": embedded_url(data_dir)}
    with _running(command, environ, log, Address("127.0.0.1", port), "/values/x") as up:
        yield up


@contextmanager
def serve(
    data_dir: Path, log: Path, settings: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """Run `accordion serve` with a store of its own.

    Args:
        data_dir: the store's folder.
        log: where the output goes.
        settings: more `ACCORDION_*` variables.
    """
    port = _free_port()
    command = [str(Path(sys.executable).with_name("accordion")), "serve"]
    environ = {k: v for k, v in os.environ.items() if not k.startswith("ACCORDION_")}
    environ |= {
        "ACCORDION_PORT": str(port),
        "ACCORDION_WORKERS": str(WORKERS),
        "ACCORDION_DATA_DIR": str(data_dir),
        **(settings or {}),
    }
    with _running(command, environ, log, Address("127.0.0.1", port), "/readyz") as up:
        yield up


@contextmanager
def _running(
    command: list[str],
    environ: dict[str, str],
    log: Path,
    address: Address,
    probe: str,
) -> Iterator[Server]:
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=environ, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        _wait_for(process, address, probe, log)
        yield Server(address, psutil.Process(process.pid))
    finally:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(
    process: subprocess.Popen[bytes], address: Address, probe: str, log: Path
) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if _answers(address, probe):
            return
        time.sleep(_POLL_SECONDS)
    last = log.read_text(errors="replace").strip().splitlines()[-5:]
    raise ServerStartError("\n".join([f"{process.args!r} did not start:", *last]))


def _answers(address: Address, path: str) -> bool:
    try:
        with Connection(address) as connection:
            return connection.send(request("GET", path)).status == _OK
    except (OSError, ProtocolError):
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
