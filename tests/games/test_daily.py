"""The deal of the day: the same for all, winnable, and impossible to guess."""

from __future__ import annotations

import hashlib
import hmac
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING

import pytest

from service.engine.deals import deal
from service.engine.position import lay_out
from service.engine.variants import VARIANTS, find_variant
from service.games.daily import (
    DAILY_NODES,
    Daily,
    DailyDeal,
    NotYetError,
    candidate,
)
from service.solver import Nodes, Verdict, solve
from service.store.coordination import Choices
from tests.engine.strategies import for_every_variant

if TYPE_CHECKING:
    from service.engine.ruleset import Ruleset
    from service.store.redis import RedisStore

DAY = date(2026, 11, 30)
NOW = int(datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()) * 1000
SALT = "salt"
ACCORDION = find_variant("accordion")


def _daily(store: RedisStore, secret: str | None = SALT) -> Daily:
    return Daily(secret, Choices(store.runner))


@for_every_variant
@pytest.mark.parametrize("secret", [None, "salt"])
def test_all_players_get_the_same_deal_on_a_day(
    store: RedisStore, ruleset: Ruleset, secret: str | None
) -> None:
    daily = _daily(store, secret).deal(ruleset, DAY, NOW)
    later = NOW + 400 * 24 * 3600 * 1000
    assert daily == _daily(store, secret).deal(ruleset, DAY, later)
    assert daily == _daily(store, secret).deal(ruleset, None, NOW)
    dealt = deal(ruleset, daily.seed)
    assert daily == DailyDeal(DAY, "accordion/1", daily.seed, dealt)


@for_every_variant
def test_the_daily_deal_is_the_first_winnable_candidate(
    store: RedisStore, ruleset: Ruleset
) -> None:
    """As documented: whoever has the secret can compute it."""
    for back in (0, 1, 400):
        day = DAY - timedelta(days=back)
        seed = _daily(store).deal(ruleset, day, NOW).seed
        tried = (
            hmac.new(b"salt", text.encode(), hashlib.sha256).hexdigest()[:32]
            for number in count()
            if (text := f"daily/{day.isoformat()}/{ruleset.key}/{number}")
        )
        assert seed == next(filter(lambda one: _is_won(ruleset, one), tried))


def _is_won(ruleset: Ruleset, seed: str) -> bool:
    dealt = deal(ruleset, seed)
    position = lay_out(ruleset, dealt.cards, ruleset.layout, dealt.goal)
    return solve(position, Nodes(DAILY_NODES)).verdict is Verdict.WINNABLE


def test_deals_differ_by_day_and_by_variant(store: RedisStore) -> None:
    days = [DAY - timedelta(days=back) for back in range(3)]
    seeds = {
        _daily(store).deal(ruleset, day, NOW).seed
        for ruleset in VARIANTS.values()
        for day in days
    }
    assert len(seeds) == len(VARIANTS) * len(days)


def test_a_stored_daily_deal_is_not_chosen_again(store: RedisStore) -> None:
    chosen = _daily(store, "salt").deal(ACCORDION, DAY, NOW)
    assert _daily(store, "pepper").deal(ACCORDION, DAY, NOW) == chosen
    yesterday = DAY - timedelta(days=1)
    other = _daily(store, "pepper").deal(ACCORDION, yesterday, NOW)
    assert candidate(b"pepper", ACCORDION, yesterday, 0) == other.seed


def test_without_a_secret_a_random_one_is_stored_and_shared(store: RedisStore) -> None:
    first = _daily(store, None).deal(ACCORDION, DAY, NOW)
    secret = Choices(store.runner).find("daily-secret")
    assert secret is not None
    assert len(secret) == 64
    assert first.seed == candidate(secret.encode(), ACCORDION, DAY, 0)
    yesterday = DAY - timedelta(days=1)
    second = _daily(store, None).deal(ACCORDION, yesterday, NOW)
    assert second.seed == candidate(secret.encode(), ACCORDION, yesterday, 0)


def test_processes_that_choose_concurrently_agree(store: RedisStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        dailies = [_daily(store, None) for _ in range(8)]
        seeds = pool.map(lambda one: one.deal(ACCORDION, DAY, NOW).seed, dailies)
    assert len(set(seeds)) == 1


def test_a_future_day_has_no_deal(store: RedisStore) -> None:
    midnight = int(datetime(2026, 12, 1, tzinfo=UTC).timestamp()) * 1000
    tomorrow = DAY + timedelta(days=1)
    with pytest.raises(NotYetError) as refusal:
        _daily(store).deal(ACCORDION, tomorrow, midnight - 1)
    assert (refusal.value.day, refusal.value.today) == (tomorrow, DAY)
    assert _daily(store).deal(ACCORDION, tomorrow, midnight).day == tomorrow
    assert _daily(store).deal(ACCORDION, None, midnight - 1).day == DAY
