"""The servers that the benchmark compares."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import psutil

from loadtests.http_client import Address, Connection, build_request
from tests.servers import Service, free_port, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

WORKERS = 2


class Server(NamedTuple):
    """A running server: its address, and the parent of its processes."""

    address: Address
    process: psutil.Process

    def cpu_seconds(self) -> float:
        """The CPU time that the server's processes have used, kernel included."""
        processes = [self.process, *self.process.children(recursive=True)]
        times = [process.cpu_times() for process in processes]
        return sum(spent.user + spent.system for spent in times)


@contextmanager
def run_baseline(redis_url: str) -> Iterator[Server]:
    """Run the baseline with gunicorn."""
    address = Address("127.0.0.1", free_port())
    command = [sys.executable, "-m", "gunicorn", "benchmarks.baseline:app"]
    command += ["--bind", f"{address.host}:{address.port}", "--preload"]
    command += ["--workers", str(WORKERS), "--log-level", "warning"]
    command += ["--no-control-socket", "--worker-tmp-dir", "/dev/shm"]  # noqa: S108
    environ = os.environ | {"BASELINE_REDIS_URL": redis_url}

    def is_ready() -> bool:
        if process.poll() is not None:
            raise ChildProcessError("the baseline did not start")
        try:
            with Connection(address) as connection:
                connection.send(build_request("GET", "/values/x"))
        except OSError:
            return False
        return True

    with subprocess.Popen(command, env=environ) as process:
        try:
            wait_until(is_ready)
            yield Server(address, psutil.Process(process.pid))
        finally:
            process.terminate()


@contextmanager
def run_service(
    settings: Mapping[str, object], checkout: Path | None = None
) -> Iterator[Server]:
    """Run `accordion serve`, of this checkout or another, with settings by name."""
    # A slow store on a busy machine must not fail the benchmark.
    ours = {"workers": WORKERS, "store_timeout": 10, **settings}
    with Service(ours, checkout) as service:
        yield Server(Address(service.host, service.port), service.parent)
