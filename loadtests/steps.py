"""The steps of a growing load, and what they tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

LIMIT_MS = 50
"""The p99 up to which the service counts as carrying a load with ease."""

_GROWTH = 1.03
"""Less growth in requests a second than this, twice over, is saturation."""
_HOPELESS_MS = 2000


class Step(NamedTuple):
    """What one number of users came to.

    Attributes:
        users: how many there were.
        rate: requests a second.
        p99_ms: the 99th percentile of the response times.
        failures: how many answers were wrong or missing.
    """

    users: int
    rate: float
    p99_ms: int
    failures: int


def is_saturated(steps: Sequence[Step]) -> bool:
    """Whether more users bring no more: two steps without growth, or p99 beyond use."""
    if steps and steps[-1].p99_ms > _HOPELESS_MS:
        return True
    if len(steps) < 3:  # noqa: PLR2004 - one to grow from and two that did not
        return False
    best = max(step.rate for step in steps[:-2])
    return all(step.rate < best * _GROWTH for step in steps[-2:])


def headline(steps: Sequence[Step]) -> str:
    """The heaviest load that was carried with ease, in a sentence."""
    failures = sum(step.failures for step in steps)
    eased = [step for step in steps if step.p99_ms < LIMIT_MS]
    wrong = f"{failures} answers were wrong or missing."
    if not eased:
        return f"No step had a p99 below {LIMIT_MS} ms; {wrong}"
    best = max(eased, key=lambda step: step.rate)
    return (
        f"p99 stays below {LIMIT_MS} ms up to {best.rate:.0f} requests/s "
        f"({best.users} users, p99 {best.p99_ms} ms); {wrong}"
    )
