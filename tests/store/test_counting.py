"""Counts that all processes share, on every kind of server."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from service.store.counter import Counter
from service.store.errors import StoreUnavailableError
from service.store.factory import open_link
from service.store.keyspace import count_name
from tests.cluster.launcher import Cluster
from tests.servers import StoreServer, wait_until

WHAT = "requests of somebody"


@pytest.fixture
def counter(any_server: StoreServer | Cluster) -> Counter:
    with any_server.client() as client:
        client.flushall()
    return Counter(open_link(any_server.url, 5))


def test_counting_adds_up_and_tells_what_is_left_of_the_window(
    counter: Counter,
) -> None:
    first = counter.add(WHAT, 1, 60)
    second = counter.add(WHAT, 2, 60)
    other = counter.add("another", 1, 60)
    assert [first.total, second.total, other.total] == [1, 3, 1]
    assert 0 < second.left <= first.left <= 60


def test_a_window_ends_and_the_count_begins_anew(counter: Counter) -> None:
    counter.add(WHAT, 5, 1)
    wait_until(lambda: counter.add(WHAT, 1, 1).total == 1)


def test_no_count_is_lost_between_threads(counter: Counter) -> None:
    with ThreadPoolExecutor(8) as threads:
        totals = list(threads.map(lambda _: counter.add(WHAT, 1, 60).total, range(400)))
    assert sorted(totals) == list(range(1, 401))


def test_a_server_that_forgot_the_script_gets_it_again(
    counter: Counter, any_server: StoreServer | Cluster
) -> None:
    counter.add(WHAT, 1, 60)
    with any_server.client() as client:
        client.script_flush()
    assert counter.add(WHAT, 1, 60).total == 2


def test_a_count_that_never_ends_is_given_an_end(
    counter: Counter, any_server: StoreServer | Cluster
) -> None:
    counter.add(WHAT, 1, 60)
    with any_server.client() as client:
        client.persist(count_name(WHAT))
        assert counter.add(WHAT, 1, 60).left <= 60
        assert 0 < client.pttl(count_name(WHAT)) <= 60_000


def test_where_nothing_answers_it_says_so(any_server: StoreServer | Cluster) -> None:
    with any_server.client() as client:
        client.set(count_name(WHAT), "no number")
    counter = Counter(open_link(any_server.url, 5))
    with pytest.raises(StoreUnavailableError):
        counter.add(WHAT, 1, 60)
    with pytest.raises(StoreUnavailableError):
        Counter(open_link("unix:///nowhere/socket", 1)).add(WHAT, 1, 60)
