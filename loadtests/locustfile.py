"""The users of the service, for locust.

    locust -f loadtests/locustfile.py --host http://127.0.0.1:8000

With `loadtests/stepping.py` as a second file their number grows until the service
is saturated; `make load` does that without the web page of locust.
"""

from locust import events
from locust.argument_parser import LocustArgumentParser

from loadtests.onlookers import Portal, Spectator
from loadtests.players import DailyPlayer, HintFollower, Tapper

__all__ = ["DailyPlayer", "HintFollower", "Portal", "Spectator", "Tapper"]


@events.init_command_line_parser.add_listener  # type: ignore[untyped-decorator]
def add_options(parser: LocustArgumentParser) -> None:
    """Add what these users can be told."""
    parser.add_argument(
        "--think",
        type=float,
        default=0.0,
        help="Think times: 1 as people take them, 0.1 ten times as fast, 0 none.",
    )
