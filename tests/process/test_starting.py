"""What a start needs, what it does not need, and what it prints."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.process.playing import get_game, move, new_game
from tests.servers import BINARIES, StoreServer, wait_until

if TYPE_CHECKING:
    from tests.conftest import Serve
    from tests.servers import Service

_ACCORDION = str(Path(sys.executable).with_name("accordion"))


def _metrics(service: Service) -> dict[str, float]:
    lines = service.request("GET", "/metrics").body.decode().splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}


_NAMESPACE = ["unshare", "--mount", "--map-root-user", "sh", "-ec"]
_SHARED_MEMORY = {
    "full": """
        mount -t tmpfs -o size=4k none /dev/shm
        head -c 4096 /dev/zero >/dev/shm/all
    """,
    "read-only": "mount -t tmpfs -o ro none /dev/shm",
    "absent": """
        mkdir "$FOLDER/dev"
        for each in null zero full random urandom tty; do
            : >"$FOLDER/dev/$each"
            mount --bind "/dev/$each" "$FOLDER/dev/$each"
        done
        mount --rbind "$FOLDER/dev" /dev
        test ! -e /dev/shm
    """,
}


def _succeeds(script: str, folder: Path) -> bool:
    environ = {**os.environ, "FOLDER": str(folder)}
    try:
        done = subprocess.run(
            [*_NAMESPACE, script], check=False, env=environ, capture_output=True
        )
    except OSError:
        return False
    return done.returncode == 0


@pytest.mark.parametrize("state", _SHARED_MEMORY)
def test_shared_memory_is_not_needed(
    served: Serve,
    state: str,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Heartbeats of workers, counts and known games work without it."""
    script = _SHARED_MEMORY[state]
    if not _succeeds(script, tmp_path_factory.mktemp("try")):
        pytest.skip("no namespaces for users here")
    monkeypatch.setenv("FOLDER", str(tmp_path_factory.mktemp("use")))
    wrapper = [*_NAMESPACE, f'{script}\nexec "$@"', "sh"]
    service = served(workers=2, wrapper=wrapper)
    wait_until(lambda: len(service.workers) == 2)
    before = service.workers
    for _ in range(20):
        game = new_game(service)
        assert move(service, game).status == 200
    killed = before[0]
    killed.kill()
    wait_until(lambda: killed not in service.workers and len(service.workers) == 2)
    new_game(service)
    name = 'accordion_games_started_total{variant="accordion"}'
    assert _metrics(service)[name] == 21
    assert before[1] in service.workers
    assert "Traceback" not in service.output()


def test_readiness_is_printed_once_the_store_is_available(
    served: Serve, short_folder: Path
) -> None:
    url = f"unix://{short_folder}/s"
    service = served(workers=1, redis_url=url)
    line, _, rest = service.output().partition("\n")
    assert line.startswith(f"Accordion is not ready: {service.url} listens, but ")
    assert rest == ""
    assert service.request("GET", "/livez").status == 200
    assert service.request("GET", "/readyz").status == 503
    binary = BINARIES["valkey"]
    assert binary is not None
    with StoreServer(binary, short_folder):
        ready = f"\nAccordion is ready: {service.url}\n"
        wait_until(lambda: ready in service.output())
        assert service.request("GET", "/readyz").status == 200
    assert service.output().count("is not ready") == 1


@pytest.mark.parametrize(
    "redirection", [">/dev/full", ">/dev/full 2>&1", ">&- 2>&-", "<&- >&- 2>&-"]
)
def test_output_that_is_not_read_stops_nothing(
    served: Serve, short_folder: Path, redirection: str
) -> None:
    """Nor is it sent to a connection that got the descriptor of a closed stream."""
    service = served(data_dir=short_folder)
    port, output = service.port, service.output()
    assert service.stop() == 0
    environ = {
        **os.environ,
        "ACCORDION_DATA_DIR": str(short_folder),
        "ACCORDION_PORT": str(port),
        "ACCORDION_WORKERS": "1",
        "ACCORDION_STORE_TIMEOUT": "10",
    }
    command = ["sh", "-c", f'exec "$0" serve {redirection}', _ACCORDION]
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE) as process:
        try:
            wait_until(lambda: _answers(service) or process.poll() is not None)
            game = new_game(service)
            assert move(service, game).status == 200
            assert get_game(service, game["id"])["moves"] == 1
        finally:
            process.terminate()
        assert process.wait() == 0
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()
    assert service.output() == output


def _answers(service: Service) -> bool:
    try:
        return service.request("GET", "/livez").status == 200
    except OSError:
        return False


def test_a_data_folder_can_have_a_name_that_is_not_utf_8(
    served: Serve, tmp_path: Path
) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe")
    service = served(data_dir=folder, log_level="warning", store_flush="always")
    game = new_game(service)
    service.store.kill()
    wait_until(lambda: service.request("GET", "/readyz").status == 200)
    assert get_game(service, game["id"])["row"] == game["row"]
    assert service.stop() == 0
    lines = service.output().splitlines()[1:]
    assert lines
    assert all(json.loads(line)["level"] == "error" for line in lines)


_OLD_CLOCK = """
import time
seconds, nanoseconds = time.time, time.time_ns
time.time = lambda: seconds() - 2e9
time.time_ns = lambda: nanoseconds() - 2 * 10**18
"""


def test_the_service_runs_with_a_clock_before_1970(
    served: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Games then start at 1970-01-01T00:00:00."""
    (tmp_path / "sitecustomize.py").write_text(_OLD_CLOCK)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    service = served(workers=1)
    game = new_game(service)
    assert game["started_at"] == "1970-01-01T00:00:00.000Z"
    assert move(service, game).status == 200
    date = service.request("GET", "/livez").headers["Date"]
    assert re.fullmatch(r"\w{3}, \d\d \w{3} 19\d\d .* GMT", date)
    assert '"level":"error"' not in service.output()
