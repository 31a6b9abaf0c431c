"""The processes of `accordion serve`: starts, stops, kills and restarts."""

import json
import signal
import socket
import time
from collections.abc import Iterator
from http.client import HTTPException
from itertools import islice
from pathlib import Path
from threading import Event, Thread

import psutil
import pytest
from click.testing import CliRunner

from service.cli import main
from service.config import SETTINGS
from tests.conftest import Serve
from tests.process.playing import (
    AcknowledgedGames,
    get_game,
    move,
    new_game,
    play,
    post,
)
from tests.servers import Service, StoreServer, free_port, wait_until

SERVERS = ["gunicorn", "granian"]
OLDER_THAN_TWO_SECONDS = 2.5
"""With `everysecond`, a store on a slow disk holds a write in memory for two."""
on_each_server = pytest.mark.parametrize("server", SERVERS)


def is_ready(service: Service) -> bool:
    return service.request("GET", "/readyz").status == 200


def ended(processes: list[psutil.Process]) -> bool:
    return not psutil.wait_procs(processes, timeout=0)[1]


@on_each_server
def test_the_service_serves_and_stops(served: Serve, server: str) -> None:
    service = served(server=server, port=free_port(), workers=2, log_level="warning")
    wait_until(lambda: len(service.workers) == 2)
    assert is_ready(service)
    game = new_game(service)
    assert get_game(service, game["id"])["row"] == game["row"]
    processes = service.parent.children(recursive=True)
    assert service.stop() == 0
    assert ended(processes)
    assert not (service.data_dir / "store.pid").exists()
    assert service.output().splitlines() == [f"Accordion is ready: {service.url}"]


