"""Measure how many deliveries one sender makes per second.

python -m benchmarks.webhooks
"""

from __future__ import annotations

import asyncio
import time
from multiprocessing import Process, Queue
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from service.clock import now
from service.games.webhook_hosts import WebhookHosts
from service.games.webhooks import (
    Webhook,
    WebhookEvent,
    encode_webhook,
    new_secret,
)
from service.store.webhooks import NewDelivery, WebhookKey, Webhooks
from service.webhooks.post import WebhookClient
from service.webhooks.sender import Sender
from tests.conftest import open_store_at
from tests.servers import BINARIES, StoreServer

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter

_KEY = WebhookKey("portal", "webhook")
_BODY = b'{"data": "%s"}' % (b"x" * 1200)
_RESPONSE = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
_POLL_SECONDS = 0.1


async def _respond(reader: StreamReader, writer: StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(_RESPONSE)
    await writer.drain()
    writer.close()


async def _receive(port: Queue[int]) -> None:
    server = await asyncio.start_server(_respond, "127.0.0.1", 0, backlog=256)
    port.put(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def _run_receiver(port: Queue[int]) -> None:
    asyncio.run(_receive(port))


async def _send(store: Webhooks) -> float:
    """Send all queued deliveries; return the seconds that this took."""
    poster = WebhookClient(WebhookHosts(["private:localhost"]))
    sender, stop = Sender(store, poster, lambda: None, now), asyncio.Event()
    task, begun = asyncio.create_task(sender.run(stop)), time.perf_counter()
    while any(d.status == "pending" for _, d in store.deliveries(_KEY, 0, 1000)):  # noqa: ASYNC110 - the store has no event to wait for
        await asyncio.sleep(_POLL_SECONDS)
    seconds = time.perf_counter() - begun
    stop.set()
    await task
    return seconds


@click.command()
@click.option("--deliveries", default=1000, show_default=True, help="1000 at most.")
def main(*, deliveries: int) -> None:
    """Queue deliveries, and measure how fast one sender makes them."""
    port: Queue[int] = Queue()
    receiver = Process(target=_run_receiver, args=(port,), daemon=True)
    receiver.start()
    with (
        TemporaryDirectory(prefix="acc") as folder,
        StoreServer(str(BINARIES["valkey"]), Path(folder)) as server,
    ):
        store = Webhooks(open_store_at(server.url).runner, game_life=3600)
        url, events = f"http://localhost:{port.get()}/", (WebhookEvent.GAME_OVER,)
        webhook = Webhook(_KEY.webhook_id, url, events, new_secret(), now())
        store.put(_KEY, encode_webhook(webhook))
        for n in range(deliveries):
            new = NewDelivery(f"m{n}", f"l{n}", 1, events[0], "", _BODY)
            store.add(_KEY, new, now())
        seconds = asyncio.run(_send(store))
    receiver.terminate()
    click.echo(f"{deliveries / seconds:.0f} deliveries a second")


if __name__ == "__main__":
    main()
