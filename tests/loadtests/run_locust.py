"""Runs locust in a separate process, as a user does."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Summary(NamedTuple):
    """The exit code of a run, its requests and failures by name, and its output."""

    code: int
    requests: dict[str, int]
    failures: dict[str, int]
    output: str

    @property
    def failed(self) -> set[str]:
        """The names of requests that failed."""
        return {name for name, count in self.failures.items() if count}


def run_locust(host: str, folder: Path, *arguments: str) -> Summary:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "locust", "--headless", "--host", host),
            *("--json-file", str(folder / "load"), "--only-summary"),
            *("--stop-timeout", "5", "--locustfile", "loadtests/locustfile.py"),
            *arguments,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
    )
    stats = json.loads((folder / "load.json").read_text())
    return Summary(
        done.returncode,
        {entry["name"]: entry["num_requests"] for entry in stats},
        {entry["name"]: entry["num_failures"] for entry in stats},
        done.stdout,
    )


def run_users(
    host: str,
    folder: Path,
    users: tuple[str, ...],
    is_enough: Callable[[Summary], bool],
) -> Summary:
    """Run four users of each kind for 4 seconds, or for 40 if that was not enough.

    Kinds with a greater weight have more users. The seconds include locust's start.
    """
    count = str(4 * len(users))

    def run(seconds: int) -> Summary:
        spawn = ("-u", count, "-r", count, "--run-time", f"{seconds}s")
        return run_locust(host, folder, *spawn, *users)

    summary = run(4)
    return summary if is_enough(summary) else run(40)