def test_a_stop_finishes_the_request_in_flight(served: Serve) -> None:
    service = served()
    with socket.create_connection((service.host, service.port)) as client:
        client.sendall(
            b"POST /v1/games HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            b"Content-Type: application/json\r\nContent-Length: 17\r\n\r\n{"
        )
        wait_until(lambda: bool(service.workers))
        worker = service.workers[0]
        wait_until(lambda: has_client(worker))
        service.parent.terminate()
        wait_until(lambda: not listens(service.parent))
        client.sendall(b'"player": "Ada"}')
        response = b"".join(iter(lambda: client.recv(65536), b""))
    assert response.startswith(b"HTTP/1.1 201 ")
    assert service.process is not None
    assert service.process.wait() == 0
    service.start()
    game = json.loads(response.partition(b"\r\n\r\n")[2])
    assert get_game(service, game["id"])["player"] == "Ada"


def has_client(process: psutil.Process) -> bool:
    connections = process.net_connections("tcp")
    return any(found.status == psutil.CONN_ESTABLISHED for found in connections)


def listens(process: psutil.Process) -> bool:
    connections = process.net_connections("tcp")
    return any(found.status == psutil.CONN_LISTEN for found in connections)


def test_ctrl_c_stops_the_service_and_its_store(served: Serve) -> None:
    service = served(workers=2)
    processes = service.parent.children(recursive=True)
    game = new_game(service)
    for process in (service.parent, *service.workers):
        process.send_signal(signal.SIGINT)
    psutil.wait_procs(processes)
    service.start()
    assert get_game(service, game["id"])["row"] == game["row"]


@pytest.fixture
def played_service(served: Serve) -> Iterator[tuple[Service, AcknowledgedGames]]:
    """A service with constant players; the test fails if one of their requests does."""
    service, acknowledged, stop = served(workers=2), AcknowledgedGames({}), Event()
    failures: list[BaseException] = []

    def play_games() -> None:
        try:
            for game in play(service):
                acknowledged.add(game)
                if stop.is_set():
                    return
        except BaseException as error:  # noqa: BLE001 - reported by the main thread
            failures.append(error)

    threads = [Thread(target=play_games) for _ in range(3)]
    for thread in threads:
        thread.start()
    yield service, acknowledged
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert acknowledged.differing(service) == []


def wait_for_games(acknowledged: AcknowledgedGames, number: int) -> None:
    """Wait until `number` more games have begun."""
    goal = len(acknowledged.games) + number
    wait_until(lambda: len(acknowledged.games) >= goal)


def test_a_reload_fails_no_request(
    played_service: tuple[Service, AcknowledgedGames],
) -> None:
    service, acknowledged = played_service
    for _ in range(2):
        before = service.workers
        service.parent.send_signal(signal.SIGHUP)
        psutil.wait_procs(before)
        wait_until(lambda: len(service.workers) == 2)
        wait_for_games(acknowledged, 2)


@on_each_server
def test_killed_workers_are_replaced_and_no_move_is_lost(
    served: Serve, server: str
) -> None:
    service, acknowledged = (
        served(server=server, port=free_port(), workers=2),
        AcknowledgedGames({}),
    )
    for game in islice(play(service), 30):
        acknowledged.add(game)
    wait_until(lambda: len(service.workers) == 2)
    killed = service.workers
    for worker in killed:
        worker.kill()
    psutil.wait_procs(killed)
    wait_until(lambda: answers(service))
    assert acknowledged.differing(service) == []


def answers(service: Service) -> bool:
    try:
        return is_ready(service)
    except OSError:
        return False


def test_workers_killed_under_load_lose_no_acknowledged_move(served: Serve) -> None:
    service, acknowledged, stop = served(workers=2), AcknowledgedGames({}), Event()

    def play_games() -> None:
        while not stop.is_set():
            try:
                for game in play(service):
                    acknowledged.add(game)
                    if stop.is_set():
                        return
            except (OSError, HTTPException):
                continue

    threads = [Thread(target=play_games) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(5):
        wait_for_games(acknowledged, 2)
        wait_until(lambda: len(service.workers) == 2)
        service.workers[0].kill()
    stop.set()
    for thread in threads:
        thread.join()
    for game in acknowledged.games.values():
        now = get_game(service, game["id"])
        # A move whose response was cut off may have been applied as well.
        assert now["version"] in {game["version"], game["version"] + 1}
        assert now["moves"] == now["version"] - 1


@on_each_server
def test_a_killed_store_is_restarted(served: Serve, server: str) -> None:
    service = served(server=server, port=free_port(), store_flush="always")
    game = new_game(service)
    store = service.store
    store.kill()
    response = service.request("GET", f"/v1/games/{game['id']}")
    assert response.status in {200, 503}
    wait_until(lambda: is_ready(service))
    assert service.store != store
    assert get_game(service, game["id"])["row"] == game["row"]
    assert move(service, game).status == 200


def test_a_paused_store_is_unavailable_and_recovers(served: Serve) -> None:
    service = served()
    game = new_game(service)
    path = f"/v1/games/{game['id']}"
    service.store.suspend()
    for response in (
        service.request("GET", path, timeout=2),
        post(service, f"{path}/moves", game["legal_moves"][0], timeout=2),
        post(service, "/v1/games", {}, timeout=2),
        service.request("DELETE", path, timeout=2),
        service.request("GET", "/readyz", timeout=2),
    ):
        assert response.status == 503
        assert response.headers["Content-Type"] == "application/problem+json"
        assert int(response.headers["Retry-After"]) >= 1
        assert json.loads(response.body)["type"] == "/problems/store-unavailable"
    assert service.request("GET", "/livez", timeout=2).status == 200
    service.store.resume()
    wait_until(lambda: is_ready(service))
    assert new_game(service)["version"] == 1


def test_a_kill_of_everything_loses_no_acknowledged_move(served: Serve) -> None:
    service, acknowledged = (
        served(store_flush="always", workers=2),
        AcknowledgedGames({}),
    )
    for game in islice(play(service), 500):
        acknowledged.add(game)
    service.kill()
    service.start()
    assert acknowledged.differing(service) == []
    assert sum(game["moves"] for game in acknowledged.games.values()) > 450


def test_a_kill_of_everything_loses_no_move_older_than_two_seconds(
    served: Serve,
) -> None:
    service, acknowledged = served(workers=2), AcknowledgedGames({})
    for game in islice(play(service), 200):
        acknowledged.add(game)
    time.sleep(OLDER_THAN_TWO_SECONDS)
    later = list(islice(play(service), 20))
    service.kill()
    service.start()
    assert acknowledged.differing(service) == []
    assert later[0]["id"] not in acknowledged.games


def test_workers_and_store_end_with_a_killed_parent(served: Serve) -> None:
    service = served(port=free_port(), workers=2, store_flush="always")
    game = new_game(service)
    processes = service.parent.children(recursive=True)
    service.parent.kill()
    assert service.process is not None
    service.process.wait()
    psutil.wait_procs(processes)
    service.start()
    assert get_game(service, game["id"])["row"] == game["row"]


def refusal(served: Serve, **settings: object) -> str:
    with pytest.raises(AssertionError) as caught:
        served(**settings)
    return str(caught.value).partition("\n")[0]


def test_a_second_service_on_the_folder_is_refused(served: Serve) -> None:
    service = served()
    game = new_game(service)
    assert refusal(served, data_dir=service.data_dir) == (
        f"accordion: ACCORDION_DATA_DIR: the folder {service.data_dir} is in use by "
        f"another accordion serve (process {service.parent.pid})."
    )
    assert get_game(service, game["id"])["row"] == game["row"]


def test_a_port_in_use_is_refused(served: Serve) -> None:
    service = served()
    assert refusal(served, port=service.port) == (
        f"accordion: ACCORDION_HOST, ACCORDION_PORT: cannot listen on "
        f"127.0.0.1:{service.port}: Address already in use."
    )


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"prot": 1}, "ACCORDION_PROT is not a setting of this service; did you mean"),
        ({"port": "x"}, "ACCORDION_PORT must be a whole number from 0 to 65535"),
        ({"host": "nowhere.invalid"}, "ACCORDION_HOST: nowhere.invalid is no known"),
        ({"host": "192.0.2.1"}, "ACCORDION_HOST, ACCORDION_PORT: cannot listen on"),
        ({"redis_url": "redis://h?hue=1"}, "ACCORDION_REDIS_URL cannot be used: "),
        ({"data_dir": "/dev/null"}, "ACCORDION_DATA_DIR: the folder /dev/null cannot"),
    ],
)
def test_a_wrong_setting_is_refused(
    served: Serve, settings: dict[str, object], sentence: str
) -> None:
    assert refusal(served, **settings).startswith(f"accordion: {sentence}")


def test_the_store_of_redis_url_is_used_instead_of_the_embedded_one(
    served: Serve, valkey_server: StoreServer, short_folder: Path
) -> None:
    first, second = (
        served(redis_url=valkey_server.url, data_dir=short_folder / name)
        for name in ("one", "two")
    )
    game = new_game(first)
    assert get_game(second, game["id"])["row"] == game["row"]
    assert not (short_folder / "one").exists()


def test_the_help_lists_every_setting() -> None:
    shown = CliRunner().invoke(main, ["serve", "--help"]).output
    for setting in SETTINGS:
        assert f"  {setting.variable}  " in shown
