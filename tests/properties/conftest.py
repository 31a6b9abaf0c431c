from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from service.config import Settings
from service.http.app import create_app
from tests.conftest import open_store_at
from tests.http.client import Api
from tests.properties.raw_http import RawClient
from tests.servers import Service

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers import StoreServer

LONG_STORE_TIMEOUT = {"store_timeout": 10}
"""For busy machines; other tests cover a store that does not answer."""


@pytest.fixture(scope="module")
def client() -> Iterator[RawClient]:
    """A client that sends bytes to a real service with one worker."""
    with (
        TemporaryDirectory(prefix="acc") as folder,
        Service(
            {"data_dir": folder, **LONG_STORE_TIMEOUT, "log_level": "warning"}
        ) as service,
    ):
        yield RawClient(service)


@pytest.fixture
def api(valkey_server: StoreServer) -> Api:
    """An application on an empty store."""
    with valkey_server.client() as client:
        client.flushall()
    store = open_store_at(
        valkey_server.url, timeout=LONG_STORE_TIMEOUT["store_timeout"]
    )
    return Api(create_app(Settings(), store))
