"""Moves beside long searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.process.traffic import ANALYSTS, PLAYERS, SEARCH_SECONDS, Traffic
from tests.servers import free_port

if TYPE_CHECKING:
    from tests.conftest import Serve

_ROUNDS: Final = 4


@pytest.mark.parametrize("server", ["gunicorn", "granian"])
def test_moves_keep_a_share_of_their_rate_beside_long_searches(
    served: Serve, server: str
) -> None:
    """They keep three quarters on an idle machine, and less on a busy one.

    Without slots they would keep one fiftieth. `benchmarks/starvation.py` measures.
    """
    default_workers = ""
    service = served(server=server, workers=default_workers, port=free_port())
    rates = []
    for _ in range(_ROUNDS):
        alone = Traffic(service, 2, players=PLAYERS, analysts=0)
        beside = Traffic(service, 4, players=PLAYERS, analysts=ANALYSTS)
        assert set(beside.analyses) == {(200, None), (503, "1")}
        assert beside.p99 < SEARCH_SECONDS
        rates.append((beside.rate, alone.rate))
        if beside.rate > alone.rate / 10:
            return
    raise AssertionError(rates)
