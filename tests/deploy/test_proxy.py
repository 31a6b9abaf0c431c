"""Two services behind a real nginx, set up by deploy/nginx.conf."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.servers import Service, StoreServer, free_port, wait_until

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
    assert answer.headers["ETag"] == f'"{moved["version"]}"'
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
    assert answer.status == 503
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Retry-After"] == "1"
    assert json.loads(answer.body)["status"] == 503


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
    assert answer.headers["ETag"] == '"1"'
    tag = {"If-None-Match": '"1"'}
    assert proxy.request("GET", path, headers=tag).status == 304


@pytest.mark.parametrize(
    ("size", "kind"),
    [(100_000, "/problems/body-too-large"), (2_000_000, "about:blank")],
)
def test_large_bodies_are_refused_with_a_problem(
    proxy: Proxy, size: int, kind: str
) -> None:
    answer = proxy.request("POST", "/v1/games", b" " * size, JSON)
    assert answer.status == 413
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert json.loads(answer.body)["type"] == kind


def test_metrics_are_not_public(proxy: Proxy) -> None:
    answer = proxy.request("GET", "/metrics")
    assert answer.status == 404
    assert answer.headers["Content-Type"] == "application/problem+json"
