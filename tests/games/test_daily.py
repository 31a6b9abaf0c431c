"""The deal of the day."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest

from service.engine.deals import deal
from service.engine.variants import VARIANTS, find_variant
from service.games.daily import Daily, DailyDeal, NotYetError
from tests.engine.rows import show_row
from tests.engine.strategies import for_every_variant

if TYPE_CHECKING:
    from service.engine.ruleset import Ruleset

DAY = date(2026, 11, 30)
ACCORDION = find_variant("accordion")


@for_every_variant
@pytest.mark.parametrize("secret", [None, "salt"])
def test_everybody_has_one_deal_a_day(ruleset: Ruleset, secret: str | None) -> None:
    daily = Daily(secret).deal(ruleset, DAY, DAY)
    assert daily == Daily(secret).deal(ruleset, DAY, DAY + timedelta(days=400))
    dealt = deal(ruleset, daily.seed)
    assert daily == DailyDeal(DAY, "accordion/1", daily.seed, dealt)


@pytest.mark.parametrize("secret", [None, "salt"])
def test_deals_differ_by_day_and_by_variant(secret: str | None) -> None:
    days = [DAY - timedelta(days=back) for back in range(30)]
    seeds = {
        Daily(secret).deal(ruleset, day, DAY).seed
        for ruleset in VARIANTS.values()
        for day in days
    }
    assert len(seeds) == len(VARIANTS) * len(days)


def test_without_a_secret_anybody_can_compute_the_seed() -> None:
    assert Daily(None).deal(ACCORDION, DAY, DAY).seed == "2026-11-30/accordion"


def test_with_a_secret_the_seed_never_changes() -> None:
    """As `openssl dgst -sha256 -hmac salt` digests `daily/2026-11-30/accordion`."""
    daily = Daily("salt").deal(ACCORDION, DAY, DAY)
    assert daily.seed == "77ba9c1f864d38b91cb3d019a8b73b98"
    assert show_row(daily.dealt.cards[:5]) == "6D 6H 5C 7S KH"
    assert Daily("pepper").deal(ACCORDION, DAY, DAY).seed != daily.seed


def test_a_day_to_come_has_no_deal_yet() -> None:
    tomorrow = DAY + timedelta(days=1)
    with pytest.raises(NotYetError) as refusal:
        Daily("salt").deal(ACCORDION, tomorrow, DAY)
    assert (refusal.value.day, refusal.value.today) == (tomorrow, DAY)
