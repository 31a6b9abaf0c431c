"""The files of the project: locks, imports, make targets, wheel, containers."""

import importlib.metadata
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import service
from service.cli import main
from service.config import SETTINGS

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
LOCKS = ("requirements.txt", "requirements-dev.txt")


def run(*command: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, check=False, timeout=240
    )


def read_project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def read_locked(lock: str) -> list[Requirement]:
    lines = (ROOT / lock).read_text().splitlines()
    return [
        Requirement(line.removesuffix("\\").strip())
        for line in lines
        if re.match(r"[a-z0-9]", line)
    ]


def runtime_requirements() -> list[str]:
    project = read_project()
    return [*project["project"]["dependencies"], *project["build-system"]["requires"]]


def development_requirements() -> list[str]:
    project = read_project()
    extras = project["project"]["optional-dependencies"].values()
    group = [item for item in project["dependency-groups"]["dev"] if type(item) is str]
    return [
        *runtime_requirements(),
        *(item for extra in extras for item in extra),
        *group,
    ]


# --- lock files


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        ("requirements.txt", runtime_requirements()),
        ("requirements-dev.txt", development_requirements()),
    ],
)
def test_lock_satisfies_every_requirement(lock: str, wanted: list[str]) -> None:
    locked = read_locked(lock)
    for requirement in map(Requirement, wanted):
        name = canonicalize_name(requirement.name)
        versions = [
            str(pin.specifier).removeprefix("==") for pin in locked if pin.name == name
        ]
        assert versions, f"{lock} lacks {name}; run make lock"
        for version in versions:
            assert requirement.specifier.contains(version, prereleases=True), (
                f"{lock} has {name} {version}, wanted {requirement}; run make lock"
            )


