from collections.abc import Iterator

import pytest

from benchmarks.servers import Server, run_baseline
from tests.servers import CannedServer, StoreServer, running


@pytest.fixture(scope="session")
def baseline(valkey_server: StoreServer) -> Iterator[Server]:
    """The baseline of the benchmark."""
    with run_baseline(valkey_server.url) as server:
        yield server


@pytest.fixture
def canned_server(request: pytest.FixtureRequest) -> Iterator[CannedServer]:
    """A `CannedServer`; parametrized with its response."""
    server = CannedServer(request.param)
    with running(server):
        yield server
