"""Metrics of the round trips to the store."""

import pytest
from redis.exceptions import ConnectionError as CutError
from redis.exceptions import NoScriptError, RedisError

from service.metrics import REGISTRY
from service.store.circuit_breaker import CircuitOpenError
from service.store.connection import StoreRequest, pack
from service.store.protocol import StoreUnavailableError
from service.store.runner import Runner
from service.store.wire import Reply

_PING = StoreRequest(b"", pack(b"PING"), 1, repeatable=True)


def failing(error: RedisError) -> Runner:
    """Return a runner whose round trips all end in an error."""

    def send(_request: StoreRequest) -> list[Reply]:
        raise error

    return Runner(send, timeout=1)


def counts(error: RedisError) -> tuple[float, float]:
    """Return the number of round trips timed so far, and of those with this error."""
    times = REGISTRY.get_sample_value("accordion_store_duration_seconds_count")
    labels = {"error": type(error).__name__}
    errors = REGISTRY.get_sample_value("accordion_store_errors_total", labels)
    return times or 0, errors or 0


@pytest.mark.parametrize(
    ("error", "raised", "timed", "failed"),
    [
        (CutError("cut"), StoreUnavailableError, 1, 1),
        (NoScriptError("send it whole"), NoScriptError, 1, 0),
    ],
)
def test_round_trips_that_fail_are_timed(
    error: RedisError, raised: type[Exception], timed: int, failed: int
) -> None:
    times, errors = counts(error)
    with pytest.raises(raised):
        failing(error).run(_PING)
    assert counts(error) == (times + timed, errors + failed)


def test_a_request_that_was_not_sent_is_not_counted() -> None:
    before = counts(CircuitOpenError())
    with pytest.raises(StoreUnavailableError, match="CircuitOpenError"):
        failing(CircuitOpenError()).run(_PING)
    assert counts(CircuitOpenError()) == before
