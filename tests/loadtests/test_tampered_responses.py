"""Locust's users find each wrong response of a service that is otherwise correct."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.loadtests.run_locust import Summary, run_users
from tests.loadtests.tampering_proxy import Exchange, TamperingProxy
from tests.servers import Service, running

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Find = Callable[[Callable[[Exchange], Exchange], set[str]], Summary]


@pytest.fixture
def find(service: Service, tmp_path: Path) -> Find:
    """Run users behind a proxy until requests of these names have failed."""

    def find(tamper: Callable[[Exchange], Exchange], names: set[str]) -> Summary:
        proxy = TamperingProxy(service.port, tamper)
        users = ("TapPlayer", "RecordSender", "Spectator")
        with running(proxy):
            summary = run_users(proxy.url, tmp_path, users, lambda x: names <= x.failed)
        assert summary.code == 1
        return summary

    return find


def is_watched(exchange: Exchange) -> bool:
    return exchange.path.startswith("/v1/watch/")


def test_wrong_games_and_wrong_replays(find: Find) -> None:
    def tamper(exchange: Exchange) -> Exchange:
        if is_watched(exchange):
            row = exchange.json["row"]
            return exchange.replace(row=row[:1] * len(row))
        if exchange.path != "/v1/replays":
            return exchange
        wrong = {"score": 1} if exchange.json["valid"] else {"index": 0, "reason": ""}
        return exchange.replace(**wrong)

    summary = find(tamper, {"watch", "replay"})
    assert summary.failed == {"watch", "replay"}
    assert "watch if changed" not in summary.requests
    for name in summary.failed:
        assert summary.failures[name] == summary.requests[name]


def test_304_after_a_change_and_304_to_an_unconditional_request(find: Find) -> None:
    etags: dict[str, str] = {}

    def tamper(exchange: Exchange) -> Exchange:
        if not is_watched(exchange):
            return exchange
        not_modified = exchange._replace(status=304, body=b"")
        if exchange.conditional:
            return not_modified._replace(etag=etags[exchange.path])
        if exchange.path in etags:
            return not_modified
        etags[exchange.path] = exchange.etag
        return exchange

    failed = find(tamper, {"watch if changed", "watch again"}).failed
    assert {"watch if changed", "watch again"} <= failed
    # Two spectators may watch the same game.
    assert failed <= {"watch", "watch if changed", "watch again"}


def test_outdated_games(find: Find) -> None:
    first: dict[str, Exchange] = {}

    def tamper(exchange: Exchange) -> Exchange:
        if not is_watched(exchange) or exchange.conditional:
            return exchange
        return first.setdefault(exchange.path, exchange)

    failed = find(tamper, {"watch again"}).failed
    assert "watch again" in failed
    assert failed <= {"watch", "watch again"}
