"""What happens to requests when the service is told to stop."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from service.server.handover import Handover, stop_new_connections
from tests.process.busy import START, BusyService, accepts, has_client
from tests.process.playing import get_game, new_game
from tests.process.wire import LIVENESS, parse, post, send
from tests.servers import wait_until

if TYPE_CHECKING:
    from tests.conftest import Serve


def test_every_queued_request_is_answered(served: Serve) -> None:
    service = served(workers=1, store_timeout=10)
    games = [new_game(service) for _ in range(20)]
    moves = [
        post(
            f"/v1/games/{game['id']}/moves", json.dumps(game["legal_moves"][0]).encode()
        )
        for game in games
    ]
    busy = BusyService(service, moves)
    service.parent.terminate()
    busy.wait_until_it_stops_listening()
    busy.resume_store()
    first, *rest = busy.responses()
    assert first.status == 201
    assert [response.status for response in rest] == [200] * 20
    assert service.process is not None
    assert service.process.wait() == 0
    service.start()
    assert [get_game(service, game["id"])["moves"] for game in games] == [1] * 20


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's packet filter")
def test_connections_that_have_begun_are_completed_and_new_ones_are_not() -> None:
    """A connection whose first byte has not arrived is not queued yet."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, 60)
        with socket.create_connection(listener.getsockname()) as begun:
            stop_new_connections(listener)
            with pytest.raises(TimeoutError):
                socket.create_connection(listener.getsockname(), timeout=0.2)
            begun.sendall(b"the request")
            accepted, _ = listener.accept()
            with accepted:
                assert accepted.recv(100) == b"the request"


def test_connections_are_handed_over_and_the_rest_remain() -> None:
    handover = Handover()
    with socket.create_server(("127.0.0.1", 0), backlog=400) as listener:
        address = listener.getsockname()
        clients = [socket.create_connection(address) for _ in range(300)]
        listener.settimeout(0)
        handover.accept_all(listener)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address)
    handover.give()
    taken = [handover.take() for _ in range(3)]
    left = [*handover.left()]
    assert len(taken) + len(left) == 300
    for client, other_end in zip(clients, [*taken, *left], strict=True):
        assert other_end is not None
        with client, other_end:
            assert client.getsockname() == other_end.getpeername()
    handover.join().close()


@pytest.mark.parametrize("sent", [signal.SIGQUIT, signal.SIGINT])
def test_a_quick_stop_refuses_requests_in_flight_and_queued(
    served: Serve, sent: signal.Signals
) -> None:
    service = served(workers=1, store_timeout=10)
    head = b"HEAD" + LIVENESS[3:]
    busy = BusyService(service, [LIVENESS, head, START])
    service.parent.send_signal(sent)
    first, second, to_head, fourth = busy.responses()
    for response in (first, second, fourth):
        problem = json.loads(response.body)
        assert (response.status, problem["status"]) == (503, 503)
        assert problem["type"] == "/problems/service-stopping"
        assert response.fields["Content-Type"] == "application/problem+json"
        assert int(response.fields["Retry-After"]) >= 1
    assert to_head.status == 503
    busy.resume_store()
    assert service.process is not None
    service.process.wait()
    assert '"level":"error"' not in service.output()


def test_an_interrupted_worker_refuses_requests(served: Serve) -> None:
    """In a terminal, Ctrl-C reaches every process."""
    service = served(workers=1, store_timeout=10)
    busy = BusyService(service, [LIVENESS])
    for process in (*service.workers, service.parent):
        process.send_signal(signal.SIGINT)
    assert [response.status for response in busy.responses()] == [503, 503]
    busy.resume_store()


def test_requests_not_answered_in_time_are_refused(served: Serve) -> None:
    service = served(workers=1, store_timeout=10, stop_timeout=1)
    busy = BusyService(service, [LIVENESS] * 3)
    service.parent.terminate()
    assert [response.status for response in busy.responses()] == [503] * 4
    busy.resume_store()


def test_an_incomplete_request_is_waited_for(served: Serve) -> None:
    service = served(workers=1)
    wait_until(lambda: bool(service.workers))
    with send(service, START[:-1]) as client, send(service, START[:10]) as late:
        wait_until(lambda: has_client(service.workers[0]))
        service.parent.terminate()
        wait_until(lambda: not accepts(service))
        client.sendall(START[-1:])
        assert parse(client.recv(65536)).status == 201
        assert parse(late.recv(65536)).status == 408


def test_more_queued_requests_than_open_files_are_answered(served: Serve) -> None:
    """The usual limit on open files is 256 here."""
    wrapper = ["sh", "-c", 'ulimit -S -n 256; exec "$@"', "sh"]
    service = served(workers=1, store_timeout=10, log_level="warning", wrapper=wrapper)
    busy = BusyService(service, [LIVENESS] * 400)
    service.parent.terminate()
    busy.wait_until_it_stops_listening()
    busy.resume_store()
    statuses = [response.status for response in busy.responses()]
    assert statuses == [201, *[200] * 400]


_SETTABLE_CLOCK = """
import pathlib, time
real = time.time
moved = pathlib.Path({path!r})
time.time = lambda: real() + (3600 if moved.exists() else 0)
"""


def test_setting_the_clock_during_a_stop_cuts_no_request_off(
    served: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = tmp_path / "moved"
    (tmp_path / "sitecustomize.py").write_text(_SETTABLE_CLOCK.format(path=str(moved)))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    service = served(workers=1, store_timeout=10)
    busy = BusyService(service, [LIVENESS])
    service.parent.terminate()
    moved.touch()
    busy.wait_until_it_stops_listening()
    time.sleep(1)
    busy.resume_store()
    assert [response.status for response in busy.responses()] == [201, 200]


_PID_1 = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"]
"""Runs a command as the first process of a container."""


def _succeeds(command: list[str]) -> bool:
    try:
        return subprocess.run([*command, "true"], check=False).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not _succeeds(_PID_1), reason="no namespaces for users here")
@pytest.mark.parametrize("delay", [0, 0.5, 2])
def test_the_first_process_of_a_container_can_be_stopped_while_it_starts(
    short_folder: Path, monkeypatch: pytest.MonkeyPatch, delay: float
) -> None:
    """The kernel sends such a process no signal for which it has no handler."""
    monkeypatch.setenv("ACCORDION_DATA_DIR", str(short_folder))
    monkeypatch.setenv("ACCORDION_PORT", "0")
    command = [*_PID_1, str(Path(sys.executable).with_name("accordion")), "serve"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as outer:
        wait_until(lambda: bool(psutil.Process(outer.pid).children()))
        (first,) = psutil.Process(outer.pid).children()
        wait_until(lambda: _handles(first.pid, signal.SIGTERM))
        time.sleep(delay)
        first.terminate()
        assert outer.wait() == 0


def _handles(pid: int, number: int) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def test_a_reload_leaves_the_queue_to_the_new_workers(served: Serve) -> None:
    service = served(workers=1, store_timeout=10)
    busy = BusyService(service, [LIVENESS] * 5)
    before = service.workers
    service.parent.send_signal(signal.SIGHUP)
    wait_until(lambda: len(service.workers) == 2)
    busy.resume_store()
    assert [response.status for response in busy.responses()] == [201, *[200] * 5]
    psutil.wait_procs(before)
