"""The service prints that it is ready only if its store accepts writes."""

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
def test_readiness_is_printed_only_if_the_store_can_be_used(
    valkey_server: StoreServer,
    capfd: pytest.CaptureFixture[str],
    url: str,
    reason: str | None,
) -> None:
    path = valkey_server.url.removeprefix("unix://")
    with socket.create_server(("127.0.0.1", 0)) as other_server:
        port = other_server.getsockname()[1]
        settings = Settings(redis_url=url.format(path=path, port=port))
        Readiness(settings, "127.0.0.1", 8000).check()
    output = capfd.readouterr().out
    if reason is None:
        assert output == "Accordion is ready: http://127.0.0.1:8000\n"
    else:
        assert output.startswith(
            "Accordion is not ready: http://127.0.0.1:8000 listens"
        )
        assert reason in output
