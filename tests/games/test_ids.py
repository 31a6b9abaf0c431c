"""Watch ids and random seeds."""

from __future__ import annotations

import re

import pytest

from service.engine.deals import SOURCES, deal
from service.engine.errors import UnknownSourceError
from service.engine.ruleset import Layout
from service.engine.variants import find_variant
from service.games.create import GuessableSourceError, random_seed
from service.games.ids import watch_id_of


def test_a_watch_id_never_changes() -> None:
    """The unpadded URL-safe Base64 of a BLAKE2b digest with the person `watch`."""
    assert watch_id_of("kX3vLw0q9sZrT2bYpQfA") == "S3EmibhW6A1wlhi85e4g"
    assert len({watch_id_of(str(i)) for i in range(1000)}) == 1000


@pytest.mark.parametrize("game_id", ["", "x" * 5000, "é♠", "\ud800", "../..", "\0"])
def test_any_text_has_a_watch_id(game_id: str) -> None:
    assert re.fullmatch("[A-Za-z0-9_-]{20}", watch_id_of(game_id))


@pytest.mark.parametrize("source", SOURCES)
def test_random_seeds_are_seeds_of_their_source(source: str) -> None:
    seeds = {random_seed(source, Layout.OPEN) for _ in range(50)}
    assert len(seeds) == 50
    for seed in seeds:
        assert 1 <= len(seed) <= 64
        assert len(deal(find_variant("accordion"), seed, source).cards) == 52


def test_no_random_seed_is_made_that_a_commitment_would_reveal() -> None:
    assert random_seed("pysol", Layout.STOCK)
    with pytest.raises(GuessableSourceError):
        random_seed("solvitaire", Layout.STOCK)
    with pytest.raises(UnknownSourceError):
        random_seed("accordion/2", Layout.OPEN)
