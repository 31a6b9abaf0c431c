"""The wheel, installed without a checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import Service

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, cwd: Path) -> None:
    done = subprocess.run(
        command,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stdout


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with an environment that contains the wheel and its dependencies."""
    source, wheels = tmp_path / "source", tmp_path / "wheels"
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        source.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, source)
    no_caches = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "service", source / "service", ignore=no_caches)
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    offline = ("--no-deps", "--no-build-isolation", "--no-index")
    run(*pip, "wheel", *offline, "--wheel-dir", wheels, ".", cwd=source)
    shutil.rmtree(source)
    run(sys.executable, "-m", "venv", tmp_path / ".venv", cwd=tmp_path)
    into = (*pip, "--python", tmp_path / ".venv")
    (wheel,) = wheels.iterdir()
    needed = subprocess.run(
        [*into, "install", "--require-hashes", "-r", ROOT / "requirements.txt"],
        capture_output=True,
        check=False,
        text=True,
    )
    if needed.returncode and "CI" not in os.environ:
        pytest.skip(f"no package index: {needed.stderr}")
    run(*into, "install", wheel, cwd=tmp_path)
    return tmp_path


@pytest.mark.timeout(900)
def test_the_wheel_serves_without_a_checkout(installed: Path) -> None:
    data = installed / "data"
    with Service({"data_dir": data}, checkout=installed) as service:
        for path in ("/", "/docs", "/openapi.yaml", "/readyz", "/static/docs.js"):
            assert service.request("GET", path).status == 200, path
        assert service.request("POST", "/v1/games").status == 201
