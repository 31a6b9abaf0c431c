"""A client in TypeScript, and linters of openapi.yaml that run on Node."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.generated_clients.conftest import DESCRIPTION, HERE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers import Service


def run(*command: str | Path, cwd: Path, **environ: str) -> str:
    result = subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
    )
    assert result.returncode == 0, result.stdout
    return result.stdout


@pytest.fixture(scope="module")
def front_end(node_modules: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a front end, with the types generated from openapi.yaml."""
    folder = tmp_path_factory.mktemp("front-end")
    (folder / "node_modules").symlink_to(node_modules)
    for name in ("package.json", "tsconfig.json", "play.ts", "type_errors.ts"):
        shutil.copy(HERE / name, folder)
    generate = node_modules / ".bin/openapi-typescript"
    run(generate, DESCRIPTION, "--output", "api.d.ts", cwd=folder)
    return folder


def test_a_front_end_compiles_and_plays(
    front_end: Path, node_modules: Path, service: Service
) -> None:
    run(node_modules / ".bin/tsc", "--project", ".", cwd=front_end)
    output = run("node", "built/play.js", cwd=front_end, ACCORDION_URL=service.url)
    assert output == "Ada has won with 51 moves\n"


def test_no_type_is_unknown(front_end: Path) -> None:
    types = (front_end / "api.d.ts").read_text()
    assert "MovesInput: " in types
    assert re.findall(r'[\w"]\??: unknown\b', types) == []


@pytest.mark.parametrize(
    "command",
    [
        ("spectral", "lint", "--ruleset", ".spectral.yaml", "--fail-severity", "error"),
        ("redocly", "lint", "--extends", "recommended"),
    ],
    ids=["spectral", "redocly"],
)
def test_openapi_has_no_error(command: tuple[str, ...], node_modules: Path) -> None:
    name, *arguments = command
    run(
        node_modules / ".bin" / name,
        *arguments,
        DESCRIPTION,
        cwd=HERE,
        REDOCLY_TELEMETRY="off",
        REDOCLY_SUPPRESS_UPDATE_NOTICE="true",
    )
