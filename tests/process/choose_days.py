"""Chooses the deals of many days in a separate process; prints a digest of each.

Arguments: the URL of the store, and `backward` or `forward`: the order of the days.
"""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime, timedelta
from hashlib import blake2b
from itertools import product

from service.engine.variants import VARIANTS
from service.games.daily import Daily
from service.store.coordination import Choices
from tests.conftest import open_store_at

MIDDLE = date(2026, 11, 30)
DAYS_EACH_WAY = 400
"""Days before the middle, and after it."""
_SIMULTANEOUS_DAYS = 20
"""Days that all processes choose first, in the same order."""


def main(url: str, direction: str) -> None:
    runner = open_store_at(url, timeout=10).runner
    days = [
        MIDDLE + timedelta(days=by) for by in range(-DAYS_EACH_WAY, DAYS_EACH_WAY + 1)
    ]
    now = int(datetime(2030, 1, 1, tzinfo=UTC).timestamp()) * 1000
    orders = {"forward": days, "backward": days[::-1]}
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    choosing, reading = (Daily(None, Choices(runner)) for _ in range(2))
    for ruleset, day in product(VARIANTS.values(), days[:_SIMULTANEOUS_DAYS]):
        choosing.deal(ruleset, day, now)
    for ruleset, day in product(VARIANTS.values(), orders[direction]):
        choosing.deal(ruleset, day, now)
    for ruleset, day in product(VARIANTS.values(), days):
        found = reading.deal(ruleset, day, now)
        cards = blake2b(found.dealt.cards, digest_size=8).hexdigest()
        sys.stdout.write(f"{ruleset.key} {day} {found.seed} {cards}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
