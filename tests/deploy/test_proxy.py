"""Two services behind a real nginx, configured by deploy/nginx.conf."""

import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from service.http.errors.problem_types import PROBLEM_TYPES
from service.texts import problem_detail, problem_title
from tests.servers import Response, Service, StoreServer, free_port, wait_until

CONFIG = Path(__file__).parents[2] / "deploy" / "nginx.conf"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
JSON = {"Content-Type": "application/json"}

pytestmark = pytest.mark.skipif(NGINX is None, reason="no nginx here")


class Proxy(Service):
    """nginx, called like a service."""

    def __init__(self, folder: Path, services: list[Service]) -> None:
        super().__init__({"data_dir": folder})
        self.port = free_port()
        servers = "".join(
            f"server 127.0.0.1:{service.port} max_fails=1 fail_timeout=2s;"
            for service in services
        )
        text = CONFIG.read_text()
        for original, replacement in (
            ("server api:8000 resolve max_fails=1 fail_timeout=2s;", servers),
            ("listen 8080", f"listen 127.0.0.1:{self.port}"),
            ("/tmp/", f"{folder}/"),  # noqa: S108 - replaced by a folder of this test
        ):
            assert original in text
            text = text.replace(original, replacement)
        self._config = folder / "nginx.conf"
        self._config.write_text(text)

    def start(self) -> None:
        command = [str(NGINX), "-c", str(self._config), "-g", "daemon off;"]
        self.process = subprocess.Popen(command)
        self.wait_until_it_forwards()

    def wait_until_it_forwards(self) -> None:
        """Wait until it forwards requests; it skips a failed service for 2 s."""

        def answers() -> bool:
            try:
                return self.request("GET", "/livez").status == 200
            except ConnectionError:
                return False

        wait_until(answers)


@pytest.fixture(scope="module")
def services(valkey_server: StoreServer) -> Iterator[list[Service]]:
    with TemporaryDirectory(prefix="acc") as folder, ExitStack() as stack:
        settings = {
            "data_dir": folder,
            "redis_url": valkey_server.url,
            "trusted_proxies": 1,
            "log_level": "warning",
        }
        yield [
            stack.enter_context(Service(settings | {"port": free_port()}))
            for _ in range(2)
        ]


@pytest.fixture(scope="module")
def nginx(services: list[Service]) -> Iterator[Proxy]:
    with TemporaryDirectory(prefix="acc") as folder:
        # If this user is root, nginx's workers run as another user.
        Path(folder).chmod(0o755)
        with Proxy(Path(folder), services) as proxy:
            yield proxy


@pytest.fixture
def proxy(services: list[Service], nginx: Proxy) -> Iterator[Proxy]:
    yield nginx
    for service in services:
        if service.process is None or service.process.poll() is not None:
            service.start()
    nginx.wait_until_it_forwards()


def make_move(proxy: Proxy, game: dict[str, object]) -> dict[str, object]:
    moves = game["legal_moves"]
    assert isinstance(moves, list)
    response = proxy.request(
        "POST",
        f"/v1/games/{game['id']}/moves",
        json.dumps(moves[0]).encode(),
        {**JSON, "If-Match": f'"{game["version"]}"'},
    )
    assert response.status == 200, response
    moved: dict[str, object] = json.loads(response.body)
    assert response.headers["ETag"].startswith(f'"{moved["version"]}.')
    return moved


def new_game(proxy: Proxy) -> dict[str, object]:
    body = b'{"variant": "accordion-bidirectional", "seed": "1"}'
    response = proxy.request("POST", "/v1/games", body, JSON)
    assert response.status == 201, response
    game: dict[str, object] = json.loads(response.body)
    return game


def moves_counted(service: Service) -> int:
    lines = service.request("GET", "/metrics").body.decode().splitlines()
    counted = [line for line in lines if line.startswith("accordion_requests_total{")]
    moves = [line for line in counted if 'operation="makeMove"' in line]
    return sum(int(float(line.rsplit(" ", 1)[1])) for line in moves)


def test_the_moves_of_a_game_are_spread_over_the_services(
    proxy: Proxy, services: list[Service]
) -> None:
    game = new_game(proxy)
    for _ in range(10):
        game = make_move(proxy, game)
    seen = [moves_counted(service) for service in services]
    assert sum(seen) == 10
    assert min(seen) > 0


def test_the_death_of_a_service_fails_no_request(
    proxy: Proxy, services: list[Service]
) -> None:
    game = make_move(proxy, new_game(proxy))
    services[0].kill()
    for _ in range(10):
        game = make_move(proxy, game)
        assert proxy.request("GET", f"/v1/games/{game['id']}").status == 200


