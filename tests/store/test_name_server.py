"""A service whose name server does not answer."""

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import BINARIES, Service, StoreServer, free_port, wait_until

NAME = "store.test"
ADDRESS = f"127.53.{os.getpid() % 250}.{os.getpid() // 250 % 250}"
JSON = {"Content-Type": "application/json"}
_MOUNTS = (
    'cd "$1" && mount --bind hosts /etc/hosts && mount --bind resolv /etc/resolv.conf'
)
_PATH = "/v1/games/00000000000000000000000000000000"


@pytest.fixture
def silent_name_server() -> Iterator[None]:
    """What is asked of it, it never answers."""
    with socket.socket(type=socket.SOCK_DGRAM) as listener:
        try:
            listener.bind((ADDRESS, 53))
        except OSError as error:
            pytest.skip(f"no name server can listen here: {error.strerror}")
        yield


@pytest.fixture
def server(short_folder: Path) -> Iterator[StoreServer]:
    with StoreServer(str(BINARIES["valkey"]), short_folder, port=free_port()) as made:
        yield made


@pytest.fixture
def service(short_folder: Path, server: StoreServer) -> Service:
    """A service that sees the test's own `hosts`; it is not started yet."""
    (short_folder / "resolv").write_text(f"nameserver {ADDRESS}\n")
    write_hosts(short_folder)
    settings = {
        "redis_url": f"redis://{NAME}:{server.port}",
        "data_dir": short_folder,
        "host": "127.0.0.1",
    }
    made = Service(settings)
    shell = ["unshare", "--mount", "sh", "-c"]
    trial = [*shell, _MOUNTS, "sh", str(short_folder)]
    if subprocess.run(trial, capture_output=True, check=False).returncode:
        pytest.skip("no file can be mounted here")
    run = f'{_MOUNTS} && shift && exec "$@"'
    made.command = [*shell, run, "sh", str(short_folder), *made.command]
    return made


def write_hosts(folder: Path, *names: str) -> None:
    lines = [f"127.0.0.1 {name}\n" for name in ("localhost", *names)]
    (folder / "hosts").write_text("".join(lines))


@pytest.mark.usefixtures("silent_name_server")
def test_where_it_is_silent_from_the_start_each_request_is_answered_in_time(
    service: Service,
) -> None:
    with service:
        for _ in range(3):
            for method, path in (("GET", "/readyz"), ("GET", _PATH), ("POST", _PATH)):
                answer = service.request(method, path, timeout=2)
                assert answer.status == (503 if method == "GET" else 405)
            fields = JSON | {"Idempotency-Key": "0123456789abcdef"}
            answer = service.request("POST", "/v1/games", b"{}", fields, timeout=2)
            assert answer.status == 503


@pytest.mark.usefixtures("silent_name_server")
def test_where_it_falls_silent_the_address_known_last_is_used(
    service: Service, server: StoreServer, short_folder: Path
) -> None:
    write_hosts(short_folder, NAME)
    with service:
        wait_until(lambda: service.request("GET", "/readyz").status == 200)
        write_hosts(short_folder)
        for _ in range(3):
            with server.client() as client:
                client.client_kill_filter(_type="normal", skipme=True)
            assert service.request("GET", "/readyz", timeout=2).status == 200
