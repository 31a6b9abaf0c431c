"""The solver is compiled once, before anybody waits for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.conftest import Serve

_SAID = "Compiling the solver"


def test_the_first_start_compiles_and_later_ones_do_not(
    served: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    first = served(workers=1)
    assert _SAID in first.output()
    first.stop()
    compiled = sorted(tmp_path.rglob("*.nbc"))
    assert compiled
    later = served(workers=1)
    assert _SAID not in later.output()
    headers = {"Content-Type": "application/json"}
    body = json.dumps({"row": ["4S", "7H", "QC", "4D", "KD"]}).encode()
    answer = later.request("POST", "/v1/analysis", body, headers)
    assert json.loads(answer.body)["verdict"] == "unwinnable"
    assert sorted(tmp_path.rglob("*.nbc")) == compiled
