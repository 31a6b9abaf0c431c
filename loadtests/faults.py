"""What can befall a service: its processes, its store, its connections."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import psutil
from redis import Redis

from service.store.embedded import embedded_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from tests.servers import Service

_HELD_SECONDS = (0.3, 2.0)
_SLOW_MS = (100, 1500)
_ADMIN_SECONDS = 5.0
_RELOAD_SECONDS = 40.0
_SCARCE_MEMORY = "1mb"
_NO_MASTER = ("127.0.0.1", 1)
"""A primary that is never there: what follows it refuses writes."""


class Fault(NamedTuple):
    """A kind of fault.

    Attributes:
        name: what happens.
        inject: has it happen to a service, and ends what would not end by itself.
    """

    name: str
    inject: Callable[[Service, Random], None]


@contextmanager
def _store(service: Service) -> Iterator[Redis]:
    url = embedded_url(service.data_dir)
    with Redis.from_url(url, socket_timeout=_ADMIN_SECONDS) as client:
        yield client


def _hold(dice: Random) -> None:
    time.sleep(dice.uniform(*_HELD_SECONDS))


def kill_worker(service: Service, dice: Random) -> None:
    """Kill one worker process, whatever it is doing."""
    dice.choice(service.workers).kill()


def kill_workers(service: Service, _dice: Random) -> None:
    """Kill every worker process."""
    for worker in service.workers:
        worker.kill()


def kill_store(service: Service, _dice: Random) -> None:
    """Kill the store; the service launches it again."""
    store = service.store
    store.kill()
    psutil.wait_procs([store])


def kill_rewriting_store(service: Service, dice: Random) -> None:
    """Kill the store while it writes its file anew."""
    with _store(service) as client:
        client.bgrewriteaof()
    time.sleep(dice.uniform(0, 0.02))
    kill_store(service, dice)


def pause_store(service: Service, dice: Random) -> None:
    """Stop the store for a moment, and let it go on with all that has come."""
    store = service.store
    store.suspend()
    try:
        _hold(dice)
    finally:
        store.resume()


def kill_waiting_worker(service: Service, dice: Random) -> None:
    """Kill a worker while the store is paused, with its requests half done."""
    store = service.store
    store.suspend()
    try:
        _hold(dice)
        kill_worker(service, dice)
    finally:
        store.resume()


def slow_store(service: Service, dice: Random) -> None:
    """Have the store keep everybody waiting for a moment."""
    milliseconds = dice.randint(*_SLOW_MS)
    with _store(service) as client:
        client.client_pause(milliseconds, all=True)
    time.sleep(milliseconds / 1000)


def cut_connections(service: Service, _dice: Random) -> None:
    """Cut every connection to the store."""
    with _store(service) as client:
        client.client_kill_filter(_type="normal", skipme=True)


def forget_scripts(service: Service, _dice: Random) -> None:
    """Have the store forget its scripts."""
    with _store(service) as client:
        client.script_flush("SYNC")


def squeeze_memory(service: Service, dice: Random) -> None:
    """Leave the store no memory for a moment: it refuses what would need more."""
    with _store(service) as client:
        client.config_set("maxmemory", _SCARCE_MEMORY)
        _hold(dice)
        client.config_set("maxmemory", 0)


def forbid_writes(service: Service, dice: Random) -> None:
    """Make the store a replica for a moment: it refuses every write."""
    with _store(service) as client:
        client.replicaof(*_NO_MASTER)
        _hold(dice)
        client.replicaof("NO", "ONE")


def reload(service: Service, _dice: Random) -> None:
    """Have the service replace its workers; nobody should notice."""
    before = service.workers
    service.parent.send_signal(signal.SIGHUP)
    _, left = psutil.wait_procs(before, timeout=_RELOAD_SECONDS)
    if left:
        raise TimeoutError(f"workers {left} outlive the reload")


def restart(service: Service, _dice: Random) -> None:
    """Stop the service as one should, and start it again on its data."""
    service.stop()
    service.start()


def kill_everything(service: Service, _dice: Random) -> None:
    """Kill the service with all its processes, and start it again on its data."""
    service.kill()
    service.start()


FAULTS = (
    Fault("worker killed", kill_worker),
    Fault("all workers killed", kill_workers),
    Fault("store killed", kill_store),
    Fault("store killed while it rewrites its file", kill_rewriting_store),
    Fault("store paused", pause_store),
    Fault("worker killed while the store is paused", kill_waiting_worker),
    Fault("store slow", slow_store),
    Fault("connections cut", cut_connections),
    Fault("scripts forgotten", forget_scripts),
    Fault("memory squeezed", squeeze_memory),
    Fault("store read-only", forbid_writes),
    Fault("service reloaded", reload),
    Fault("service restarted", restart),
    Fault("everything killed", kill_everything),
)
