"""A service whose name server does not response."""

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
    """A name server that never answers."""
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
    """A service that reads the `hosts` file of the test; it is not started yet."""
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
def test_with_a_silent_name_server_each_request_is_answered_in_time(
    service: Service,
) -> None:
    with service:
        for _ in range(3):
            for method, path in (("GET", "/readyz"), ("GET", _PATH), ("POST", _PATH)):
                response = service.request(method, path, timeout=2)
                assert response.status == (503 if method == "GET" else 405)
            fields = JSON | {"Idempotency-Key": "0123456789abcdef"}
            response = service.request("POST", "/v1/games", b"{}", fields, timeout=2)
            assert response.status == 503


@pytest.mark.usefixtures("silent_name_server")
def test_the_last_known_address_is_used_when_the_name_server_becomes_silent(
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
