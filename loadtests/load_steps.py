"""The results of a load that grows in steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_P99_LIMIT_MS = 50
_UNUSABLE_P99_MS = 2000
_LEAST_GROWTH = 1.03
_STEPS_WITHOUT_GROWTH = 2


class Step(NamedTuple):
    """The result of one step."""

    users: int
    rate: float  # requests per second
    p99_ms: int
    failures: int  # wrong or missing responses


def is_saturated(steps: Sequence[Step]) -> bool:
    """Whether the last two steps gained less than 3%, or p99 exceeds 2 s."""
    if steps and steps[-1].p99_ms > _UNUSABLE_P99_MS:
        return True
    before, last = steps[:-_STEPS_WITHOUT_GROWTH], steps[-_STEPS_WITHOUT_GROWTH:]
    if not before:
        return False
    best = max(step.rate for step in before)
    return all(step.rate < best * _LEAST_GROWTH for step in last)


def summarize(steps: Sequence[Step]) -> str:
    """Describe the highest rate with a p99 below the limit, and the failures."""
    failures = f"{sum(step.failures for step in steps)} responses were wrong or missing"
    within = [step for step in steps if step.p99_ms < _P99_LIMIT_MS]
    if not within:
        return f"No step had a p99 below {_P99_LIMIT_MS} ms; {failures}."
    best = max(within, key=lambda step: step.rate)
    return (
        f"p99 stays below {_P99_LIMIT_MS} ms up to {best.rate:.0f} requests/s "
        f"({best.users} users, p99 {best.p99_ms} ms); {failures}."
    )
