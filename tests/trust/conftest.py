from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from service.api.app import create_app
from service.config import Settings
from tests.api.client import Api
from tests.servers import Service
from tests.trust.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.store.redis import RedisStore


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    """A real service with one worker, spoken to in bytes."""
    with (
        TemporaryDirectory(prefix="acc") as folder,
        Service({"data_dir": folder, "log_level": "warning"}) as service,
    ):
        yield Wire(service)


@pytest.fixture
def api(store: RedisStore) -> Api:
    return Api(create_app(Settings(), store))
