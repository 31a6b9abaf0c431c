"""Two services behind a real nginx, set up by deploy/nginx.conf."""

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
from tests.servers import Answer, Service, StoreServer, free_port, wait_until

CONFIG = Path(__file__).parents[2] / "deploy" / "nginx.conf"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
JSON = {"Content-Type": "application/json"}

pytestmark = pytest.mark.skipif(NGINX is None, reason="no nginx here")


class Proxy(Service):
    """nginx, asked as a service is."""

    def __init__(self, folder: Path, services: list[Service]) -> None:
        super().__init__({"data_dir": folder})
        self.port = free_port()
        servers = "".join(
            f"server 127.0.0.1:{service.port} max_fails=1 fail_timeout=2s;"
            for service in services
        )
        text = CONFIG.read_text()
        for written, here in (
            ("server api:8000 resolve max_fails=1 fail_timeout=2s;", servers),
            ("listen 8080", f"listen 127.0.0.1:{self.port}"),
            ("/tmp/", f"{folder}/"),  # noqa: S108 - replaced by a folder of this test
        ):
            assert written in text
            text = text.replace(written, here)
        self._config = folder / "nginx.conf"
        self._config.write_text(text)

    def start(self) -> None:
        command = [str(NGINX), "-c", str(self._config), "-g", "daemon off;"]
        self.process = subprocess.Popen(command)
        self.wait_until_it_passes_on()

    def wait_until_it_passes_on(self) -> None:
        """Wait until it has a service; one that failed is not asked for 2 s."""

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
        # nginx's workers are another user, where this one is root.
        Path(folder).chmod(0o755)
        with Proxy(Path(folder), services) as proxy:
            yield proxy


@pytest.fixture
def proxy(services: list[Service], nginx: Proxy) -> Iterator[Proxy]:
    yield nginx
    for service in services:
        if service.process is None or service.process.poll() is not None:
            service.start()
    nginx.wait_until_it_passes_on()


def move_on(proxy: Proxy, game: dict[str, object]) -> dict[str, object]:
    moves = game["legal_moves"]
    assert isinstance(moves, list)
    answer = proxy.request(
        "POST",
        f"/v1/games/{game['id']}/moves",
        json.dumps(moves[0]).encode(),
        {**JSON, "If-Match": f'"{game["version"]}"'},
    )
    assert answer.status == 200, answer
    moved: dict[str, object] = json.loads(answer.body)
    assert answer.headers["ETag"].startswith(f'"{moved["version"]}.')
    return moved


def new_game(proxy: Proxy) -> dict[str, object]:
    body = b'{"variant": "accordion-bidirectional", "seed": "1"}'
    answer = proxy.request("POST", "/v1/games", body, JSON)
    assert answer.status == 201, answer
    game: dict[str, object] = json.loads(answer.body)
    return game


def requests_seen(service: Service) -> int:
    lines = service.request("GET", "/metrics").body.decode().splitlines()
    counted = [line for line in lines if line.startswith("accordion_requests_total{")]
    moves = [line for line in counted if 'operation="makeMove"' in line]
    return sum(int(float(line.rsplit(" ", 1)[1])) for line in moves)


def test_a_game_is_played_through_whichever_service_is_free(
    proxy: Proxy, services: list[Service]
) -> None:
    game = new_game(proxy)
    for _ in range(10):
        game = move_on(proxy, game)
    seen = [requests_seen(service) for service in services]
    assert sum(seen) == 10
    assert min(seen) > 0


def test_a_service_that_dies_is_not_noticed(
    proxy: Proxy, services: list[Service]
) -> None:
    game = move_on(proxy, new_game(proxy))
    services[0].kill()
    for _ in range(10):
        game = move_on(proxy, game)
        assert proxy.request("GET", f"/v1/games/{game['id']}").status == 200


def test_without_any_service_the_answer_is_a_problem(
    proxy: Proxy, services: list[Service]
) -> None:
    for service in services:
        service.kill()
    answer = proxy.request("POST", "/v1/games", b"{}", JSON)
    check_problem(answer, "store-unavailable", "/v1/games")
    assert answer.headers["Retry-After"] == "1"


def test_clients_are_not_believed_about_where_they_ask(proxy: Proxy) -> None:
    forged = {
        "X-Forwarded-Prefix": "/elsewhere",
        "X-Forwarded-Host": "elsewhere.example",
        "X-Forwarded-Proto": "https",
    }
    answer = proxy.request("POST", "/v1/games", b"{}", JSON | forged)
    assert answer.status == 201
    assert "elsewhere" not in answer.headers["Location"]
    assert not answer.headers["Location"].startswith("https")


def test_answers_keep_their_strong_tags(proxy: Proxy) -> None:
    game = new_game(proxy)
    path = f"/v1/games/{game['id']}"
    answer = proxy.request("GET", path, headers={"Accept-Encoding": "gzip"})
    assert answer.headers["ETag"] == '"1.1"'
    tag = {"If-None-Match": '"1.1"'}
    assert proxy.request("GET", path, headers=tag).status == 304


def test_an_instance_is_never_what_json_could_not_say(
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
def test_what_cannot_be_read_is_refused_with_a_problem(
    proxy: Proxy, head: bytes, slug: str
) -> None:
    document = send_raw(proxy, head)
    assert document["type"] == PROBLEM_TYPES[slug].uri
    assert document["title"] == problem_title(slug, "en")
    assert document["status"] == PROBLEM_TYPES[slug].status


@pytest.mark.parametrize("size", [100_000, 2_000_000])
def test_large_bodies_are_refused_with_a_problem(proxy: Proxy, size: int) -> None:
    answer = proxy.request("POST", "/v1/games", b" " * size, JSON)
    check_problem(answer, "body-too-large", "/v1/games")
    assert json.loads(answer.body)["detail"] == problem_detail(
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
    answer = proxy.request("GET", "/v1/variants", headers=fields)
    assert answer.status == 431
    assert json.loads(answer.body)["type"] == "/problems/header-fields-too-large"


def test_metrics_are_not_public(proxy: Proxy) -> None:
    check_problem(proxy.request("GET", "/metrics?x=1"), "not-found", "/metrics")


def check_problem(answer: Answer, slug: str, path: str) -> None:
    """Is the answer as the API's own would be?"""
    problem, document = PROBLEM_TYPES[slug], json.loads(answer.body)
    assert answer.status == problem.status
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert document["detail"]
    assert document | {"detail": ""} == {
        "type": problem.uri,
        "title": problem_title(slug, "en"),
        "status": problem.status,
        "detail": "",
        "instance": path,
    }


def send_raw(proxy: Proxy, head: bytes) -> dict[str, object]:
    """Send what no client would; the problem that is answered."""
    with socket.create_connection(("127.0.0.1", proxy.port), 10) as client:
        client.sendall(head + b"\r\nConnection: close\r\n\r\n")
        head, _, body = client.makefile("rb").read().partition(b"\r\n\r\n")
    document: dict[str, object] = json.loads(body)
    assert head.startswith(f"HTTP/1.1 {document['status']} ".encode())
    assert b"Content-Type: application/problem+json" in head
    return document
