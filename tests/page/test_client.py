"""The JavaScript client: its own tests under Node, and its types."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.page.table import CLIENT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers import Service

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="no Node is installed")


def run(*command: str, cwd: Path, **environ: str) -> None:
    found = subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_client_on_the_real_service(service: Service) -> None:
    run(
        "node",
        "--test",
        "test/accordion.test.js",
        cwd=CLIENT,
        ACCORDION_URL=service.url,
    )


def test_types_fit_how_the_client_is_used(node_modules: Path) -> None:
    run(
        "node",
        str(node_modules / "typescript/bin/tsc"),
        "--project",
        "test",
        cwd=CLIENT,
    )
