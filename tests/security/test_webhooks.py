"""Webhooks: each tenant has its own, for hosts that the operator allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from service.games.webhooks import WebhookQueue
from service.store.webhooks import NewDelivery, WebhookKey, Webhooks
from tests.security.conftest import bearer_fields

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from service.store.redis import RedisStore
    from tests.http.client import Api

PATH = "/v1/webhooks"
WEBHOOK = {"url": "https://portal.example.org/hook", "events": ["game.over"]}
HOSTS = ("portal.example.org", "private:localhost")
NEW_GAME = {"variant": "late-binding", "seed": "3"}


@pytest.fixture
def portal(new_key: Callable[..., str]) -> dict[str, str]:
    return bearer_fields(new_key("portal"))


@pytest.fixture
def api(make_api: Callable[..., Api], keys_file: Path, portal: dict[str, str]) -> Api:
    assert portal
    return make_api(api_keys_file=keys_file, webhooks=HOSTS, store_timeout=5.0)


def create(api: Api, portal: dict[str, str], **more: object) -> Any:  # noqa: ANN401
    reply = api.post(PATH, WEBHOOK | more, portal)
    assert reply.status == 201, reply.raw
    assert reply.headers["Location"] == f"{PATH}/{reply.json['id']}"
    return reply.json


def lose(api: Api, portal: dict[str, str], **body: object) -> Any:  # noqa: ANN401
    game = api.post("/v1/games", NEW_GAME | body, portal).json
    path = f"/v1/games/{game['id']}"
    while game["status"] == "playing":
        game = api.post(f"{path}/moves", game["legal_moves"][-1]).json
    return game


def test_the_secret_is_shown_once(api: Api, portal: dict[str, str]) -> None:
    made = create(api, portal)
    secret = made.pop("secret")
    assert secret.startswith("whsec_")
    assert made["events"] == ["game.over"]
    assert api.get(f"{PATH}/{made['id']}", portal).json == made
    assert api.get(PATH, portal).json == {"webhooks": [made]}
    rotated = api.post(f"{PATH}/{made['id']}/rotate-secret", headers=portal).json
    assert rotated["secret"] != secret
    assert rotated["rotated_at"] is not None
    assert secret.encode() not in api.get(PATH, portal).raw


def test_webhooks_belong_to_a_tenant(
    api: Api, portal: dict[str, str], new_key: Callable[..., str]
) -> None:
    other = bearer_fields(new_key("other"))
    path = f"{PATH}/{create(api, portal)['id']}"
    lose(api, portal)
    (delivery,) = api.get(f"{path}/deliveries", portal).json["deliveries"]
    again = f"{path}/deliveries/{delivery['id']}/redeliver"
    assert api.get(PATH, other).json == {"webhooks": []}
    for reply in (
        api.get(path, other),
        api.delete(path, other),
        api.get(f"{path}/deliveries", other),
        api.post(f"{path}/rotate-secret", headers=other),
        api.post(again, headers=other),
    ):
        assert (reply.status, reply.slug) == (404, "webhook-not-found")
    lose(api, other)
    assert len(api.get(f"{path}/deliveries", portal).json["deliveries"]) == 1
    missing = api.post(f"{path}/deliveries/msg_x/redeliver", headers=portal)
    assert (missing.status, missing.slug) == (404, "delivery-not-found")
    assert api.post(again, headers=portal).status == 202
    assert api.delete(path, portal).status == 204
    assert api.get(path, portal).status == 404
    assert api.delete(path, portal).status == 404
    assert api.get(PATH).status == 401


@pytest.mark.parametrize(
    ("more", "pointer"),
    [
        ({"url": "https://elsewhere.example.org/"}, "/url"),
        ({"url": "http://portal.example.org/"}, "/url"),
        ({"url": "https://portal.example.org:0/"}, "/url"),
        ({"url": "https://portal.example.org:99999/"}, "/url"),
        ({"url": "https://user@portal.example.org/"}, "/url"),
        ({"url": "https://portal.example.org/#part"}, "/url"),
        ({"url": "https://portal.example.org/a b"}, "/url"),
        ({"url": "https://portal.example.org/é"}, "/url"),
        ({"url": "https://[::1"}, "/url"),
        ({"url": "https://127.0.0.1/"}, "/url"),
        ({"url": "file:///etc/passwd"}, "/url"),
        ({"url": 7}, "/url"),
        ({"events": []}, "/events"),
        ({"events": "game.over"}, "/events"),
        ({"events": ["game.over", "game.over"]}, "/events"),
        ({"events": ["game.over", "game.begun"]}, "/events/1"),
        ({"secret": "whsec_x"}, "/secret"),
    ],
)
def test_invalid_webhooks_are_refused(
    api: Api, portal: dict[str, str], more: dict[str, object], pointer: str
) -> None:
    assert set(api.post(PATH, WEBHOOK | more, portal).faults) == {pointer}
    assert api.get(PATH, portal).json == {"webhooks": []}


def test_a_tenant_can_have_ten_webhooks(api: Api, portal: dict[str, str]) -> None:
    for _ in range(10):
        create(api, portal)
    reply = api.post(PATH, WEBHOOK, portal)
    assert (reply.status, reply.slug) == (409, "too-many-webhooks")


def test_a_repeated_request_creates_one_webhook(
    api: Api, portal: dict[str, str]
) -> None:
    fields = portal | {"Idempotency-Key": "0123456789abcdef"}
    first, second = (api.post(PATH, WEBHOOK, fields) for _ in range(2))
    assert second.json == first.json
    assert second.headers["Idempotent-Replayed"] == "true"
    assert len(api.get(PATH, portal).json["webhooks"]) == 1
    changed = api.post(PATH, WEBHOOK | {"events": ["event.closed"]}, fields)
    assert changed.slug == "idempotency-key-reused"
    refused = api.post(PATH, {}, portal | {"Idempotency-Key": "fedcba9876543210"})
    assert refused.slug == "validation-error"
    rotate = f"{PATH}/{first.json['id']}/rotate-secret"
    secrets = {api.post(rotate, headers=fields).json.get("secret") for _ in range(2)}
    assert secrets == {None}  # the key was used for another request
    fields = portal | {"Idempotency-Key": "another-request-1"}
    secrets = {api.post(rotate, headers=fields).json["secret"] for _ in range(2)}
    assert len(secrets) == 1


def test_deliveries_are_listed_in_pages(
    api: Api, portal: dict[str, str], store: RedisStore
) -> None:
    made = create(api, portal)
    webhooks = Webhooks(store.runner, game_life=60)
    key = WebhookKey("portal", made["id"])
    for number in range(5):
        new = NewDelivery(f"m{number}", f"l{number}", 1, "game.over", "", b"{}")
        webhooks.add(key, new, number)
    path, ids = f"{PATH}/{made['id']}/deliveries?limit=2", []
    for _ in range(3):
        page = api.get(path, portal)
        ids += [delivery["id"] for delivery in page.json["deliveries"]]
        path = page.headers.get("Link", "").partition(">")[0].removeprefix("<")
    assert ids == ["m4", "m3", "m2", "m1", "m0"]
    assert path == ""
    wrong = api.get(f"{PATH}/{made['id']}/deliveries?cursor=!", portal)
    assert set(wrong.faults) == {"/cursor"}


def test_erasing_a_player_erases_the_pending_deliveries(
    api: Api, portal: dict[str, str], store: RedisStore
) -> None:
    path = f"{PATH}/{create(api, portal)['id']}/deliveries"
    lose(api, portal, player="Ada")
    lose(api, portal, player="Bob")
    assert len(api.get(path, portal).json["deliveries"]) == 2
    assert api.delete("/v1/players/ADA", portal).status == 204
    (left,) = api.get(path, portal).json["deliveries"]
    found = Webhooks(store.runner, game_life=60).deliveries(
        WebhookKey("portal", path.split("/")[3]), 0, 9
    )
    assert [(name, each.player) for name, each in found] == [(left["id"], "bob")]


def test_without_the_setting_no_host_is_allowed(
    make_api: Callable[..., Api], keys_file: Path, portal: dict[str, str]
) -> None:
    api = make_api(api_keys_file=keys_file)
    assert set(api.post(PATH, WEBHOOK, portal).faults) == {"/url"}
    assert api.get(PATH, portal).json == {"webhooks": []}


def test_without_keys_webhooks_are_refused(
    make_api: Callable[..., Api], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: object) -> None:
        raise AssertionError

    monkeypatch.setattr(WebhookQueue, "handle", fail)
    api = make_api(webhooks=HOSTS)
    path = f"{PATH}/x"
    for reply in (
        api.post(PATH, WEBHOOK),
        api.get(PATH),
        api.get(path),
        api.delete(path),
        api.post(f"{path}/rotate-secret"),
        api.get(f"{path}/deliveries"),
        api.post(f"{path}/deliveries/y/redeliver"),
    ):
        assert (reply.status, reply.slug) == (403, "key-required")
    lose(api, {})
