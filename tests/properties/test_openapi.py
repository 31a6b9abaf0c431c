"""Valid and invalid requests that schemathesis generates from the API description.

`make fuzz` sends many more than the usual run, with another seed each time.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml

from service.access.api_keys import add_key
from tests.properties.conftest import LONG_STORE_TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Serve
    from tests.servers import Service

_HOOKS = Path(__file__).with_name("schemathesis_hooks.py")
_WANTED = int(os.environ.get("FUZZ_CASES", "0")) // 2
"""The number of cases for each service; 0 is a single short run."""
_EXAMPLES, _SCENARIOS, _STEPS = (50, 300, 20) if _WANTED else (6, 30, 10)
"""In one run: cases of each operation, chains of linked requests, and their length."""
_PHASES = ("examples", "coverage", "fuzzing", "stateful")
_TENANTS = ("one", "two")


class _Target(NamedTuple):
    service: Service
    config: Path
    folder: Path


@pytest.fixture(params=["open", "keys"])
def target(request: pytest.FixtureRequest, served: Serve, tmp_path: Path) -> _Target:
    """A service without API keys, or with those of two tenants."""
    settings: dict[str, object] = {
        "workers": 2,
        "log_level": "warning",
        **LONG_STORE_TIMEOUT,
    }
    config = [
        f'hooks = "{_HOOKS}"\ncontinue-on-failure = true',
        f"[generation]\nmax-examples = {_EXAMPLES}",
        f"[phases.stateful]\nmax-steps = {_STEPS}",
        f"[phases.stateful.generation]\nmax-examples = {_SCENARIOS}",
    ]
    if request.param == "keys":
        settings["api_keys_file"] = tmp_path / "keys.json"
        users = [_user(tmp_path / "keys.json", tenant) for tenant in _TENANTS]
        (tmp_path / "users.json").write_text(json.dumps({"auth": users}))
        peers = f"peers = {json.dumps(_TENANTS)}"
        config.append(f'[auth.wfc]\npath = "{tmp_path}/users.json"\n{peers}')
    (tmp_path / "schemathesis.toml").write_text("\n".join(config))
    return _Target(served(**settings), tmp_path / "schemathesis.toml", tmp_path)


def _user(keys: Path, tenant: str) -> dict[str, Any]:
    key = add_key(keys, tenant, tenant, date(2026, 1, 31))
    field = {"name": "Authorization", "value": f"Bearer {key}"}
    return {"name": tenant, "fixedHeaders": [field]}


@pytest.mark.timeout(0 if _WANTED else 300)
def test_every_response_is_as_described(target: _Target) -> None:
    service = target.service
    description = service.request("GET", "/openapi.yaml").body
    (target.folder / "openapi.yaml").write_bytes(description)
    operations = sum(map(len, yaml.safe_load(description)["paths"].values()))
    cases = 0
    for seed in _seeds():
        report = _run(target, seed)
        assert report["complete"]
        assert report["operations"]["tested"] == operations
        phases = {name: phase["status"] for name, phase in report["phases"].items()}
        assert phases == dict.fromkeys(_PHASES, "success")
        cases += report["test_cases"]["generated"]
        print(f"seed {seed}: {cases} cases so far")  # noqa: T201 - for `make fuzz`
        if cases >= _WANTED:
            break
    assert cases >= 1000
    assert service.request("GET", "/readyz").status == 200
    assert '"level":"error"' not in service.output()


def _seeds() -> Iterator[int]:
    """Yield seeds: always the same in CI, else random ones."""
    source = random.Random(1883 if "CI" in os.environ else None)
    while True:
        yield source.getrandbits(32)


def _run(target: _Target, seed: int) -> Any:  # noqa: ANN401
    report = target.folder / "report.json"
    done = subprocess.run(
        [
            *(Path(sys.executable).with_name("schemathesis"), "--no-color"),
            *("--config-file", target.config),
            *("run", target.folder / "openapi.yaml", "--url", target.service.url),
            *("--checks", "all", "--seed", str(seed)),
            *("--report", "json", "--report-json-path", report),
        ],
        cwd=target.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    return json.loads(report.read_text())
