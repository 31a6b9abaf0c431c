"""What a receiver gets, and when attempts are repeated."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from service.store.protocol import StoreUnavailableError
from service.webhooks.sender import next_attempt
from tests.http.client import validate

if TYPE_CHECKING:
    from service.games.game_end import GameEnd
    from service.webhooks.sender import Sender
    from tests.webhooks.conftest import Portal
    from tests.webhooks.receiver import Received, Receiver

DAY = 24 * 3600


def stamp(seconds: float) -> str:
    """Return the time `seconds` from now."""
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


def check_schema(message: Any, schema: str) -> None:  # noqa: ANN401
    validate(("components", "schemas", schema), message)


def all_delivered(portal: Portal, webhook: Any) -> bool:  # noqa: ANN401
    return set(portal.statuses(webhook)) == {"delivered"}


def test_the_end_of_a_game_is_delivered(portal: Portal, receiver: Receiver) -> None:
    webhook = portal.subscribe(receiver.url)
    game = portal.lose(player="é", reference="order-17")
    portal.send(lambda: all_delivered(portal, webhook))
    (request,) = receiver.received
    message = request.verify(webhook["secret"])
    check_schema(message, "GameOverMessage")
    assert (message["type"], message["timestamp"]) == ("game.over", game["ended_at"])
    data = message["data"]
    assert data["player"] == "é"
    assert "é".encode() in request.body
    assert (data["reference"], data["end"]) == ("order-17", 1)
    watched = portal.api.get(f"/v1/watch/{game['watch_id']}").json
    assert data == watched | {"reference": "order-17", "end": 1}
    assert game["id"].encode() not in request.body
    assert request.path == "/hook?from=service"
    assert request.headers["Content-Type"] == "application/json"
    (delivery,) = portal.deliveries(webhook)
    assert delivery["id"] == request.id
    assert (delivery["attempts"], delivery["last_outcome"]) == (1, "204")


def test_a_hidden_seed_is_not_delivered(portal: Portal, receiver: Receiver) -> None:
    webhook = portal.subscribe(receiver.url)
    game = portal.api.start(daily=True, variant="royal-marriage", player="Ada")
    assert game["options"]["layout"] == "stock"
    portal.api.play(game, "finish")
    portal.send(lambda: all_delivered(portal, webhook))
    data = receiver.received[0].verify(webhook["secret"])["data"]
    assert (data["status"], data["seed"]) == ("ended", None)
    assert data["commitment"] == game["commitment"]


def test_a_changed_body_does_not_verify(portal: Portal, receiver: Receiver) -> None:
    webhook = portal.subscribe(receiver.url)
    portal.lose(player="é")
    portal.send(lambda: bool(receiver.received))
    (request,) = receiver.received
    changed = request.body.replace("é".encode(), b"e")
    with pytest.raises(WebhookVerificationError):
        Webhook(webhook["secret"]).verify(changed, dict(request.headers))


def test_ends_of_a_game_are_delivered_in_order(
    portal: Portal, receiver: Receiver
) -> None:
    webhook = portal.subscribe(receiver.url)
    receiver.answer = lambda _request, count: 500 if count < 2 else 200
    game = portal.lose()
    again = portal.api.play(game, "undo").json
    while again["status"] == "playing":
        again = portal.api.play(again, "moves", **again["legal_moves"][-1]).json
    portal.send(lambda: receiver_has(receiver, 1))
    portal.pass_time(60)
    portal.send(lambda: receiver_has(receiver, 2))
    portal.pass_time(600)
    portal.send(lambda: all_delivered(portal, webhook))
    ends = [json.loads(each.body)["data"]["end"] for each in receiver.received]
    assert ends == [1, 1, 1, 2]
    first, *others = receiver.ids
    assert others[:2] == [first, first]
    assert others[2] != first


def receiver_has(receiver: Receiver, number: int) -> bool:
    return len(receiver.received) >= number


def test_pauses_between_attempts_grow_over_a_day() -> None:
    times, now = [0], 0
    while (after := next_attempt(0, now)) is not None:
        times.append(after)
        now = after
    pauses = [b - a for a, b in pairwise(times)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (2000, 6 * 3600 * 1000)
    assert len(times) == 13
    assert 20 * 3600 * 1000 < now <= DAY * 1000


def test_a_delivery_is_given_up_after_a_day(portal: Portal, receiver: Receiver) -> None:
    webhook = portal.subscribe(receiver.url)
    receiver.answer = lambda _request, _count: 503
    portal.lose()
    portal.send(lambda: receiver_has(receiver, 1))
    (waiting,) = portal.deliveries(webhook)
    assert (waiting["status"], waiting["last_outcome"]) == ("pending", "503")
    assert waiting["next_attempt_at"] > waiting["last_attempt_at"]
    portal.pass_time(600)
    portal.send(lambda: receiver_has(receiver, 2))
    portal.pass_time(DAY)
    portal.send(lambda: portal.statuses(webhook) == ["failed"])
    assert len(set(receiver.ids)) == 1
    assert len({each.body for each in receiver.received}) == 1
    again = f"/v1/webhooks/{webhook['id']}/deliveries/{receiver.ids[0]}/redeliver"
    receiver.answer = lambda _request, _count: 200
    assert portal.api.post(again).json["status"] == "pending"
    portal.send(lambda: all_delivered(portal, webhook))
    assert len(receiver.received) == 4
    assert len(set(receiver.ids)) == 1


def test_a_receiver_that_hangs_does_not_delay_others(
    portal: Portal, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.webhooks.post.SECONDS", 0.5)
    hanging = portal.subscribe(receiver.url.replace("hook", "hang"))
    other = portal.subscribe(receiver.url)
    receiver.answer = lambda request, _count: 0 if "hang" in request.path else 204
    for _ in range(20):
        portal.lose()
    portal.send(
        lambda: (
            all_delivered(portal, other)
            and any(d["last_outcome"] == "timeout" for d in portal.deliveries(hanging))
        )
    )
    assert set(portal.statuses(hanging)) == {"pending"}


def test_410_ends_the_webhook(portal: Portal, receiver: Receiver) -> None:
    webhook = portal.subscribe(receiver.url)
    path = f"/v1/webhooks/{webhook['id']}"
    receiver.answer = lambda _request, _count: 410
    portal.lose()
    portal.send(lambda: portal.statuses(webhook) == ["failed"])
    ended = portal.api.get(path).json
    assert ended["ended_at"] is not None
    portal.lose()
    assert portal.statuses(webhook) == ["failed"]
    again = f"{path}/deliveries/{receiver.ids[0]}/redeliver"
    assert portal.api.post(again).slug == "webhook-ended"
    assert len(receiver.received) == 1


def test_no_redirect_is_followed(portal: Portal, receiver: Receiver) -> None:
    webhook = portal.subscribe(receiver.url)
    receiver.answer = lambda _request, _count: 307
    portal.lose()
    portal.send(
        lambda: portal.deliveries(webhook)[0]["last_outcome"] == "307",
    )
    assert {each.path for each in receiver.received} == {"/hook?from=service"}
    assert portal.statuses(webhook) == ["pending"]


def test_two_secrets_are_valid_during_a_rotation(
    portal: Portal, receiver: Receiver
) -> None:
    webhook = portal.subscribe(receiver.url)
    path = f"/v1/webhooks/{webhook['id']}"
    old = webhook["secret"]
    rotated = portal.api.post(f"{path}/rotate-secret").json
    new = rotated["secret"]
    assert rotated["rotated_at"] is not None
    portal.lose()
    portal.send(lambda: receiver_has(receiver, 1))
    for secret in (old, new):
        assert receiver.received[0].verify(secret)["type"] == "game.over"
    newest = portal.api.post(f"{path}/rotate-secret").json["secret"]
    portal.lose()
    portal.send(lambda: receiver_has(receiver, 2))
    assert verifies(receiver.received[1], old, new, newest) == [False, True, True]
    portal.pass_time(DAY)
    portal.lose()
    portal.send(lambda: receiver_has(receiver, 3))
    signature = receiver.received[2].headers["webhook-signature"]
    assert len(signature.split()) == 1


def verifies(request: Received, *secrets: str) -> list[bool]:
    def does(secret: str) -> bool:
        try:
            request.verify(secret)
        except WebhookVerificationError:
            return False
        return True

    return [does(secret) for secret in secrets]


def test_several_senders_share_the_work(portal: Portal, receiver: Receiver) -> None:
    webhook = portal.subscribe(receiver.url)
    for _ in range(30):
        portal.lose()
    senders: list[Sender] = [portal.sender() for _ in range(3)]
    portal.send(lambda: receiver_has(receiver, 30), *senders)
    assert len(set(receiver.ids)) == len(receiver.ids) == 30
    assert all_delivered(portal, webhook)


def test_an_end_that_was_not_queued_is_found_later(
    portal: Portal, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook = portal.subscribe(receiver.url)

    def fail(_self: object, _end: GameEnd) -> None:
        raise StoreUnavailableError("away")

    with monkeypatch.context() as patch:
        patch.setattr("service.games.webhooks.WebhookQueue.handle", fail)
        portal.lose(reference="lost")
    assert portal.deliveries(webhook) == []
    portal.pass_time(60)
    portal.cases.ends.sweep()  # as each worker does every few seconds
    portal.cases.ends.sweep()
    portal.send(lambda: receiver_has(receiver, 1))
    message = json.loads(receiver.received[0].body)
    assert message["data"]["reference"] == "lost"
    assert len(portal.deliveries(webhook)) == 1


def test_the_closing_of_an_event_is_delivered(
    portal: Portal, receiver: Receiver
) -> None:
    webhook = portal.subscribe(receiver.url, "event.closed")
    body = {"name": "Cup", "opens_at": stamp(0), "closes_at": stamp(3600)}
    event, deleted, kept_open = (
        portal.api.post("/v1/events", body | {"closes_at": stamp(seconds)}).json
        for seconds in (3600, 3601, 7200)
    )
    assert kept_open["seed"] is None
    portal.api.delete(f"/v1/events/{deleted['id']}")
    portal.lose()
    portal.pass_time(3660)
    portal.send(lambda: receiver_has(receiver, 1))
    message = json.loads(receiver.received[0].body)
    check_schema(message, "EventClosedMessage")
    assert (message["type"], message["timestamp"]) == (
        "event.closed",
        event["closes_at"],
    )
    shown = portal.api.get(f"/v1/events/{event['id']}").json
    assert message["data"] == shown
    assert shown["seed"] is not None
    assert len(portal.deliveries(webhook)) == 1
