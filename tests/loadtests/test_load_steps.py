import pytest

from loadtests.load_steps import Step, is_saturated, summarize


def steps(*rates: float, p99_ms: int = 10) -> list[Step]:
    return [Step(4 * (i + 1), rate, p99_ms, 0) for i, rate in enumerate(rates)]


@pytest.mark.parametrize(
    ("rates", "saturated"),
    [
        ((), False),
        ((100,), False),
        ((100, 101), False),
        ((100, 200, 300), False),
        ((100, 101, 102), True),
        ((100, 101, 200), False),
        ((100, 200, 201, 199), True),
    ],
)
def test_two_steps_without_growth_are_saturation(
    rates: tuple[float, ...], *, saturated: bool
) -> None:
    assert is_saturated(steps(*rates)) is saturated


def test_a_p99_above_two_seconds_is_saturation() -> None:
    assert is_saturated(steps(100, p99_ms=2001))


def test_the_summary_names_the_highest_rate_within_the_limit() -> None:
    found = [Step(4, 100, 10, 0), Step(8, 190, 49, 2), Step(12, 200, 50, 1)]
    assert summarize(found) == (
        "p99 stays below 50 ms up to 190 requests/s (8 users, p99 49 ms); "
        "3 responses were wrong or missing."
    )
    assert summarize([Step(4, 100, 60, 0)]).startswith("No step had a p99 below 50 ms")
