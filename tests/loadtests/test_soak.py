"""The soak test: a short one loses nothing, and losses are reported."""

from __future__ import annotations

import re
import secrets
import subprocess
import sys
import threading
import time
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from redis import Redis

from loadtests.game_log import Effect, GameLog, append, finish, redo, undo
from loadtests.http_client import Address, build_request
from loadtests.soak import Plan, Result, Soak
from loadtests.soak_boards import BoardPlayer, audit_boards
from loadtests.soak_client import NotAnsweredError, Observations, RetryingClient
from loadtests.soak_clients import CLIENT_FAULTS
from loadtests.soak_disks import DISK_FAULTS, can_mount
from service.games.codec import decode, encode
from service.store.embedded import embedded_url
from tests.servers import Service, free_port, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.servers import CannedServer

_GET = build_request("GET", "/v1/games/x")


def run_soak(*options: str) -> dict[str, int]:
    """Run the program; return the figures that it prints."""
    command = [sys.executable, "-m", "loadtests.soak", *options]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    lines = re.findall(r"^ *(\S.*?)  +(\d+)", result.stdout, re.MULTILINE)
    figures = {name: int(figure) for name, figure in lines}
    assert figures["losses"] == figures["other errors"] == 0
    return figures


def test_slow_clients_searches_and_full_disks_lose_nothing() -> None:
    names = [*CLIENT_FAULTS, *(DISK_FAULTS if can_mount() else ())]
    options = [f"--fault={name}" for name in names]
    figures = run_soak("--seconds=1", "--players=4", "--pause=0.2", *options)
    assert all(figures[name] >= 1 for name in names)


def test_a_short_soak_test_loses_nothing() -> None:
    figures = run_soak("--seconds=10", "--players=6", "--pause=0.5")
    assert figures["faults"] >= 3
    assert figures["games checked"] >= 6
    assert figures["acknowledged writes"] >= 20
    assert figures["games checked on their boards"] >= 1


def restore_old_games(client: Redis) -> None:
    """Restore the state that games had half a second before."""
    names = client.keys("g:*")
    before = client.mget(names)
    time.sleep(0.5)
    for name, value in zip(names, before, strict=True):
        if value is not None:
            client.set(name, value)


def delete_a_game(client: Redis) -> None:
    client.delete(next(client.scan_iter("g:*")))


def delete_stored_responses(client: Redis) -> None:
    """Delete, for two seconds, the responses stored for repeated requests."""
    end = time.monotonic() + 2
    while time.monotonic() < end:
        client.delete("none", *client.scan_iter("i:*", count=1000))


def raise_versions(client: Redis) -> None:
    """Raise the versions of games without a write."""
    for name in client.scan_iter("g:*"):
        value = client.get(name)
        if isinstance(value, bytes):
            revision, payload = value[:4], value[4:]
            session = decode(payload, int.from_bytes(revision))
            raised = session._replace(version=session.version + 1)
            client.set(name, revision + encode(raised))


@pytest.fixture(scope="module")
def soak_service() -> Iterator[Service]:
    """A service that the tests of faults share."""
    with TemporaryDirectory(prefix="acc") as folder:
        settings = {"data_dir": folder, "port": free_port(), "log_level": "warning"}
        with Service(settings) as service:
            yield service


def run_with_fault(
    service: Service, fault: Callable[[Redis], None], *, lasting: bool = False
) -> Result:
    """Run a soak test with one kind of fault; `lasting`: it lasts until a restart."""
    url = embedded_url(service.data_dir)

    def inject(_service: Service, _random: Random) -> None:
        with Redis.from_url(url) as client:
            fault(client)

    with Redis.from_url(url) as client:
        client.delete("none", *client.scan_iter("g:*"))
    faults = {"the fault": inject}
    # Idempotency keys follow from the seed, so no two runs may share one.
    seed = secrets.randbits(32)
    give_up_seconds = 5 if lasting else 60
    plan = Plan(
        *(2, 6, seed, faults, 0.5),
        give_up_seconds=give_up_seconds,
        kill_at_end=lasting,
    )
    result = Soak(service, plan).run()
    assert result.faults["the fault"].times >= 1
    return result


@pytest.mark.parametrize(
    "fault", [restore_old_games, delete_a_game, delete_stored_responses, raise_versions]
)
def test_lost_writes_are_reported(
    soak_service: Service, fault: Callable[[Redis], None]
) -> None:
    result = run_with_fault(soak_service, fault)
    assert result.observations.losses
    assert not result.passed


