"""The soak: a short one that must lose nothing, and that it notices what is lost."""

from __future__ import annotations

import re
import time
from random import Random
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from redis import Redis

from loadtests.faults import Fault
from loadtests.ledger import (
    Effect,
    Ledger,
    keep,
    make,
    make_again,
    stop,
    take_back,
)
from loadtests.soak import Plan, main, soak
from loadtests.stubborn import NeverAnsweredError, Stubborn
from loadtests.tally import Tally
from loadtests.wire import Address, request
from service.store.embedded import embedded_url
from tests.servers import Service, free_port

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.loadtests.conftest import Scripted

_LOOK = request("GET", "/v1/games/x")


def test_a_short_soak_loses_nothing() -> None:
    shown = CliRunner().invoke(main, ["--seconds", "15", "--players", "8"])
    assert shown.exit_code == 0, shown.output
    lines = re.findall(r"^(\S.*?)  +(\d+)", shown.output, re.MULTILINE)
    figures = {name: int(figure) for name, figure in lines}
    assert figures["losses"] == figures["other findings"] == 0
    assert figures["faults"] >= 3
    assert figures["games checked"] >= 8
    assert figures["acknowledged writes"] >= 100


def set_games_back(client: Redis) -> None:
    """Give games the state again that they had a moment before."""
    names = client.keys("g:*")
    before = client.mget(names)
    time.sleep(0.5)
    for name, value in zip(names, before, strict=True):
        if value is not None:
            client.set(name, value)


def drop_a_game(client: Redis) -> None:
    client.delete(next(client.scan_iter("g:*")))


def forget_answers(client: Redis) -> None:
    """Forget, for a while, what requests were answered."""
    end = time.monotonic() + 1
    while time.monotonic() < end:
        client.delete("none", *client.scan_iter("i:*"))
        time.sleep(0.005)


def put_a_game_forward(client: Redis) -> None:
    """Give games a version that nobody has written."""
    for name in client.scan_iter("g:*"):
        value = client.get(name)
        if isinstance(value, bytes):
            version = int.from_bytes(value[:4]) + 1
            client.set(name, version.to_bytes(4) + value[4:])


@pytest.mark.parametrize(
    "sabotage", [set_games_back, drop_a_game, forget_answers, put_a_game_forward]
)
def test_a_soak_notices_what_is_lost(sabotage: Callable[[Redis], None]) -> None:
    def inject(service: Service, _dice: Random) -> None:
        with Redis.from_url(embedded_url(service.data_dir)) as client:
            sabotage(client)

    fault = Fault("sabotage", inject)
    outcome = soak(Plan(seconds=3, players=6, faults=(fault,), calm=(0.5, 1)))
    assert outcome.spells["sabotage"].times >= 1
    assert outcome.tally.losses
    assert not outcome.is_clean


def test_a_soak_notices_an_unavailability_that_does_not_end() -> None:
    def fill(service: Service, _dice: Random) -> None:
        with Redis.from_url(embedded_url(service.data_dir)) as client:
            client.config_set("maxmemory", "1mb")

    fault = Fault("store full for good", fill)
    outcome = soak(Plan(seconds=2, players=2, faults=(fault,), patience=1))
    assert outcome.tally.losses == []
    assert "not ready 1 s after: store full for good" in outcome.tally.faults
    assert not outcome.is_clean


def ledger_of(*effects: Effect) -> Ledger:
    ledger = Ledger("x")
    for version, effect in enumerate(effects, start=2):
        ledger.enter(version, effect)
    return ledger


@pytest.mark.parametrize(
    ("effects", "actions"),
    [
        ([], []),
        ([make("deal", "deal"), make("1-0")], ["deal", "deal", "1-0"]),
        ([make("a", "b", "c"), take_back(2)], ["a"]),
        ([make("a", "b"), take_back(None), keep], []),
        ([make("a", "b", "c"), take_back(1), take_back(1), make_again(1)], ["a", "b"]),
        ([make("a", "b"), take_back(None), make_again(None)], ["a", "b"]),
        ([make("a", "b"), take_back(1), make("c"), make_again(None)], ["a", "c"]),
        ([make("a"), stop], ["a", "finish"]),
    ],
)
def test_a_ledger_agrees_with_its_record(
    effects: list[Effect], actions: list[str]
) -> None:
    assert ledger_of(*effects).losses(1 + len(effects), actions) == []


def test_a_ledger_notices_a_lost_write() -> None:
    ledger = ledger_of(make("a"), make("b"))
    assert ledger.losses(2, ["a"]) == ["version 3 was acknowledged, it has 2"]


def test_a_ledger_notices_a_version_that_was_only_seen() -> None:
    ledger = ledger_of(make("a"))
    ledger.see(7)
    assert ledger.losses(2, ["a"]) == ["version 7 was acknowledged, it has 2"]


def test_a_ledger_notices_a_lost_update() -> None:
    ledger = ledger_of(make("a"), make("b"))
    ledger.enter(3, make("c"))
    (sentence,) = ledger.losses(3, ["a", "c"])
    assert sentence == "2 writes were told to be version 3"


def test_a_ledger_notices_a_write_that_was_done_twice() -> None:
    (sentence,) = ledger_of(make("a")).losses(3, ["a", "a"])
    assert sentence == "0 writes were told to be version 3"


def test_a_ledger_notices_another_record() -> None:
    (sentence,) = ledger_of(make("a")).losses(2, ["b"])
    assert sentence == "its record is ['b'], and ['a'] was acknowledged"


def answer(status: str, *fields: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", "Content-Length: 0", *fields, "", ""]
    return "\r\n".join(lines).encode()


def ask_once(scripted: Scripted) -> Tally:
    tally = Tally()
    Stubborn(scripted.address, tally, Random(1), patience=1).try_once(_LOOK)
    return tally


@pytest.mark.parametrize("scripted", [answer("500 Oops")], indirect=True)
def test_a_500_is_a_finding(scripted: Scripted) -> None:
    assert ask_once(scripted).faults == ["GET /v1/games/x HTTP/1.1: 500 b''"]


@pytest.mark.parametrize("scripted", [answer("503 Away")], indirect=True)
def test_a_503_without_retry_after_is_a_finding(scripted: Scripted) -> None:
    assert ask_once(scripted).faults == ["GET /v1/games/x HTTP/1.1: no Retry-After"]


@pytest.mark.parametrize(
    "scripted", [answer("503 Away", "Retry-After: 1")], indirect=True
)
def test_a_503_is_not_the_end(scripted: Scripted) -> None:
    tally = Tally()
    client = Stubborn(scripted.address, tally, Random(1), patience=0.2)
    with pytest.raises(NeverAnsweredError):
        client.ask(_LOOK)
    assert len(scripted.asked) == tally.answers["503"] > 1
    assert tally.faults == []


def test_who_is_never_answered_gives_up() -> None:
    address = Address("127.0.0.1", free_port())
    tally = Tally()
    with pytest.raises(NeverAnsweredError):
        Stubborn(address, tally, Random(1), patience=0.2).ask(_LOOK)
    assert tally.answers["none"] > 1
