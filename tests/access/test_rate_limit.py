"""Rate limits in a worker: what it reads from the store, and what it remembers."""

from collections.abc import Callable

import pytest

from service.access.rate_limit import RateLimits
from service.config import Settings
from service.store.limit_counter import Limit, LimitResult
from service.store.protocol import StoreUnavailableError
from tests.servers import StoreServer

CLIENT = "key:portal"


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limits(valkey_server: StoreServer, clock: Clock) -> Callable[[str], RateLimits]:
    """Makes the rate limits of a new worker, on an empty store."""
    with valkey_server.client() as client:
        client.flushall()
    settings = Settings(redis_url=valkey_server.url, store_timeout=10)
    return lambda text: RateLimits(text, settings, clock=clock)


def test_the_shortest_window_comes_first(limits: Callable[[str], RateLimits]) -> None:
    assert limits("9/day,5/hour,7/minute,2/second,5/hour").policies == [
        Limit("2/second", 2, 1),
        Limit("7/minute", 7, 60),
        Limit("5/hour", 5, 3600),
        Limit("9/day", 9, 86400),
    ]


def test_a_count_returns_what_is_left(limits: Callable[[str], RateLimits]) -> None:
    counts = [limits("2/hour,9/day").count(CLIENT) for _ in range(3)]
    assert counts[0] == [
        LimitResult("2/hour", admitted=True, left=1, seconds=3600),
        LimitResult("9/day", admitted=True, left=8, seconds=86400),
    ]
    assert [(one.name, one.admitted, one.left) for one in counts[2]] == [
        ("2/hour", False, 0)
    ]


def test_a_refused_client_is_refused_without_the_store(
    limits: Callable[[str], RateLimits], clock: Clock, valkey_server: StoreServer
) -> None:
    ours, others = limits("1/minute,9/day"), limits("1/minute,9/day")
    assert others.count(CLIENT)[0].admitted
    [refused] = ours.count(CLIENT)
    assert not refused.admitted
    with valkey_server.client() as client:
        client.flushall()
    clock.now += 9.9
    [again] = ours.count(CLIENT)
    assert (again.name, again.admitted, again.left) == ("1/minute", False, 0)
    assert refused.reset - 10 <= again.reset <= refused.reset - 9
    assert ours.count("key:another")[0].admitted
    clock.now += 0.2
    assert ours.count(CLIENT)[0].admitted


def test_a_refusal_is_not_remembered_past_the_window(
    limits: Callable[[str], RateLimits], clock: Clock
) -> None:
    ours = limits("1/second")
    while ours.count(CLIENT)[0].admitted:
        pass
    assert not ours.count(CLIENT)[0].admitted
    clock.now += 1.0
    while not ours.count(CLIENT)[0].admitted:
        clock.now += 1.0


def test_the_number_of_remembered_refusals_is_limited(
    limits: Callable[[str], RateLimits], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.access.rate_limit._MAX_REMEMBERED", 2)
    ours = limits("1/day")
    for _ in range(2):
        for number in range(5):
            ours.count(f"key:{number}")
    assert not any(ours.count(f"key:{number}")[0].admitted for number in range(5))


def test_without_the_store_nothing_is_counted() -> None:
    settings = Settings(redis_url="unix:///nowhere/socket")
    with pytest.raises(StoreUnavailableError):
        RateLimits("1/day", settings).count(CLIENT)
