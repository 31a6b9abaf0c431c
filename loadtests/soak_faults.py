"""Faults to inject into a service: in its processes, its store, its connections."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable  # noqa: TC003 - the alias names it
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

import psutil
from redis import Redis

from service.store.embedded import embedded_url

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from tests.servers import Service

Fault: TypeAlias = "Callable[[Service, Random], None]"
"""Injects a fault, and ends it unless it ends by itself."""

_FAULT_SECONDS = (0.3, 2.0)
_STORE_TIMEOUT_SECONDS = 30.0
_RELOAD_SECONDS = 40.0
_UNREACHABLE_PRIMARY = ("127.0.0.1", 1)


@contextmanager
def _store_client(service: Service) -> Iterator[Redis]:
    url = embedded_url(service.data_dir)
    with Redis.from_url(url, socket_timeout=_STORE_TIMEOUT_SECONDS) as client:
        yield client


@contextmanager
def _store_paused(service: Service) -> Iterator[None]:
    store = service.store
    store.suspend()
    try:
        yield
    finally:
        store.resume()


def wait(random: Random) -> None:
    """Let a fault last for a random time."""
    time.sleep(random.uniform(*_FAULT_SECONDS))


def kill_worker(service: Service, random: Random) -> None:
    """Kill a worker process."""
    random.choice(service.workers).kill()


def _kill_workers(service: Service, _random: Random) -> None:
    for worker in service.workers:
        worker.kill()


def kill_store(service: Service, _random: Random) -> None:
    """Kill the embedded store, unless it has just exited."""
    stores = service.stores
    for store in stores:
        store.kill()
    psutil.wait_procs(stores)


def _kill_store_while_rewriting(service: Service, random: Random) -> None:
    with _store_client(service) as client:
        client.bgrewriteaof()
    time.sleep(random.uniform(0, 0.02))
    kill_store(service, random)


def _pause_store(service: Service, random: Random) -> None:
    with _store_paused(service):
        wait(random)


def _kill_worker_in_request(service: Service, random: Random) -> None:
    with _store_paused(service):
        wait(random)
        kill_worker(service, random)


def _delay_store(service: Service, random: Random) -> None:
    milliseconds = random.randint(100, 1500)
    with _store_client(service) as client:
        client.client_pause(milliseconds, all=True)
    time.sleep(milliseconds / 1000)


def _close_connections(service: Service, _random: Random) -> None:
    with _store_client(service) as client:
        client.client_kill_filter(_type="normal", skipme=True)


def _remove_scripts(service: Service, _random: Random) -> None:
    with _store_client(service) as client:
        client.script_flush("SYNC")


def _exhaust_memory(service: Service, random: Random) -> None:
    with _store_client(service) as client:
        client.config_set("maxmemory", "1mb")
        try:
            wait(random)
        finally:
            client.config_set("maxmemory", 0)


def _make_read_only(service: Service, random: Random) -> None:
    with _store_client(service) as client:
        client.replicaof(*_UNREACHABLE_PRIMARY)
        try:
            wait(random)
        finally:
            client.replicaof("NO", "ONE")


def _reload(service: Service, _random: Random) -> None:
    before = service.workers
    service.parent.send_signal(signal.SIGHUP)
    _, left = psutil.wait_procs(before, timeout=_RELOAD_SECONDS)
    if left:
        raise TimeoutError(f"workers {left} are still there after the reload")


def _restart(service: Service, _random: Random) -> None:
    service.stop()
    service.start()


def kill_everything(service: Service, _random: Random) -> None:
    """Kill every process of the service, and start it again on the same data."""
    service.kill()
    service.start()


FAULTS: dict[str, Fault] = {
    "worker killed": kill_worker,
    "all workers killed": _kill_workers,
    "store killed": kill_store,
    "store killed while it rewrites its file": _kill_store_while_rewriting,
    "store paused": _pause_store,
    "worker killed while the store is paused": _kill_worker_in_request,
    "store delayed": _delay_store,
    "store connections closed": _close_connections,
    "store scripts removed": _remove_scripts,
    "store out of memory": _exhaust_memory,
    "store read-only": _make_read_only,
    "service reloaded": _reload,
    "service restarted": _restart,
    "everything killed": kill_everything,
}
