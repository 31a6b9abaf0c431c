"""A load shape for locust: it adds users in steps until the service is saturated."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from locust import LoadTestShape, events
from locust.stats import calculate_response_time_percentile, diff_response_time_dicts

from loadtests.load_steps import Step, is_saturated, summarize

if TYPE_CHECKING:
    from locust.argument_parser import LocustArgumentParser
    from locust.runners import Runner

_log = logging.getLogger("accordion.load")


@events.init_command_line_parser.add_listener  # type: ignore[untyped-decorator]
def add_options(parser: LocustArgumentParser) -> None:
    """Add the options of the shape."""
    add = parser.add_argument
    add("--step-users", type=int, default=4, help="Users added by each step.")
    add("--step-seconds", type=float, default=10.0, help="Seconds that a step lasts.")
    add("--most-users", type=int, default=200, help="Users of the last step.")
    add(
        "--steps-file",
        type=Path,
        default=Path("reports/load_steps.json"),
        help="The JSON file to write the steps to.",
    )


class StepShape(LoadTestShape):
    """Adds users in steps of equal length."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._steps: list[Step] = []
        self._start: _Totals | None = None

    def tick(self) -> tuple[int, float] | None:
        """The number of users and the spawn rate, or None to stop."""
        if self.runner is None or self.runner.environment.parsed_options is None:
            return None
        options = self.runner.environment.parsed_options
        users = options.step_users * (len(self._steps) + 1)
        now = _read_totals(self.runner)
        if self._start is None:
            if self.runner.user_count == users:
                self._start = now
        elif now.time - self._start.time >= options.step_seconds:
            self._steps.append(_measure(users, self._start, now))
            _log.info("%s", self._steps[-1])
            self._start = None
            if is_saturated(self._steps) or users >= options.most_users:
                self._write(options.steps_file)
                return None
            users += options.step_users
        return users, float(users)

    def _write(self, file: Path) -> None:
        summary = summarize(self._steps)
        result = {"summary": summary, "steps": [step._asdict() for step in self._steps]}
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(result, indent=1) + "\n")
        _log.info("%s", summary)


class _Totals(NamedTuple):
    """locust's totals at a moment."""

    time: float
    requests: int
    failures: int
    response_times: dict[int, int]


def _read_totals(runner: Runner) -> _Totals:
    total = runner.stats.total
    return _Totals(
        time.monotonic(),
        total.num_requests,
        total.num_failures,
        dict(total.response_times),
    )


def _measure(users: int, start: _Totals, end: _Totals) -> Step:
    requests = end.requests - start.requests
    times = diff_response_time_dicts(end.response_times, start.response_times)
    return Step(
        users=users,
        rate=round(requests / (end.time - start.time), 1),
        p99_ms=calculate_response_time_percentile(times, requests, 0.99),
        failures=end.failures - start.failures,
    )
