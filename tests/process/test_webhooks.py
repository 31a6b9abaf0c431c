"""The process that sends to webhooks: started, watched and stopped."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from service.access.api_keys import add_key
from tests.servers import running, wait_until
from tests.webhooks.receiver import Receiver

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import Serve
    from tests.servers import Service


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running(made := Receiver()):
        yield made
        made.release.set()


class Portal:
    """A tenant of a service."""

    def __init__(self, service: Service, key: str) -> None:
        self.service = service
        self._fields = {"Authorization": f"Bearer {key}"}

    def post(self, path: str, body: object) -> Any:  # noqa: ANN401
        fields = self._fields | {"Content-Type": "application/json"}
        data = json.dumps(body).encode()
        response = self.service.request("POST", path, data, fields, timeout=60)
        assert response.status < 300, response.body
        return json.loads(response.body)

    def end_a_game(self) -> None:
        game = self.post("/v1/games", {"player": "é"})
        self.post(f"/v1/games/{game['id']}/finish", {})

    def count(self, outcome: str) -> str:
        """Return the value of the metric that counts deliveries with an outcome."""
        wanted = f'accordion_webhook_deliveries_total{{outcome="{outcome}"}} '
        text = self.service.request("GET", "/metrics").body.decode()
        return text.partition(wanted)[2].partition("\n")[0]


@pytest.mark.parametrize("server", ["gunicorn", "granian"])
def test_a_killed_sender_loses_no_delivery(
    served: Serve, receiver: Receiver, tmp_path: Path, server: str
) -> None:
    keys = tmp_path / "keys.json"
    key = add_key(keys, "portal", "portal", date(2026, 1, 31))
    service = served(server=server, api_keys_file=keys, webhooks="private:localhost")
    portal = Portal(service, key)
    body = {"url": receiver.url, "events": ["game.over"]}
    secret = portal.post("/v1/webhooks", body)["secret"]
    receiver.answer = lambda _request, count: 0 if count == 0 else 204
    portal.end_a_game()
    wait_until(lambda: len(receiver.received) == 1)
    (sender,) = (
        child
        for child in service.parent.children()
        if any(c.raddr and c.raddr.port == receiver.port for c in connections(child))
    )
    assert not any(c.status == psutil.CONN_LISTEN for c in connections(sender))
    sender.kill()
    portal.end_a_game()
    wait_until(lambda: len(receiver.received) == 3)
    first, *others = receiver.ids
    assert others.count(first) == 1
    assert len(set(others)) == 2
    for request in receiver.received:
        assert request.verify(secret)["data"]["player"] == "é"
    wait_until(lambda: portal.count("delivered") == "2.0")
    assert service.stop() == 0


def connections(process: psutil.Process) -> list[Any]:
    return process.net_connections(kind="tcp")
