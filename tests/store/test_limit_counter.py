"""Counts for rate limits, exact across processes, on every kind of server."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis.crc import key_slot

from service.config import SETTINGS, Settings, SettingsError
from service.store.factory import open_limit_counter, open_link
from service.store.keyspace import count_name
from service.store.limit_counter import Limit, LimitCounter, strategies
from service.store.protocol import StoreUnavailableError
from service.store.runner import Runner
from tests.cluster.launcher import Cluster
from tests.servers import StoreServer, wait_until

CLIENT = "address:192.0.2.1"
SECOND = Limit("4/second", 4, 1)
HOUR, DAY = Limit("3/hour", 3, 3600), Limit("5/day", 5, 24 * 3600)
FIXED = "fixed-window"

each_strategy = pytest.mark.parametrize("strategy", strategies())

Open = Callable[..., LimitCounter]


@pytest.fixture
def opened(any_server: StoreServer | Cluster) -> Open:
    """Opens a counter on an empty server."""
    with any_server.client() as client:
        client.flushall()
    runner = Runner(open_link(any_server.url, 5).run, timeout=5)
    return lambda *limits, strategy=FIXED: LimitCounter(runner, limits, strategy)


def admitted(counter: LimitCounter, client: str = CLIENT) -> list[bool]:
    return [count.admitted for count in counter.count(client)]


def test_the_strategies_are_the_scripts_of_their_folder() -> None:
    assert strategies() == ["fixed-window", "token-bucket"]
    (setting,) = (s for s in SETTINGS if s.variable.endswith("RATE_LIMIT_STRATEGY"))
    for strategy in strategies():
        assert f"{strategy} (" in setting.meaning


@each_strategy
def test_the_limit_is_the_number_of_admitted_requests(
    opened: Open, strategy: str
) -> None:
    counter = opened(HOUR, strategy=strategy)
    counts = [counter.count(CLIENT)[0] for _ in range(5)]
    assert [count.admitted for count in counts] == [True] * 3 + [False] * 2
    assert [count.left for count in counts] == [2, 1, 0, 0, 0]
    assert {count.name for count in counts} == {"3/hour"}
    assert all(0 < count.seconds <= 3600 for count in counts)
    assert admitted(counter, "another") == [True]


@each_strategy
def test_a_request_that_one_limit_refuses_is_not_counted_by_later_ones(
    opened: Open, strategy: str
) -> None:
    counter = opened(HOUR, DAY, strategy=strategy)
    counts = [counter.count(CLIENT) for _ in range(6)]
    assert [len(count) for count in counts] == [2, 2, 2, 1, 1, 1]
    assert counts[2][1].left == 2
    assert opened(DAY, strategy=strategy).count(CLIENT)[0].left == 1


@each_strategy
def test_a_refused_client_is_admitted_again_later(opened: Open, strategy: str) -> None:
    counter = opened(SECOND, strategy=strategy)
    wait_until(lambda: admitted(counter) == [False])
    wait_until(lambda: admitted(counter) == [True])


@each_strategy
def test_no_count_is_lost_between_threads(opened: Open, strategy: str) -> None:
    counter = opened(Limit("300/day", 300, 24 * 3600), strategy=strategy)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: admitted(counter)[0], range(400)))
    assert found.count(True) == 300


@each_strategy
def test_no_count_is_lost_between_processes(opened: Open, strategy: str) -> None:
    counter = opened(Limit("300/day", 300, 24 * 3600), strategy=strategy)
    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            os._exit(sum(admitted(counter)[0] for _ in range(100)))
        children.append(child)
    ended = [os.waitpid(child, 0)[1] for child in children]
    assert [os.waitstatus_to_exitcode(status) for status in ended] == [100, 100]
    assert counter.count(CLIENT)[0].left == 99


@each_strategy
def test_counts_expire_with_their_periods(
    opened: Open, any_server: StoreServer | Cluster, strategy: str
) -> None:
    counter = opened(SECOND, HOUR, strategy=strategy)
    counter.count(CLIENT)
    with any_server.client() as client:
        assert 0 < client.pttl(count_name(CLIENT, "4/second")) <= 1000
        assert 0 < client.pttl(count_name(CLIENT, "3/hour")) <= 3_600_000


def test_a_fixed_window_admits_all_requests_again_at_its_end(opened: Open) -> None:
    counter = opened(SECOND)
    counter.count(CLIENT)
    wait_until(lambda: counter.count(CLIENT)[0].left == 3)


def test_a_token_bucket_refills_by_one_request_at_a_time(opened: Open) -> None:
    counter = opened(Limit("2/minute", 2, 60), strategy="token-bucket")
    counts = [counter.count(CLIENT)[0] for _ in range(3)]
    assert [count.admitted for count in counts] == [True, True, False]
    assert 30 < counts[1].seconds <= 60
    assert 0 < counts[2].seconds <= 30


def test_a_fixed_window_without_an_expiry_is_given_one(
    opened: Open, any_server: StoreServer | Cluster
) -> None:
    counter = opened(HOUR)
    counter.count(CLIENT)
    with any_server.client() as client:
        client.persist(count_name(CLIENT, "3/hour"))
        assert counter.count(CLIENT)[0].seconds <= 3600
        assert 0 < client.pttl(count_name(CLIENT, "3/hour")) <= 3_600_000


def test_a_script_that_a_server_has_flushed_is_sent_again(
    opened: Open, any_server: StoreServer | Cluster
) -> None:
    counter = opened(HOUR)
    counter.count(CLIENT)
    with any_server.client() as client:
        client.script_flush()
    assert counter.count(CLIENT)[0].left == 1


def test_all_counts_of_a_client_are_in_one_slot() -> None:
    for client in (CLIENT, "key:portal"):
        names = [count_name(client, limit.name) for limit in (HOUR, DAY)]
        assert len({key_slot(name) for name in names}) == 1


def test_a_store_that_cannot_count_is_unavailable(
    opened: Open, any_server: StoreServer | Cluster
) -> None:
    with any_server.client() as client:
        client.set(count_name(CLIENT, "3/hour"), "no number")
    with pytest.raises(StoreUnavailableError):
        opened(HOUR).count(CLIENT)
    unreachable = Runner(open_link("unix:///nowhere/socket", 1).run, timeout=1)
    with pytest.raises(StoreUnavailableError):
        LimitCounter(unreachable, [HOUR], FIXED).count(CLIENT)


def test_an_unknown_strategy_is_refused() -> None:
    with pytest.raises(SettingsError) as caught:
        open_limit_counter(Settings(rate_limit_strategy="lottery"), [HOUR])
    assert str(caught.value) == (
        "ACCORDION_RATE_LIMIT_STRATEGY must be one of fixed-window, token-bucket, "
        "not 'lottery'."
    )
