"""URLs that name several servers."""

import pytest
from redis.connection import Connection

from service.config import Settings, SettingsError
from service.store.cluster import RoutedLink
from service.store.connection import HeldConnection
from service.store.factory import open_link, open_store
from service.store.servers import Address, Servers


def opened(url: str) -> None:
    open_store(Settings.from_environ({"ACCORDION_REDIS_URL": url}))


@pytest.mark.parametrize(
    ("url", "seeds"),
    [
        ("redis://one?cluster=true", [Address("one", 6379)]),
        ("redis://one?sentinel=games", [Address("one", 26379)]),
        (
            "rediss://user:p%40ss@one:1/0?cluster=true&nodes=two:2,three",
            [Address("one", 1), Address("two", 2), Address("three", 6379)],
        ),
        (
            "redis://[::1]:1?nodes=[::2]:2,[::3]&cluster=true",
            [Address("::1", 1), Address("::2", 2), Address("::3", 6379)],
        ),
    ],
)
def test_the_seeds_are_the_servers_in_the_url(url: str, seeds: list[Address]) -> None:
    assert Servers(url).seeds == seeds


def test_an_address_is_shown_as_in_a_url() -> None:
    assert str(Address("one", 1)) == "one:1"
    assert str(Address("::1", 1)) == "[::1]:1"


def test_the_options_in_a_url_apply_to_every_server() -> None:
    servers = Servers("redis://me:p%40ss@one/3?sentinel=games&client_name=x")
    connection = servers.connect(Address("::1", 7))(0.5)
    assert isinstance(connection, Connection)
    assert (connection.host, connection.port, connection.db) == ("::1", 7, 3)
    assert (connection.username, connection.password, connection.client_name) == (
        "me",
        "p@ss",
        "x",
    )
    asked = servers.connect_to_ask(Address("one", 7))(0.5)
    assert isinstance(asked, Connection)
    assert (asked.host, asked.password, asked.db) == ("one", "p@ss", 0)


def test_only_cluster_and_sentinel_urls_name_several_servers() -> None:
    assert isinstance(open_link("redis://one/0?client_name=x", 0.5), HeldConnection)
    assert isinstance(open_link("redis://one?cluster=true", 0.5), RoutedLink)
    assert isinstance(open_link("redis://one?sentinel=games", 0.5), RoutedLink)


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("redis://one?cluster=yes", "cluster"),
        ("redis://one?cluster=true&nodes=:7", "':7'"),
        ("redis://one?cluster=true&nodes=two:x", "ort"),
        ("redis://one/1?cluster=true", "database"),
        ("redis://one?cluster=true&colour=red", "colour"),
        ("unix:///some/socket?cluster=true", "host and port"),
        ("redis://?sentinel=games", "host and port"),
    ],
)
def test_a_url_that_cannot_be_used_is_refused(url: str, fault: str) -> None:
    with pytest.raises(SettingsError, match=f"^ACCORDION_REDIS_URL .*{fault}"):
        opened(url)
