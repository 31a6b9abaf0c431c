"""Events: the tournaments of a tenant."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from service.config import Settings
from service.engine.variants import VARIANTS
from service.games.certified_deals import CertifiedDeal, certify
from service.games.use_cases import make_use_cases
from service.solver import Grade
from tests.security.conftest import bearer_fields

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from service.store.redis import RedisStore
    from tests.http.client import Api, Reply

OPENS, CLOSES = "2026-12-01T09:00:00.000Z", "2026-12-02T09:00:00.000Z"
EVENT = {
    "name": "Spring cup",
    "variant": "late-binding",
    "opens_at": "2026-12-01T10:00:00+01:00",
    "closes_at": CLOSES,
}


class Portal:
    """A portal, and its service with a settable clock."""

    def __init__(
        self,
        make_api: Callable[[], Api],
        key: str,
        patch: pytest.MonkeyPatch,
        store: RedisStore,
    ) -> None:
        self.store = store
        self.now = 0
        patch.setattr("service.http.app.now", lambda: self.now)
        self.set_time(OPENS)
        self.api, self.key = make_api(), bearer_fields(key)

    def set_time(self, text: str) -> None:
        self.now = round(datetime.fromisoformat(text).timestamp() * 1000)

    def create(self, **more: object) -> Any:  # noqa: ANN401
        reply = self.api.post("/v1/events", EVENT | more, self.key)
        assert reply.status == 201, reply.raw
        assert reply.headers["Location"] == f"/v1/events/{reply.json['id']}"
        return reply.json

    def start(self, event: dict[str, Any], player: str) -> Reply:
        body = {"event": event["id"], "player": player}
        return self.api.post("/v1/games", body, self.key)

    def lose(self, game: dict[str, Any]) -> Any:  # noqa: ANN401
        path = f"/v1/games/{game['id']}"
        while game["status"] == "playing":
            game = self.api.post(f"{path}/moves", game["legal_moves"][-1]).json
        return game

    def board(self, event: dict[str, Any]) -> Any:  # noqa: ANN401
        return self.api.get(f"/v1/leaderboards/events/{event['id']}", self.key).json


@pytest.fixture
def portal(
    make_api: Callable[..., Api],
    new_key: Callable[..., str],
    keys_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    store: RedisStore,
) -> Portal:
    key = new_key("portal")
    return Portal(lambda: make_api(api_keys_file=keys_file), key, monkeypatch, store)


def test_an_event_is_played_while_it_is_open(portal: Portal) -> None:
    event = portal.create()
    assert (event["opens_at"], event["closes_at"]) == (OPENS, CLOSES)
    assert event["seed"] is None
    portal.set_time("2026-12-01T08:59:59.999Z")
    assert portal.start(event, "Ada").slug == "event-not-open"
    portal.set_time(OPENS)
    games = [portal.start(event, player).json for player in ("Ada", "Bob", "Eve")]
    assert len({tuple(game["row"]) for game in games}) == 1
    assert [game["ranked"] for game in games] == [True, True, True]
    assert games[0]["event"] == event["id"]
    portal.lose(games[0])
    portal.set_time("2026-12-02T08:59:59.999Z")
    portal.lose(games[1])
    portal.set_time(CLOSES)
    late = portal.lose(games[2])
    assert late["unranked_reason"] == "closed"
    assert portal.start(event, "Zoe").slug == "event-not-open"
    board = portal.board(event)
    assert board["closes_at"] == CLOSES
    assert [entry["player"] for entry in board["entries"]] == ["Ada", "Bob"]
    around = portal.api.get(f"/v1/games/{games[1]['id']}/leaderboard").json
    assert [entry["player"] for entry in around["entries"]] == ["Ada", "Bob"]
    shown = portal.api.get(f"/v1/events/{event['id']}", portal.key).json
    seed = shown["seed"]
    dealt = portal.api.get(f"/v1/deals?variant=late-binding&seed={seed}").json
    assert dealt["cards"] == games[0]["row"]


def test_attempts_count_starts_of_a_player(portal: Portal) -> None:
    event = portal.create(attempts=2)
    answers = [portal.start(event, name) for name in ("Ada", "ADA", "ada", "Bob")]
    assert [answer.status for answer in answers] == [201, 201, 409, 201]
    assert answers[2].slug == "no-attempts-left"


def _send(portal: Portal, path: str, body: object, key: str) -> Reply:
    return portal.api.post(path, body, portal.key | {"Idempotency-Key": key})


def test_an_event_is_created_once(portal: Portal) -> None:
    first, again = (_send(portal, "/v1/events", EVENT, "k") for _ in range(2))
    assert (first.status, again.status) == (201, 201)
    assert first.raw == again.raw
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["Idempotent-Replayed"] == "true"
    assert len(portal.api.get("/v1/events", portal.key).json["events"]) == 1
    other = _send(portal, "/v1/events", EVENT | {"name": "Autumn cup"}, "k")
    assert (other.status, other.slug) == (422, "idempotency-key-reused")
    portal.api.delete(f"/v1/events/{first.json['id']}", portal.key)
    gone = _send(portal, "/v1/events", EVENT, "k")
    assert (gone.status, gone.slug) == (404, "event-not-found")


def test_an_event_is_not_created_again_after_its_creator_crashed(
    portal: Portal,
) -> None:
    """The worker that takes over the request has the same id, and finds the event."""
    events = make_use_cases(
        Settings(), portal.store, portal.store.runner, lambda: portal.now
    ).events
    made = portal.create()
    event = events.get("portal", made["id"])
    assert events.create("portal", replace(event, seed=""), event.id) == event


def test_a_start_that_was_refused_is_refused_again(portal: Portal) -> None:
    event = portal.create(attempts=1)
    body = {"event": event["id"], "player": "Ada"}
    first, again = (_send(portal, "/v1/games", body, "one") for _ in range(2))
    assert (first.status, again.raw) == (201, first.raw)
    refused, same = (_send(portal, "/v1/games", body, "two") for _ in range(2))
    assert refused.slug == same.slug == "no-attempts-left"
    assert same.headers["Idempotent-Replayed"] == "true"


def test_the_games_of_an_event_have_its_options(portal: Portal) -> None:
    options = {"layout": "stock", "undo": "none", "hints": "none"}
    event = portal.create(options=options, seed="mine")
    game = portal.start(event, "Ada").json
    assert game["options"] == options | {"compulsory": False}
    assert game["ranked"]
    assert game["seed"] is None
    path = f"/v1/games/{game['id']}"
    assert portal.api.post(f"{path}/hint").slug == "hints-not-allowed"
    assert portal.api.post(f"{path}/solution").slug == "hints-not-allowed"
    ended = portal.api.post(f"{path}/finish").json
    assert ended["seed"] is None
    portal.set_time(CLOSES)
    shown = portal.api.get(path)
    assert (shown.json["seed"], shown.headers["ETag"]) == ("mine", '"2.2.open"')


def test_the_deal_of_an_event_can_be_of_a_grade(portal: Portal) -> None:
    event = portal.create(variant="accordion", difficulty="hard")
    game = portal.start(event, "Ada").json
    seed = portal.api.post(f"/v1/games/{game['id']}/finish").json["seed"]
    assert certify(VARIANTS["accordion"], seed) == CertifiedDeal(seed, Grade.HARD)


def test_events_belong_to_a_tenant(portal: Portal, new_key: Callable[..., str]) -> None:
    other = bearer_fields(new_key("other"))
    event = portal.create()
    api, path = portal.api, f"/v1/events/{event['id']}"
    assert api.get("/v1/events", portal.key).json == {"events": [event]}
    assert api.get("/v1/events", other).json == {"events": []}
    board = f"/v1/leaderboards/events/{event['id']}"
    for reply in (
        api.get(path, other),
        api.delete(path, other),
        api.get(board, other),
        api.post("/v1/games", {"event": event["id"], "player": "x"}, other),
    ):
        assert (reply.status, reply.slug) == (404, "event-not-found")
    assert api.get(path).status == 401
    assert api.delete(path, portal.key).status == 204
    assert api.get(path, portal.key).slug == "event-not-found"
    assert portal.start(event, "Ada").slug == "event-not-found"


@pytest.mark.parametrize(
    ("more", "pointer"),
    [
        ({"name": " "}, "/name"),
        ({"closes_at": EVENT["opens_at"]}, "/closes_at"),
        ({"closes_at": "2027-12-01T09:00:00Z"}, "/closes_at"),
        ({"opens_at": "2026-12-01"}, "/opens_at"),
        ({"opens_at": 7}, "/opens_at"),
        ({"attempts": 0}, "/attempts"),
        ({"deck": []}, "/deck"),
    ],
)
def test_invalid_events_are_refused(
    portal: Portal, more: dict[str, object], pointer: str
) -> None:
    reply = portal.api.post("/v1/events", EVENT | more, portal.key)
    assert set(reply.faults) == {pointer}


@pytest.mark.parametrize(
    ("more", "pointer"),
    [({"seed": "1"}, "/seed"), ({"options": {}}, "/options"), ({}, "/event")],
)
def test_invalid_games_of_an_event_are_refused(
    portal: Portal, more: dict[str, object], pointer: str
) -> None:
    body = {"event": "x", "player": "Ada"} | more
    if not more:
        del body["player"]
    reply = portal.api.post("/v1/games", body, portal.key)
    assert set(reply.faults) == {pointer}


def test_without_keys_events_are_only_read(make_api: Callable[..., Api]) -> None:
    api = make_api()
    assert api.get("/v1/events").json == {"events": []}
    for reply in (api.post("/v1/events", EVENT), api.delete("/v1/events/x")):
        assert (reply.status, reply.slug) == (403, "key-required")
