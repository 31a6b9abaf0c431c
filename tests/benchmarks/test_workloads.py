"""The requests of each workload, on a real service."""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from benchmarks.servers import Server, run_service
from benchmarks.workloads import (
    GOALS,
    WORKLOADS,
    Games,
    UnexpectedResponseError,
    Workload,
    try_workload,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.load_generator import Load


@pytest.fixture(scope="module")
def service() -> Iterator[Server]:
    with (
        TemporaryDirectory(prefix="acc") as folder,
        run_service({"data_dir": folder}) as server,
    ):
        yield server


@pytest.fixture(scope="module")
def games(service: Server) -> Games:
    return Games(service.address, {}, [])


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_response_has_the_expected_status(
    service: Server, games: Games, name: str
) -> None:
    try_workload(WORKLOADS[name], games, service.address)


def test_an_unexpected_status_is_an_error(service: Server, games: Games) -> None:
    def prepare(games: Games, count: int) -> Load:
        load = WORKLOADS["get-unchanged"].prepare(games, count)
        return type(load)(load.requests, status=200)

    with pytest.raises(UnexpectedResponseError, match="status=304"):
        try_workload(Workload("wrong", prepare), games, service.address)


def test_enough_moves_are_prepared_in_the_order_of_their_game(games: Games) -> None:
    keyed = WORKLOADS["move-idempotent"].prepare(games, 1200).requests
    assert len(keyed) >= 1200
    seen: dict[bytes, int] = {}
    for request in keyed:
        lines = request.split(b"\r\n")
        (key,) = (line for line in lines if line.startswith(b"Idempotency-Key"))
        number = int(key.partition(b"move-")[2])
        assert number == seen.get(lines[0], number - 1) + 1
        seen[lines[0]] = number


def test_goals_name_every_workload_and_no_other() -> None:
    assert {name for rows in GOALS.values() for name in rows} == set(WORKLOADS)
