from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from service.config import Settings
from service.http.app import create_app
from tests.conftest import open_store_at
from tests.http.client import Api
from tests.properties.raw_http import Wire
from tests.servers import Service

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers import StoreServer

PATIENT = {"store_timeout": 10}
"""A slow store on a busy machine is waited for; its absence is tested elsewhere."""


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    """A real service with one worker, spoken to in bytes."""
    with (
        TemporaryDirectory(prefix="acc") as folder,
        Service({"data_dir": folder, **PATIENT, "log_level": "warning"}) as service,
    ):
        yield Wire(service)


@pytest.fixture
def api(valkey_server: StoreServer) -> Api:
    """An application on an empty store."""
    with valkey_server.client() as client:
        client.flushall()
    store = open_store_at(valkey_server.url, timeout=PATIENT["store_timeout"])
    return Api(create_app(Settings(), store))
