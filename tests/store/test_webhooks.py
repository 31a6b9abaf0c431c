"""The queues of webhooks, on every kind of server."""

import pytest

from service.store import webhooks
from service.store.redis import RedisStore
from service.store.webhooks import AttemptResult, NewDelivery, WebhookKey, Webhooks

KEY = WebhookKey("portal", "w1")
OTHER = WebhookKey("portal", "w2")
LEASE = 1000
LIFE = 3600


def delivery(number: int, subject: str = "game", player: str = "ada") -> NewDelivery:
    name = f"{subject}-{number}"
    return NewDelivery(name, subject, number, "game.over", player, b'"\xc3\xa9"')


def attempt(
    name: str, status: str, now: int, next_at: int = 0, number: int = 1
) -> AttemptResult:
    return AttemptResult(name, number, status, "200", now, next_at)


@pytest.fixture
def store(any_store: RedisStore) -> Webhooks:
    made = Webhooks(any_store.runner, game_life=LIFE)
    made.put(KEY, "one")
    return made


def claimed(store: Webhooks, now: int, key: WebhookKey = KEY) -> list[str]:
    return [name for name, _ in store.claim(key, now, 10, LEASE)[1]]


def test_webhooks_belong_to_a_tenant(store: Webhooks) -> None:
    store.put(OTHER, "two")
    assert sorted(store.of_tenant("portal")) == ["one", "two"]
    assert store.of_tenant("other") == []
    assert store.get(WebhookKey("other", "w1")) is None
    assert store.get(KEY) == "one"
    assert not store.delete(WebhookKey("other", "w1"))
    assert store.delete(KEY)
    assert store.of_tenant("portal") == ["two"]


def test_deliveries_of_a_subject_are_made_in_order(store: Webhooks) -> None:
    for each in (delivery(1), delivery(2), delivery(1, "other")):
        assert store.add(KEY, each, 5) == "added"
    assert store.due(4) == []
    assert store.due(5) == [KEY]
    text, found = store.claim(KEY, 5, 10, LEASE)
    assert text == "one"
    assert [name for name, _ in found] == ["game-1", "other-1"]
    first = found[0][1]
    assert (first.type, first.body, first.created_at) == ("game.over", '"é"', 5)
    assert (first.status, first.attempts, first.counts_from) == ("pending", 1, 5)
    assert store.due(5) == []
    assert claimed(store, 5) == []
    assert store.settle(KEY, attempt("game-1", "delivered", 6))
    assert store.settle(KEY, attempt("other-1", "pending", 6, 50))
    assert claimed(store, 6) == ["game-2"]
    assert store.settle(KEY, attempt("game-2", "failed", 7))
    assert store.due(49) == []
    assert claimed(store, 50) == ["other-1"]
    shown = dict(store.deliveries(KEY, 0, 10))
    assert {name: each.status for name, each in shown.items()} == {
        "game-1": "delivered",
        "game-2": "failed",
        "other-1": "pending",
    }
    assert shown["other-1"].attempts == 2
    assert [name for name, _ in store.deliveries(KEY, 1, 1)] == ["game-2"]


def test_an_end_is_queued_once(store: Webhooks) -> None:
    assert store.add(KEY, delivery(1), 5) == "added"
    assert store.add(KEY, delivery(1), 6) == "known"
    assert claimed(store, 6) == ["game-1"]
    store.settle(KEY, attempt("game-1", "delivered", 7))
    assert store.add(KEY, delivery(1), 8) == "known"
    assert store.add(KEY, delivery(2), 8) == "added"
    assert store.add(KEY, delivery(1), 8) == "known"
    assert store.add(OTHER, delivery(1), 5) == "gone"


def test_a_delivery_whose_lease_is_over_goes_to_another_sender(store: Webhooks) -> None:
    store.add(KEY, delivery(1), 0)
    assert claimed(store, 0) == ["game-1"]
    assert store.due(LEASE - 1) == []
    assert claimed(store, LEASE) == ["game-1"]
    # A failure of the first sender no longer counts, but its success does.
    assert not store.settle(KEY, attempt("game-1", "pending", LEASE, 9999))
    assert store.settle(KEY, attempt("game-1", "delivered", LEASE))
    assert not store.settle(KEY, attempt("game-1", "pending", LEASE, 9999, 2))
    assert store.due(99999) == []


def test_a_delivery_is_made_again_on_demand(store: Webhooks) -> None:
    assert store.redeliver(KEY, "game-1", 1) is None
    store.add(KEY, delivery(1), 0)
    assert claimed(store, 0) == ["game-1"]
    store.settle(KEY, attempt("game-1", "pending", 1, 500))
    again = store.redeliver(KEY, "game-1", 2)
    assert again is not None
    assert again.next_at == 2
    assert claimed(store, 2) == ["game-1"]
    store.settle(KEY, attempt("game-1", "failed", 3, number=2))
    store.add(KEY, delivery(2), 4)
    again = store.redeliver(KEY, "game-1", 5)
    assert again is not None
    assert (again.status, again.counts_from) == ("pending", 5)
    assert claimed(store, 5) == ["game-2"]
    store.settle(KEY, attempt("game-2", "delivered", 6))
    assert claimed(store, 6) == ["game-1"]


def test_pending_deliveries_fail_when_a_webhook_ends(store: Webhooks) -> None:
    store.add(KEY, delivery(1), 0)
    store.add(KEY, delivery(2), 0)
    assert store.end(KEY, "ended", "410", 9)
    assert store.get(KEY) == "ended"
    assert store.due(99) == []
    shown = store.deliveries(KEY, 0, 10)
    assert [(each.status, each.outcome) for _, each in shown] == [("failed", "410")] * 2
    assert not store.end(OTHER, "ended", "410", 9)
    assert store.get(OTHER) is None


def test_deleting_a_webhook_deletes_its_deliveries(store: Webhooks) -> None:
    store.add(KEY, delivery(1), 0)
    assert store.delete(KEY)
    assert store.due(99) == []
    assert store.claim(KEY, 99, 10, LEASE) == ("", [])
    assert store.deliveries(KEY, 0, 10) == []


def test_the_deliveries_of_a_player_are_deleted(store: Webhooks) -> None:
    for subject in range(300):
        store.add(KEY, delivery(1, f"bob{subject}", "bob"), 0)
    for number in (1, 2, 3):
        store.add(KEY, delivery(number, player="bob" if number == 2 else "ada"), 1)
    store.forget(KEY, "ada")
    names = [name for name, _ in store.deliveries(KEY, 0, 999)]
    assert len(names) == 301
    assert "game-2" in names
    store.forget(KEY, "bob")
    assert store.deliveries(KEY, 0, 999) == []
    assert store.due(99) == []
    assert store.add(KEY, delivery(3), 5) == "known"


def test_the_number_of_kept_deliveries_is_limited(
    store: Webhooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "MAX_WAITING_DELIVERIES", 3)
    monkeypatch.setattr(webhooks, "MAX_SETTLED", 2)
    states = [store.add(KEY, delivery(1, f"subject{n}"), n) for n in range(4)]
    assert states == ["added", "added", "added", "full"]
    for now, name in enumerate(claimed(store, 9), 10):
        store.settle(KEY, attempt(name, "delivered", now))
    assert [name for name, _ in store.deliveries(KEY, 0, 9)] == [
        "subject2-1",
        "subject1-1",
    ]
