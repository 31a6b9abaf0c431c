"""The rate of moves during long searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.process.traffic import ANALYSTS, PLAYERS, SEARCH_SECONDS, Traffic
from tests.servers import free_port

if TYPE_CHECKING:
    from tests.conftest import Serve

_ROUNDS: Final = 4


@pytest.mark.parametrize("server", ["gunicorn", "granian"])
def test_moves_keep_a_share_of_their_rate_during_long_searches(
    served: Serve, server: str
) -> None:
    """On an idle machine the share is three quarters, on a busy one less.

    Without search slots it would be a fiftieth. `benchmarks/starvation.py` measures it.
    """
    default_workers = ""
    service = served(server=server, workers=default_workers, port=free_port())
    rates = []
    for _ in range(_ROUNDS):
        alone = Traffic(service, 2, players=PLAYERS, analysts=0)
        during = Traffic(service, 4, players=PLAYERS, analysts=ANALYSTS)
        assert set(during.analyses) == {(200, None), (503, "1")}
        assert during.p99 < SEARCH_SECONDS
        rates.append((during.rate, alone.rate))
        if during.rate > alone.rate / 10:
            return
    raise AssertionError(rates)
