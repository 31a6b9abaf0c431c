"""A start says that the service is ready only where its store takes writes."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from service.config import Settings
from service.server.readiness import Readiness

if TYPE_CHECKING:
    from tests.servers import StoreServer


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("unix:///nowhere/store.sock", "No such file or directory"),
        ("rediss://127.0.0.1:{port}?ssl_ca_certs=/nowhere/ca.pem", "No such file"),
        ("redis://127.0.0.1:1", "Connection refused"),
        ("unix://:a%20wrong%20password@{path}", "AuthenticationError"),
        ("unix://{path}?db=99", "out of range"),
        ("unix://{path}", None),
    ],
)
def test_ready_is_not_said_while_the_store_cannot_be_used(
    valkey_server: StoreServer,
    capfd: pytest.CaptureFixture[str],
    url: str,
    reason: str | None,
) -> None:
    path = valkey_server.url.removeprefix("unix://")
    with socket.create_server(("127.0.0.1", 0)) as anybody:
        port = anybody.getsockname()[1]
        settings = Settings(redis_url=url.format(path=path, port=port))
        Readiness(settings, "127.0.0.1", 8000).check()
    said = capfd.readouterr().out
    if reason is None:
        assert said == "Accordion is ready: http://127.0.0.1:8000\n"
    else:
        assert said.startswith("Accordion is not ready: http://127.0.0.1:8000 listens")
        assert reason in said
