"""The solver is compiled once, before the first request."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from numba.core import config

if TYPE_CHECKING:
    import pytest

    from tests.conftest import Serve
    from tests.servers import Service

_COMPILING = "Compiling the solver"
_NOT_SAVED = "The compiled solver cannot be saved"


def solves(service: Service) -> bool:
    headers = {"Content-Type": "application/json"}
    body = json.dumps({"row": ["4S", "7H", "QC", "4D", "KD"]}).encode()
    response = service.request("POST", "/v1/analysis", body, headers)
    return bool(json.loads(response.body)["verdict"] == "unwinnable")


def test_a_start_compiles_what_is_missing_and_later_ones_do_not(
    served: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = Path(config.CACHE_DIR)  # type: ignore[attr-defined]
    cache = shutil.copytree(compiled, tmp_path / compiled.name)
    (kernel,) = cache.glob("row_table.rehash-*.nbc")
    kernel.unlink()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    first = served(workers=1)
    assert _COMPILING in first.output()
    assert _NOT_SAVED not in first.output()
    first.stop()
    assert kernel.exists()
    kept = sorted(tmp_path.rglob("*"))
    later = served(workers=1)
    assert _COMPILING not in later.output()
    assert solves(later)
    assert sorted(tmp_path.rglob("*")) == kept


def test_a_start_without_any_folder_for_the_cache_compiles_and_warns_once(
    served: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(file / "cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(file / "users"))
    monkeypatch.setenv("NUMBA_OPT", "0")  # compiles in half the time
    service = served(workers=2)
    assert solves(service)
    service.stop()
    lines = service.output().splitlines()
    assert [line for line in lines if _COMPILING in line]
    (warning,) = [line for line in lines if _NOT_SAVED in line]
    assert json.loads(warning)["level"] == "warning"
    assert "Traceback" not in service.output()
