"""What a killed service leaves of its counts is cleared away, and nothing else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from service.server.metrics_folder import clear_left_behind, metrics_folder
from tests.servers import wait_until

if TYPE_CHECKING:
    from pathlib import Path

_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


@pytest.fixture
def within(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the folders are."""
    monkeypatch.setattr("service.server.metrics_folder._SHARED_MEMORY", tmp_path)
    monkeypatch.setenv(_VARIABLE, "to be put back at the end")
    return tmp_path


def _age(folder: Path) -> None:
    os.utime(folder, (0, 0))


def test_a_folder_goes_with_its_service(within: Path) -> None:
    with metrics_folder():
        assert os.environ[_VARIABLE] == str(next(within.iterdir()))
    assert list(within.iterdir()) == []
    assert "PROMETHEUS_MULTIPROC_DIR" not in os.environ


def test_only_what_was_left_behind_is_cleared_away(within: Path) -> None:
    for name in ("accordion-metrics-old", "accordion-metrics-new", "others"):
        (within / name).mkdir()
        (within / name / "counter_1.db").write_bytes(b"x")
    _age(within / "accordion-metrics-old")
    _age(within / "others")
    (within / "accordion-metrics-link").symlink_to(within / "others")
    with metrics_folder():
        own = os.environ[_VARIABLE]
        os.utime(own, (0, 0))
        clear_left_behind(within)
        left = {str(found) for found in within.iterdir()}
    assert left == {
        own,
        *(str(within / f"accordion-metrics-{name}") for name in ("new", "link")),
        str(within / "others"),
    }
    assert (within / "others" / "counter_1.db").exists()


def test_a_folder_is_kept_while_a_worker_of_a_killed_service_lives(
    within: Path,
) -> None:
    read, write = os.pipe()
    service = os.fork()
    if service == 0:
        with metrics_folder():
            if os.fork() == 0:  # the worker, which ends when the pipe does
                os.close(write)
                os.read(read, 1)
            os._exit(0)
    os.close(read)
    os.waitpid(service, 0)
    (folder,) = within.iterdir()
    _age(folder)
    clear_left_behind(within)
    assert folder.exists()
    os.close(write)

    def is_cleared() -> bool:
        clear_left_behind(within)
        return not folder.exists()

    wait_until(is_cleared)
