"""A shape for locust: ever more users, until the service is saturated."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from locust import LoadTestShape, events
from locust.stats import calculate_response_time_percentile, diff_response_time_dicts

from loadtests.steps import Step, headline, is_saturated

if TYPE_CHECKING:
    from locust.argument_parser import LocustArgumentParser
    from locust.runners import Runner

_P99 = 0.99

_log = logging.getLogger("accordion.load")


class _Counted(NamedTuple):
    """What locust had counted at a moment."""

    at: float
    requests: int
    failures: int
    times: dict[int, int]


class Stepping(LoadTestShape):
    """Adds users in steps of equal length."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.steps: list[Step] = []
        self._start: _Counted | None = None

    def tick(self) -> tuple[int, float] | None:
        """Say how many users there should be now."""
        runner = self.runner
        options = runner.environment.parsed_options if runner else None
        if runner is None or options is None:
            return None
        users = options.step_users * (len(self.steps) + 1)
        now = _count(runner)
        if self._start is None:
            if runner.user_count == users:
                self._start = now
        elif now.at - self._start.at >= options.step_seconds:
            self.steps.append(_step(users, self._start, now))
            _log.info("%s", self.steps[-1])
            self._start = None
            if is_saturated(self.steps) or users >= options.most_users:
                self._report(options.steps_file)
                return None
            users += options.step_users
        return users, float(users)

    def _report(self, target: Path) -> None:
        said = headline(self.steps)
        figures = {"headline": said, "steps": [step._asdict() for step in self.steps]}
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(figures, indent=1) + "\n")
        _log.info("%s", said)


@events.init_command_line_parser.add_listener  # type: ignore[untyped-decorator]
def add_options(parser: LocustArgumentParser) -> None:
    """Add what the shape can be told."""
    add = parser.add_argument
    add("--step-users", type=int, default=4, help="Users that each step adds.")
    add("--step-seconds", type=float, default=10.0, help="How long a step lasts.")
    add("--most-users", type=int, default=200, help="Where the steps end anyhow.")
    add(
        "--steps-file",
        type=Path,
        default=Path("reports/load_steps.json"),
        help="Where the steps are written to, as JSON.",
    )


def _count(runner: Runner) -> _Counted:
    total = runner.stats.total
    return _Counted(
        at=time.monotonic(),
        requests=total.num_requests,
        failures=total.num_failures,
        times=dict(total.response_times),
    )


def _step(users: int, start: _Counted, end: _Counted) -> Step:
    requests = end.requests - start.requests
    times = diff_response_time_dicts(end.times, start.times)
    return Step(
        users=users,
        rate=round(requests / (end.at - start.at), 1),
        p99_ms=calculate_response_time_percentile(times, requests, _P99),
        failures=end.failures - start.failures,
    )
