import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings

from service.solver import warm
from service.store.factory import open_link
from service.store.redis import RedisStore
from tests.cluster.launcher import NEVER_FAILED, Cluster, run_cluster
from tests.servers import BINARIES, Service, StoreServer

SLOW = ("process", "properties", "cluster", "generated_clients", "page", "loadtests")
"""Folders whose tests begin first, so that no long test is left to run alone."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def rank(item: pytest.Item) -> int:
        folder = item.path.parent.name
        return SLOW.index(folder) if folder in SLOW else len(SLOW)

    items.sort(key=rank)


DAY = 24 * 3600

# A busy machine is no failure, so there is no deadline. CI tries the same examples
# each time.
settings.register_profile(
    "tests", deadline=None, max_examples=50, derandomize="CI" in os.environ
)
settings.load_profile("tests")


@pytest.fixture(scope="session", autouse=True)
def _compiled_solver() -> None:
    """Compile the solver, so that no test waits for the compiler or kernel cache."""
    warm()


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A new folder whose path leaves room for a socket's name."""
    with TemporaryDirectory(prefix="acc") as folder:
        yield Path(folder)


@pytest.fixture(scope="session", params=[*BINARIES, "cluster"])
def any_server(request: pytest.FixtureRequest) -> Iterator[StoreServer | Cluster]:
    """Each kind of installed server, and a cluster, kept for the whole run."""
    if request.param == "cluster":
        with (
            TemporaryDirectory(prefix="acc") as folder,
            run_cluster(Path(folder), *NEVER_FAILED) as cluster,
        ):
            yield cluster
        return
    binary = BINARIES[request.param]
    if binary is None:
        pytest.skip(f"no {request.param} server is installed")
    with (
        TemporaryDirectory(prefix="acc") as folder,
        StoreServer(binary, Path(folder)) as server,
    ):
        yield server


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[StoreServer]:
    """A server of the kind of the embedded store, kept for the whole run."""
    binary = BINARIES["valkey"]
    assert binary is not None
    with (
        TemporaryDirectory(prefix="acc") as folder,
        StoreServer(binary, Path(folder)) as server,
    ):
        yield server


BUSY_SECONDS = 30.0
"""How long a server may take on a busy machine, in tests that test no time-out."""


def open_store_at(
    url: str, *, timeout: float = 0.45, game_ttl: int = 7 * DAY, wait_replicas: int = 0
) -> RedisStore:
    link = open_link(url, timeout)
    return RedisStore(
        link.run, game_ttl=game_ttl, wait_replicas=wait_replicas, timeout=timeout
    )


@pytest.fixture
def any_store(any_server: StoreServer | Cluster) -> RedisStore:
    """An empty store on each kind of server."""
    with any_server.client() as client:
        client.flushall()
    return open_store_at(any_server.url, timeout=BUSY_SECONDS)


@pytest.fixture
def store(valkey_server: StoreServer) -> RedisStore:
    """An empty store."""
    with valkey_server.client() as client:
        client.flushall()
    return open_store_at(valkey_server.url)


Serve = Callable[..., Service]


@contextmanager
def serving() -> Iterator[Serve]:
    with ExitStack() as stack:

        def serve(*, wrapper: Sequence[str] = (), **settings: object) -> Service:
            if "data_dir" not in settings:
                folder = stack.enter_context(TemporaryDirectory(prefix="acc"))
                settings["data_dir"] = folder
            return stack.enter_context(Service(settings, wrapper=wrapper))

        yield serve


@pytest.fixture
def served() -> Iterator[Serve]:
    """Starts `accordion serve`, with settings such as `workers=1`, on a free port.

    Without a `data_dir` it gets a new one; `wrapper` is a command that runs it. The
    services that still run at the end of the test are stopped.
    """
    with serving() as serve:
        yield serve


@pytest.fixture(scope="module")
def module_served() -> Iterator[Serve]:
    """Like `served`, for services that all tests of a module share."""
    with serving() as serve:
        yield serve