def test_a_lost_entry_of_a_board_is_reported(
    soak_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    observations, random = Observations(), Random(secrets.randbits(32))
    client = client_of(soak_service.port, observations, give_up_seconds=60)
    player = BoardPlayer(client, random, f"player {random.getrandbits(32)}")
    stop = threading.Event()
    playing = threading.Thread(target=player.play, args=(stop,))
    playing.start()
    wait_until(lambda: len(player.ended) >= 2)
    stop.set()
    playing.join()
    assert audit_boards(client, player.ended) == []
    monkeypatch.setattr("loadtests.soak_boards._WAIT_SECONDS", 0)
    with Redis.from_url(embedded_url(soak_service.data_dir)) as redis:
        redis.delete(*redis.scan_iter("b:*"))
    losses = audit_boards(client, player.ended)
    assert len(losses) == len(player.ended)
    assert "has [] on the board" in losses[0]


def test_a_service_that_stays_unavailable_is_reported(soak_service: Service) -> None:
    def fill(client: Redis) -> None:
        client.config_set("maxmemory", "1mb")

    result = run_with_fault(soak_service, fill, lasting=True)
    assert result.observations.losses == []
    assert "not ready again in time after: the fault" in result.observations.errors
    assert not result.passed


def log_of(*effects: Effect) -> GameLog:
    log = GameLog("/v1/games/x")
    for version, effect in enumerate(effects, start=2):
        log.record_write(version, effect)
    return log


@pytest.mark.parametrize(
    ("effects", "actions"),
    [
        ([], []),
        ([append("deal", "deal"), append("1-0")], ["deal", "deal", "1-0"]),
        ([append("a", "b", "c"), undo(2)], ["a"]),
        ([append("a", "b"), undo(None)], []),
        ([append("a", "b", "c"), undo(1), undo(1), redo(1)], ["a", "b"]),
        ([append("a", "b"), undo(None), redo(None)], ["a", "b"]),
        ([append("a", "b"), undo(1), append("c"), redo(None)], ["a", "c"]),
        ([append("a"), finish], ["a", "finish"]),
    ],
)
def test_a_log_agrees_with_its_record(
    effects: list[Effect], actions: list[str]
) -> None:
    assert log_of(*effects).losses(1 + len(effects), actions) == []


def test_a_lost_write() -> None:
    losses = log_of(append("a"), append("b")).losses(2, ["a"])
    assert losses == ["version 3 was acknowledged, the game has 2"]


def test_a_lost_version_that_was_only_read() -> None:
    log = log_of(append("a"))
    log.record_version(7)
    assert log.losses(2, ["a"]) == ["version 7 was acknowledged, the game has 2"]


def test_a_lost_update() -> None:
    log = log_of(append("a"), append("b"))
    log.record_write(3, append("c"))
    assert log.losses(3, ["a", "c"]) == ["2 acknowledged writes made version 3"]


def test_a_write_that_was_done_twice() -> None:
    losses = log_of(append("a")).losses(3, ["a", "a"])
    assert losses == ["0 acknowledged writes made version 3"]


def test_another_record() -> None:
    losses = log_of(append("a")).losses(2, ["b"])
    assert losses == ["the record is ['b'], acknowledged ['a']"]


def response(status: str, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", "Content-Length: 0", *headers, "", ""]
    return "\r\n".join(lines).encode()


def client_of(
    port: int, observations: Observations, give_up_seconds: float = 0.2
) -> RetryingClient:
    address = Address("127.0.0.1", port)
    return RetryingClient(address, observations, Random(1), give_up_seconds)


@pytest.mark.parametrize(
    ("canned_server", "errors"),
    [
        (response("500 Oops"), ["GET /v1/games/x HTTP/1.1: 500 b''"]),
        (response("503 Away"), ["GET /v1/games/x HTTP/1.1: no Retry-After"]),
        (response("503 Away", "Retry-After: 1"), []),
    ],
    indirect=["canned_server"],
    ids=["500", "503 without Retry-After", "503"],
)
def test_server_errors(canned_server: CannedServer, errors: list[str]) -> None:
    observations = Observations()
    client_of(canned_server.port, observations).try_once(_GET)
    assert observations.errors == errors


@pytest.mark.parametrize(
    "canned_server", [response("503 Away", "Retry-After: 1")], indirect=True, ids=[503]
)
def test_a_request_is_repeated_after_503(canned_server: CannedServer) -> None:
    observations = Observations()
    with pytest.raises(NotAnsweredError):
        client_of(canned_server.port, observations).send(_GET)
    assert len(canned_server.paths) == observations.statuses.count("503") > 1
    assert observations.interrupted == len(observations.unavailable_seconds) > 1


def test_a_request_is_repeated_without_a_response() -> None:
    observations = Observations()
    with pytest.raises(NotAnsweredError):
        client_of(free_port(), observations).send(_GET)
    assert observations.statuses.count("none") > 1
