"""The image, built by `make image-test`, started as operators and clusters do."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.servers import wait_until

IMAGE = os.environ.get("TEST_IMAGE", "")
USER = ("--user", "12345:0")
READ_ONLY = ("--read-only", "--tmpfs", "/tmp")  # noqa: S108 - of the container
STARTS = {
    "default": (),
    "any user": USER,
    "read only": READ_ONLY,
    "any user, read only": USER + READ_ONLY,
    "little shared memory": ("--shm-size", "1m"),
    "one processor": ("--cpuset-cpus", "0"),
}
NO_ROOM = ("--tmpfs", "/var/cache/numba:size=16k")
WARNING = "The compiled solver cannot be saved"
SECONDS_TO_STOP = 10
"""Docker ends a container with SIGKILL, and exit code 137, if it takes longer."""

ASK = """
import sys, urllib.request as web
path, *body = sys.argv[1:]
fields = {"Content-Type": "application/json"}
data = body[0].encode() if body else None
asked = web.Request("http://127.0.0.1:8000" + path, data, fields)
print(web.urlopen(asked).read().decode())
"""

pytestmark = pytest.mark.skipif(not IMAGE, reason="make image-test builds the image")


def docker(*arguments: str) -> str:
    command = ["docker", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


class Container:
    """A container that is called from inside, so that it needs no network."""

    def __init__(self, *options: str) -> None:
        self.name = docker("run", "--detach", "--network", "none", *options, IMAGE)

    def ask(self, path: str, *body: str) -> dict[str, Any]:
        """GET, or POST with a body; a response that is not 2xx fails the test."""
        response = docker("exec", self.name, "python", "-c", ASK, path, *body)
        made: dict[str, Any] = json.loads(response)
        return made

    def state(self, field: str) -> str:
        return docker("inspect", "--format", f"{{{{.State.{field}}}}}", self.name)

    def logs(self) -> str:
        command = ["docker", "logs", self.name]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        return result.stdout + result.stderr

    def is_ready(self) -> bool:
        """Whether the health check of the image passes."""
        form = "{{json .Config.Healthcheck.Test}}"
        _, *check = json.loads(docker("inspect", "--format", form, self.name))
        command = ["docker", "exec", self.name, *check]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def wait_until_ready(self, starts: int = 1) -> None:
        def listens() -> bool:
            logs = self.logs()
            assert self.state("Running") == "true", logs
            return logs.count("Accordion is ready") == starts

        wait_until(listens)
        assert self.is_ready()


@contextmanager
def running(*options: str) -> Iterator[Container]:
    container = Container(*options)
    try:
        yield container
    finally:
        docker("rm", "--force", "--volumes", container.name)


def check_that_it_serves_and_stops(container: Container) -> None:
    container.wait_until_ready()
    game = container.ask("/v1/games", "{}")
    assert len(game["row"]) == 52
    assert container.ask(f"/v1/games/{game['id']}")["row"] == game["row"]
    assert container.ask(f"/v1/games/{game['id']}/hint", "{}")["action"]
    docker("stop", "--time", str(SECONDS_TO_STOP), container.name)
    assert container.state("ExitCode") == "0"
    assert "Traceback" not in container.logs()


@pytest.mark.parametrize("options", STARTS.values(), ids=list(STARTS))
def test_it_starts_serves_and_stops(options: tuple[str, ...]) -> None:
    with running(*options) as container:
        check_that_it_serves_and_stops(container)
        # The solver was compiled when the image was built, here for this processor.
        assert "Compiling" not in container.logs()
        assert WARNING not in container.logs()


def test_without_room_for_compiled_kernels_it_compiles_in_memory() -> None:
    with running(*NO_ROOM) as container:
        check_that_it_serves_and_stops(container)
        assert container.logs().count(WARNING) == 1


def test_on_another_processor_it_compiles_once_into_the_users_cache() -> None:
    volume = docker("volume", "create")
    options = (
        *READ_ONLY,
        *("--volume", f"{volume}:/cache", "--user", "0:0"),
        *("--env", "XDG_CACHE_HOME=/cache", "--env", "NUMBA_CPU_NAME=generic"),
    )
    try:
        with running(*options) as container:
            container.wait_until_ready()
            docker("restart", "--time", str(SECONDS_TO_STOP), container.name)
            container.wait_until_ready(starts=2)
            assert container.logs().count("Compiling") == 1
            assert WARNING not in container.logs()
    finally:
        docker("volume", "rm", volume)


def test_docker_reports_it_healthy() -> None:
    with running() as container:
        wait_until(lambda: container.state("Health.Status") != "starting")
        assert container.state("Health.Status") == "healthy"


def test_games_remain_after_a_restart() -> None:
    with running() as container:
        container.wait_until_ready()
        game = container.ask("/v1/games", "{}")
        docker("restart", "--time", str(SECONDS_TO_STOP), container.name)
        container.wait_until_ready(starts=2)
        assert container.ask(f"/v1/games/{game['id']}")["seed"] == game["seed"]


def test_a_key_made_in_a_volume_is_required() -> None:
    volume = docker("volume", "create")
    file = "/keys/keys.json"
    options = (
        "--volume",
        f"{volume}:/keys",
        "--env",
        f"ACCORDION_API_KEYS_FILE={file}",
    )
    try:
        docker("run", "--rm", *options, IMAGE, "accordion", "keys", "new", "portal")
        with running(*options) as container:
            container.wait_until_ready()
            with pytest.raises(AssertionError, match="HTTP Error 401"):
                container.ask("/v1/games", "{}")
    finally:
        docker("volume", "rm", volume)
