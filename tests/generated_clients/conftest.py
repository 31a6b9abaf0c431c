"""Clients generated from openapi.yaml, and the service that they use."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from tests.node_packages import install
from tests.servers import Service

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
DESCRIPTION = Path(__file__).parents[2] / "openapi.yaml"


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """The packages of the lock file beside this file."""
    return install(HERE)


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    with (
        TemporaryDirectory(prefix="acc") as folder,
        Service({"data_dir": folder}) as running_service,
    ):
        yield running_service