def test_locks_agree() -> None:
    runtime = {(pin.name, str(pin.specifier)) for pin in read_locked(LOCKS[0])}
    development = {(pin.name, str(pin.specifier)) for pin in read_locked(LOCKS[1])}
    assert runtime <= development


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_names_no_host_and_hashes_every_pin(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert not re.search(r"://|--(extra-)?index-url|--find-links|--trusted-host", text)
    pins = re.findall(r"^[a-z0-9].*(?:\n .*)*", text, re.MULTILINE)
    assert len(pins) == len(read_locked(lock))
    assert [pin for pin in pins if "--hash=sha256:" not in pin] == []


def test_the_installed_version_is_the_packages_version() -> None:
    assert importlib.metadata.version("accordion-service") == service.__version__


# --- imports between packages


def test_every_package_imports_only_from_packages_below_it() -> None:
    result = run(BIN / "lint-imports", "--no-cache", "--no-logo")
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.fixture
def copied_tree(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(
        ROOT / "service",
        tmp_path / "service",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    return tmp_path


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("engine/cards.py", "import json", "The engine is pure"),
        ("engine/cards.py", "import numba", "The engine is pure"),
        ("engine/play.py", "from service.games import session", "A package imports"),
        ("solver/kernels/bits.py", "import time", "The solver knows"),
        ("store/redis.py", "from service.games import session", "A package imports"),
        ("games/service.py", "import flask", "Only the API"),
        ("store/protocol.py", "import marshmallow", "Only the API"),
        ("games/service.py", "import redis", "Only the store"),
        ("strays.py", "import json", "A package imports"),
    ],
)
def test_a_wrong_import_breaks_its_contract(
    copied_tree: Path, module: str, line: str, contract: str
) -> None:
    path = copied_tree / "service" / module
    text = path.read_text() if path.exists() else ""
    path.write_text(f"{text}\n{line}\n")
    result = run(BIN / "lint-imports", "--no-cache", "--no-logo", cwd=copied_tree)
    assert result.returncode == 1, result.stdout + result.stderr
    assert re.search(rf"^{contract}.* BROKEN", result.stdout, re.MULTILINE)


# --- make


def test_every_make_target_is_in_its_help() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^\.PHONY: (\S+)$", makefile, re.MULTILINE))
    assert {"serve", "test", "lint", "check"} <= targets
    listed = re.findall(r"^  make (\S+) +\S", run("make", "help").stdout, re.MULTILINE)
    assert set(listed) == targets


def test_make_serve_passes_its_variables_and_needs_no_development_tools() -> None:
    plan = run(
        "make", "--dry-run", "--always-make", "serve", "PORT=8123", "DATA_DIR=/a b"
    ).stdout
    assert "ACCORDION_PORT='8123' ACCORDION_DATA_DIR='/a b'" in plan
    assert "requirements.txt" in plan
    assert "requirements-dev.txt" not in plan


# --- wheel and containers


def test_wheel_contains_every_file_of_the_package(copied_tree: Path) -> None:
    shutil.copy(ROOT / "LICENSE", copied_tree)
    result = run(
        *(sys.executable, "-m", "pip", "--quiet", "wheel", "--no-deps"),
        *("--no-build-isolation", "--no-index", "--wheel-dir", "wheels", "."),
        cwd=copied_tree,
    )
    assert result.returncode == 0, result.stderr
    (wheel,) = (copied_tree / "wheels").iterdir()
    shipped = set(zipfile.ZipFile(wheel).namelist())
    tracked = run("git", "ls-files", "service").stdout.split()
    present = {name for name in tracked if (ROOT / name).exists()}
    assert "service/py.typed" in present
    assert present - shipped == set()


def test_the_table_of_settings_is_what_the_service_reads() -> None:
    page = (ROOT / "docs" / "operations.md").read_text()
    table = re.findall(r"^\| `(ACCORDION_\w+)` \| (.*) \| (.*) \|$", page, re.MULTILINE)
    assert table == [tuple(setting) for setting in SETTINGS]


@pytest.mark.parametrize("name", ["Dockerfile", "docker-compose.yml", "Makefile"])
def test_container_files_name_only_settings_that_exist(name: str) -> None:
    named = set(re.findall(r"\bACCORDION_[A-Z_]+", (ROOT / name).read_text()))
    assert named
    assert named - {setting.variable for setting in SETTINGS} == set()


@pytest.mark.parametrize("name", ["Dockerfile", "Makefile", ".pre-commit-config.yaml"])
def test_commands_run_by_the_projects_files_exist(name: str) -> None:
    run_here = re.findall(
        r"""(?:/|RUN |")accordion(?: |", ")([a-z]+)""", (ROOT / name).read_text()
    )
    assert run_here
    assert set(run_here) - set(main.list_commands(click.Context(main))) == set()


def test_scripts_run_by_make_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    modules = re.findall(r"python -m ((?:benchmarks|loadtests)\.\w+)", makefile)
    files = {module.replace(".", "/") + ".py" for module in modules}
    files |= set(re.findall(r"(?:loadtests|tests)/[\w/]+\.py", makefile))
    assert files >= {"benchmarks/api.py", "loadtests/soak.py", "tests/test_config.py"}
    assert {file for file in files if not (ROOT / file).exists()} == set()


def test_compose_gives_every_service_a_health_check_and_the_store_a_log() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    assert {"api", "redis"} <= set(services)
    assert all(services[name]["healthcheck"]["test"] for name in ("api", "redis"))
    assert services["api"]["depends_on"]["redis"]["condition"] == "service_healthy"
    command = services["redis"]["command"]
    assert command[command.index("--appendonly") + 1] == "yes"


def compose_clients() -> Iterator[list[str]]:
    for client in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(client[0]) and run(*client, "version").returncode == 0:
            yield client


def test_compose_file_is_accepted() -> None:
    client = next(compose_clients(), None)
    if client is None:
        pytest.skip("no docker compose client here")
    result = run(*client, "--file", "docker-compose.yml", "config", "--quiet")
    assert result.returncode == 0, result.stderr
