"""Times are written as the standard library writes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import example, given
from hypothesis import strategies as st

from service.timestamps import stamp

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def test_a_time_is_written_in_utc_to_the_millisecond() -> None:
    assert stamp(1_800_000_000_042) == "2027-01-15T08:00:00.042Z"


@given(st.integers(0, 4_102_444_800_000))
@example(0)
@example(999)
def test_times_match_the_standard_library(time: int) -> None:
    moment = _EPOCH + timedelta(milliseconds=time)
    assert stamp(time) == f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