def test_without_any_service_the_response_is_a_problem(
    proxy: Proxy, services: list[Service]
) -> None:
    for service in services:
        service.kill()
    response = proxy.request("POST", "/v1/games", b"{}", JSON)
    check_problem(response, "store-unavailable", "/v1/games")
    assert response.headers["Retry-After"] == "1"


def test_forwarded_fields_of_clients_are_ignored(proxy: Proxy) -> None:
    forged = {
        "X-Forwarded-Prefix": "/elsewhere",
        "X-Forwarded-Host": "elsewhere.example",
        "X-Forwarded-Proto": "https",
    }
    response = proxy.request("POST", "/v1/games", b"{}", JSON | forged)
    assert response.status == 201
    assert "elsewhere" not in response.headers["Location"]
    assert not response.headers["Location"].startswith("https")


def test_responses_keep_their_strong_etags(proxy: Proxy) -> None:
    game = new_game(proxy)
    path = f"/v1/games/{game['id']}"
    response = proxy.request("GET", path, headers={"Accept-Encoding": "gzip"})
    assert response.headers["ETag"] == '"1.1"'
    tag = {"If-None-Match": '"1.1"'}
    assert proxy.request("GET", path, headers=tag).status == 304


def test_the_instance_of_a_problem_is_empty_if_nginx_cannot_quote_the_path(
    proxy: Proxy, services: list[Service]
) -> None:
    for service in services:
        service.kill()
    document = send_raw(proxy, b'GET /v1/"\\?a="b" HTTP/1.1\r\nHost: x')
    assert document["type"] == "/problems/store-unavailable"
    assert document["instance"] == ""


@pytest.mark.parametrize(
    ("head", "slug"),
    [
        (b"RUBBISH", "malformed-request"),
        (b"GET / HTTP/1.1\r\nHost: a b", "malformed-request"),
        (
            b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip",
            "unknown-transfer-coding",
        ),
        (b"GET /" + b"a" * 17_000 + b" HTTP/1.1\r\nHost: x", "uri-too-long"),
        (b"GET /" + b"a" * 9_000 + b" HTTP/1.1\r\nHost: x", "uri-too-long"),
    ],
)
def test_malformed_requests_are_refused_with_a_problem(
    proxy: Proxy, head: bytes, slug: str
) -> None:
    document = send_raw(proxy, head)
    assert document["type"] == PROBLEM_TYPES[slug].uri
    assert document["title"] == problem_title(slug, "en")
    assert document["status"] == PROBLEM_TYPES[slug].status


@pytest.mark.parametrize("size", [100_000, 2_000_000])
def test_large_bodies_are_refused_with_a_problem(proxy: Proxy, size: int) -> None:
    response = proxy.request("POST", "/v1/games", b" " * size, JSON)
    check_problem(response, "body-too-large", "/v1/games")
    assert json.loads(response.body)["detail"] == problem_detail(
        "body-too-large", "en", limit=64 * 1024
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"X-Long": "x" * 9_000},
        {"X-Long": "x" * 17_000},
        {f"X-Long-{i}": "x" * 15_000 for i in range(9)},
    ],
)
def test_large_header_fields_are_refused_with_a_problem(
    proxy: Proxy, fields: dict[str, str]
) -> None:
    response = proxy.request("GET", "/v1/variants", headers=fields)
    assert response.status == 431
    assert json.loads(response.body)["type"] == "/problems/header-fields-too-large"


def test_metrics_are_not_public(proxy: Proxy) -> None:
    check_problem(proxy.request("GET", "/metrics?x=1"), "not-found", "/metrics")


def check_problem(response: Response, slug: str, path: str) -> None:
    """Check that a problem is like those of the API itself."""
    problem, document = PROBLEM_TYPES[slug], json.loads(response.body)
    assert response.status == problem.status
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.headers["Cache-Control"] == "no-store"
    assert document["detail"]
    assert document | {"detail": ""} == {
        "type": problem.uri,
        "title": problem_title(slug, "en"),
        "status": problem.status,
        "detail": "",
        "instance": path,
    }


def send_raw(proxy: Proxy, head: bytes) -> dict[str, object]:
    """Send a raw head; return the problem in the response."""
    with socket.create_connection(("127.0.0.1", proxy.port), 10) as client:
        client.sendall(head + b"\r\nConnection: close\r\n\r\n")
        head, _, body = client.makefile("rb").read().partition(b"\r\n\r\n")
    document: dict[str, object] = json.loads(body)
    assert head.startswith(f"HTTP/1.1 {document['status']} ".encode())
    assert b"Content-Type: application/problem+json" in head
    return document
