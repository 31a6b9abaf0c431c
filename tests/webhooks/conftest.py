from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from service.access.api_keys import add_key
from service.clock import now
from service.config import Settings
from service.games.use_cases import make_use_cases
from service.games.webhook_hosts import WebhookHosts
from service.games.webhooks import EventClosings, WebhookQueue
from service.http.app import create_app
from service.http.schemas.webhooks import BODIES
from service.store.events import EventTexts
from service.store.webhooks import Webhooks
from service.webhooks.post import WebhookClient, resolve
from service.webhooks.sender import Sender
from tests.http.client import Api
from tests.servers import running
from tests.webhooks.receiver import Receiver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from service.store.redis import RedisStore
    from service.webhooks.post import Resolve
    from tests.servers import StoreServer

LOSING_GAME = {"variant": "late-binding", "seed": "3"}


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running(made := Receiver()):
        yield made
        made.release.set()


class Clock:
    """A clock that can be set forward."""

    ahead = 0

    def now(self) -> int:
        return now() + self.ahead


class Portal:
    """A tenant of a service, and the senders of that service."""

    def __init__(
        self, settings: Settings, store: RedisStore, key: str, clock: Clock
    ) -> None:
        self.clock = clock
        self.api = Api(create_app(settings, store), key)
        self.hosts = settings.webhooks
        self.webhooks = Webhooks(store.runner, game_life=3600)
        runner = store.runner
        self.cases = make_use_cases(settings, store, runner, clock.now, BODIES)
        queue = WebhookQueue(self.webhooks, BODIES, clock.now)
        self.closings = EventClosings(EventTexts(runner), queue, clock.now)

    def pass_time(self, seconds: float) -> None:
        self.clock.ahead += round(seconds * 1000)

    def subscribe(self, url: str, *events: str) -> Any:  # noqa: ANN401
        body = {"url": url, "events": events or ["game.over"]}
        reply = self.api.post("/v1/webhooks", body)
        assert reply.status == 201, reply.raw
        return reply.json

    def lose(self, **body: object) -> Any:  # noqa: ANN401
        """Play a game until no move is left."""
        game = self.api.start(**(LOSING_GAME | body))
        while game["status"] == "playing":
            game = self.api.play(game, "moves", **game["legal_moves"][-1]).json
        return game

    def sender(self, find: Resolve = resolve) -> Sender:
        poster = WebhookClient(WebhookHosts(self.hosts), find)
        return Sender(self.webhooks, poster, self.closings.sweep, self.clock.now)

    def send(self, until: Callable[[], bool], *senders: Sender) -> None:
        """Run senders until `until` returns true.

        They run in another thread: a browser's event loop may run in this one.
        """
        work = partial(asyncio.run, _run(senders or (self.sender(),), until))
        with ThreadPoolExecutor(1) as pool:
            pool.submit(work).result()

    def deliveries(self, webhook: Any) -> list[dict[str, Any]]:  # noqa: ANN401
        """Return the deliveries of a webhook, the newest first."""
        path = f"/v1/webhooks/{webhook['id']}/deliveries"
        found: list[dict[str, Any]] = self.api.get(path).json["deliveries"]
        return found

    def statuses(self, webhook: Any) -> list[str]:  # noqa: ANN401
        """Return the statuses of the deliveries, the oldest first."""
        return [each["status"] for each in reversed(self.deliveries(webhook))]


async def _run(senders: tuple[Sender, ...], until: Callable[[], bool]) -> None:
    stop = asyncio.Event()
    tasks = [asyncio.create_task(sender.run(stop)) for sender in senders]
    while not until():
        assert not any(task.done() for task in tasks)
        await asyncio.sleep(0.01)
    stop.set()
    await asyncio.gather(*tasks)


@pytest.fixture
def make_portal(
    store: RedisStore,
    valkey_server: StoreServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Portal]:
    """Makes a portal whose webhooks may be on the given hosts."""

    def make(*hosts: str) -> Portal:
        keys = tmp_path / "keys.json"
        key = add_key(keys, "portal", "portal", date(2026, 1, 31))
        settings = Settings(
            redis_url=valkey_server.url,
            api_keys_file=keys,
            webhooks=hosts,
            store_timeout=5.0,
        )
        clock = Clock()
        monkeypatch.setattr("service.http.app.now", clock.now)
        return Portal(settings, store, key, clock)

    return make


@pytest.fixture
def portal(make_portal: Callable[..., Portal]) -> Portal:
    """A portal whose webhooks may be on this machine."""
    return make_portal("private:localhost")
