"""How long a request waits for a name server that does not answer."""

import socket
from collections.abc import Iterator
from threading import Event
from time import monotonic

import pytest

from service.store.host_names import Addresses, HostNames, look_up

LONG = 60.0


class NameServer:
    """Answers with `found`, once `answers` is set."""

    def __init__(self) -> None:
        self.answers = Event()
        self.answers.set()
        self.found: Addresses | OSError = ["192.0.2.1"]
        self.asked = 0

    def look_up(self, _host: str) -> Addresses:
        self.asked += 1
        self.answers.wait()
        if isinstance(self.found, OSError):
            raise self.found
        return self.found


@pytest.fixture
def server() -> Iterator[NameServer]:
    made = NameServer()
    yield made
    made.answers.set()


def test_addresses_are_those_that_the_system_finds() -> None:
    assert set(look_up("localhost")) <= {"127.0.0.1", "::1"}
    with pytest.raises(socket.gaierror):
        look_up("no-such-host.invalid")


@pytest.mark.parametrize("host", ["192.0.2.7", "2001:db8::7"])
def test_an_address_needs_no_name_server(server: NameServer, host: str) -> None:
    assert HostNames(server.look_up).find(host, LONG) == [host]
    assert server.asked == 0


def test_a_name_is_looked_up_each_time(server: NameServer) -> None:
    names = HostNames(server.look_up)
    assert names.find("store", LONG) == ["192.0.2.1"]
    server.found = ["192.0.2.2", "192.0.2.3"]
    assert names.find("store", LONG) == ["192.0.2.2", "192.0.2.3"]


def test_a_silent_name_server_is_waited_for_until_the_time_out(
    server: NameServer,
) -> None:
    names = HostNames(server.look_up)
    server.answers.clear()
    for _ in range(3):
        with pytest.raises(TimeoutError):
            names.find("store", 0.05)
    assert server.asked == 1
    server.answers.set()
    assert names.find("store", LONG) == ["192.0.2.1"]


def test_the_last_addresses_found_are_used_while_the_name_server_fails(
    server: NameServer,
) -> None:
    names = HostNames(server.look_up)
    assert names.find("store", LONG) == ["192.0.2.1"]
    server.found = socket.gaierror(socket.EAI_AGAIN, "try again")
    assert names.find("store", LONG) == ["192.0.2.1"]
    with pytest.raises(socket.gaierror):
        names.find("another", LONG)


def test_with_a_known_address_only_the_first_lookup_waits_for_a_silent_name_server(
    server: NameServer,
) -> None:
    names = HostNames(server.look_up)
    names.find("store", LONG)
    server.answers.clear()
    assert names.find("store", 0.05) == ["192.0.2.1"]
    start = monotonic()
    assert names.find("store", LONG) == ["192.0.2.1"]
    assert monotonic() - start < LONG
