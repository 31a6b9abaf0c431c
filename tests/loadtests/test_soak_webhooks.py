"""The errors that the soak test finds in deliveries to a webhook."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from loadtests import soak_webhooks
from loadtests.http_client import Address
from loadtests.soak_client import Observations, RetryingClient
from loadtests.soak_webhooks import Attempt, Portal, Receiver

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Portal]:
    receiver = Receiver(1)
    yield Portal(receiver, tmp_path / "keys.json")
    receiver.server_close()


def attempt(name: str, end: int, *, accepted: bool = True, game: str = "g") -> Attempt:
    return Attempt(0.0, name, game, end, name.encode(), accepted, 0.1)


def audit(portal: Portal, *attempts: Attempt) -> list[str]:
    """Audit the attempts; no request is sent unless an end is missing."""
    portal.receiver.attempts.extend(attempts)
    client = RetryingClient(Address("127.0.0.1", 1), Observations(), Random(1), 0.0)
    return portal.audit(client)


def test_ends_delivered_in_order_are_correct(portal: Portal) -> None:
    portal.ends = {"g": 2, "h": 1}
    first = [attempt("a", 1, accepted=False), attempt("a", 1), attempt("a", 1)]
    rest = [attempt("c", 1, game="h"), attempt("b", 2, accepted=False), attempt("b", 2)]
    assert audit(portal, *first, *rest) == []


def test_an_end_that_is_missing_is_found(
    portal: Portal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soak_webhooks, "_AUDIT_SECONDS", 0.0)
    portal.ends = {"g": 2}
    found = audit(portal, attempt("a", 1), attempt("b", 2, accepted=False))
    assert found == ["end 2 of g is not delivered"]


def test_an_end_that_comes_too_early_is_found(portal: Portal) -> None:
    found = audit(portal, attempt("a", 1, accepted=False), attempt("b", 2))
    assert found == ["end 2 of g came too early"]


def test_an_id_that_changes_is_found(portal: Portal) -> None:
    found = audit(portal, attempt("a", 1, accepted=False), attempt("b", 1))
    assert found == ["end 1 of g has 2 ids or bodies"]
