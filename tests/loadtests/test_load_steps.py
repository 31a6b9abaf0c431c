import pytest

from loadtests.steps import Step, headline, is_saturated


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


def test_a_p99_beyond_use_is_saturation() -> None:
    assert is_saturated(steps(100, p99_ms=2001))


def test_the_headline_names_the_heaviest_easy_load() -> None:
    told = headline([Step(4, 100, 10, 0), Step(8, 190, 49, 2), Step(12, 200, 50, 1)])
    assert told == (
        "p99 stays below 50 ms up to 190 requests/s (8 users, p99 49 ms); "
        "3 answers were wrong or missing."
    )
    assert headline([Step(4, 100, 60, 0)]).startswith("No step had a p99 below 50 ms")
