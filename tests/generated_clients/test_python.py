"""A client in Python that openapi-python-client generates from openapi.yaml."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.generated_clients.conftest import DESCRIPTION, HERE

if TYPE_CHECKING:
    from tests.servers import Service

BIN = Path(sys.executable).parent
PROGRAM = HERE / "play_python.py"


def run(*command: str | Path, **environ: str) -> str:
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        command,
        env=os.environ | {"PATH": path} | environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
    )
    assert result.returncode == 0, result.stdout
    return result.stdout


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a client generated from openapi.yaml."""
    folder = tmp_path_factory.mktemp("client")
    output = run(
        *(BIN / "openapi-python-client", "generate", "--path", DESCRIPTION),
        *("--meta", "none", "--output-path", folder / "accordion_client"),
    )
    left_out = [line for line in output.splitlines() if line.startswith("WARNING")]
    assert left_out == [  # each for a media type that is not JSON
        "WARNING parsing POST /v1/replays within rules.",
        "WARNING parsing GET /openapi.yaml within service.",
    ]
    return str(folder)


def test_a_front_end_plays(client: str, service: Service) -> None:
    output = run(sys.executable, PROGRAM, service.url, PYTHONPATH=client)
    assert output == "won with 51 moves\n"


def test_mypy_accepts_the_client(client: str, tmp_path: Path) -> None:
    run(
        *(BIN / "mypy", "--strict", "--follow-imports", "silent", PROGRAM),
        *("--config-file", os.devnull, "--cache-dir", tmp_path),
        MYPYPATH=client,
    )
