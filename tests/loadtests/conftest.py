from collections.abc import Iterator
from tempfile import TemporaryDirectory

import pytest

from tests.servers import CannedServer, Service, running


@pytest.fixture(scope="package")
def service() -> Iterator[Service]:
    """A service with two workers, for every test here."""
    with (
        TemporaryDirectory(prefix="acc") as folder,
        Service({"data_dir": folder, "workers": 2, "log_level": "warning"}) as service,
    ):
        yield service


@pytest.fixture
def canned_server(request: pytest.FixtureRequest) -> Iterator[CannedServer]:
    """A `CannedServer`; parametrized with its response."""
    server = CannedServer(request.param)
    with running(server):
        yield server
