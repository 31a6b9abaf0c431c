"""The store user in docs/operations.md has the rights it needs, and no others."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import service
from service.store.limit_counter import strategies
from service.store.protocol import StoreUnavailableError
from tests.conftest import Serve, open_store_at
from tests.servers import BINARIES, Service, StoreServer, free_port

ROOT = Path(__file__).parents[2]
STORE = Path(service.__file__).parent / "store"
LINE = re.compile(r"^ACL SETUSER (accordion on >PASSWORD .*)$", re.MULTILINE)
COMMAND = re.compile(r'(?:pack|read|write)\(b"(\w+)"')
OF_SEVERAL_SERVERS = {"cluster", "sentinel", "asking"}
OF_THE_EMBEDDED_STORE = {"config", "info", "ping"}
JSON = {"Content-Type": "application/json", "Idempotency-Key": "0123456789abcdef"}


def documented() -> list[str]:
    """Return the rules of the documented user, with the test's password."""
    [line] = LINE.findall((ROOT / "docs" / "operations.md").read_text())
    return str(line).replace("PASSWORD", "secret").split()


@pytest.fixture(params=list(BINARIES))
def server(request: pytest.FixtureRequest, short_folder: Path) -> Iterator[StoreServer]:
    binary = BINARIES[request.param]
    if binary is None:
        pytest.skip(f"no {request.param} server is installed")
    with StoreServer(binary, short_folder, port=free_port()) as made:
        allow(made, *documented())
        yield made


def allow(server: StoreServer, user: str, *rules: str) -> None:
    with server.client() as client:
        client.execute_command("ACL", "SETUSER", user, *rules)


def url(server: StoreServer) -> str:
    return f"redis://accordion:secret@127.0.0.1:{server.port}/1"


def test_the_documented_commands_are_exactly_those_used() -> None:
    texts = [path.read_text() for path in STORE.rglob("*.lua")]
    code = [path.read_text() for path in STORE.glob("*.py")]
    called = {name for text in texts for name in re.findall(r"call\('(\w+)'", text)}
    packed = {name for text in code for name in re.findall(COMMAND, text)}
    used = {name.lower() for name in called | packed}
    used -= OF_SEVERAL_SERVERS | OF_THE_EMBEDDED_STORE
    rules = {rule[1:] for rule in documented() if rule.startswith("+")}
    assert rules == used | {"select"}


@pytest.mark.parametrize("strategy", strategies())
def test_the_documented_user_may_do_all_that_a_service_needs(
    server: StoreServer, served: Serve, strategy: str
) -> None:
    service = served(
        redis_url=url(server),
        rate_limit="9999/hour",
        rate_limit_strategy=strategy,
        store_timeout=5,
    )
    assert service.request("GET", "/readyz").status == 200
    game = json.loads(send(service, "POST", "/v1/games", {"seed": "42"}, 201))
    path = f"/v1/games/{game['id']}"
    move = game["legal_moves"][0]
    first = send(service, "POST", f"{path}/moves", move, 200)
    assert send(service, "POST", f"{path}/moves", move, 200) == first
    send(service, "POST", f"{path}/hint", {"budget_ms": 1}, 200)
    send(service, "POST", f"{path}/finish", {}, 200)
    assert service.request("GET", path).status == 200
    assert service.request("DELETE", path).status == 204


def send(service: Service, method: str, path: str, body: object, status: int) -> bytes:
    keyed = JSON | {"Idempotency-Key": f"{path}-0123456789"[-60:]}
    response = service.request(method, path, json.dumps(body).encode(), keyed)
    assert response.status == status, response
    return response.body


@pytest.mark.parametrize("rule", ["-evalsha", "-set", "-getrange", "-pexpire", "-wait"])
def test_a_store_that_refuses_a_command_needed_for_writes_is_not_ready(
    server: StoreServer, rule: str
) -> None:
    store = open_store_at(url(server), wait_replicas=0 if rule != "-wait" else 1)
    if rule != "-wait":
        store.ping()
    allow(server, "accordion", rule)
    with pytest.raises(
        StoreUnavailableError, match=r"NoPermission|can't run|no permissions"
    ):
        store.ping()
