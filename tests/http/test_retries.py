"""Repeated requests: each is done once and gets the same response."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import pytest

from service.store.keyspace import claim_name
from service.store.protocol import Claim, IdempotencyKey, StoreUnavailableError
from service.store.redis import ANSWER_LIFE_MS, CLAIM_LEASE_MS

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.store.redis import RedisStore
    from tests.http.client import Api, Reply
    from tests.servers import StoreServer

_DECK = ["4S", "7H", "QC", "4D", "KD"]
_MOVE = {"from": 3, "to": 0}
_KEY = {"Idempotency-Key": "a-key-of-some-length"}
_THREADS = 16
_LIFE, _LEASE = int(ANSWER_LIFE_MS), int(CLAIM_LEASE_MS)


def _post(
    api: Api, path: str, body: object, key: str = "a-key-of-some-length", **more: str
) -> Reply:
    return api.post(path, body, {"Idempotency-Key": key, **more})


def _moves(game: dict[str, Any]) -> str:
    return f"/v1/games/{game['id']}/moves"


def _is_replay(reply: Reply) -> bool:
    return reply.headers.get("Idempotent-Replayed") == "true"


def test_a_game_is_started_once(api: Api) -> None:
    first, again = (_post(api, "/v1/games", {"seed": "42"}) for _ in range(2))
    assert (first.status, again.status) == (201, 201)
    assert first.raw == again.raw
    assert not _is_replay(first)
    assert _is_replay(again)
    for name in ("ETag", "Location", "Content-Type", "Cache-Control"):
        assert first.headers[name] == again.headers[name]
    other = _post(api, "/v1/games", {"seed": "42"}, key="another-key-of-some-length")
    assert other.json["id"] != first.json["id"]


def test_a_move_is_made_once(api: Api) -> None:
    game = api.start(deck=_DECK)
    first, again = (_post(api, _moves(game), _MOVE) for _ in range(2))
    assert (first.status, again.status) == (200, 200)
    assert first.raw == again.raw
    assert _is_replay(again)
    assert api.get(f"/v1/games/{game['id']}").json["version"] == 2


def test_the_first_response_is_returned_even_after_other_writes(api: Api) -> None:
    game = api.start(deck=_DECK)
    first = _post(api, _moves(game), _MOVE)
    api.play(game, "undo")
    again = _post(api, _moves(game), _MOVE)
    assert again.raw == first.raw
    assert again.headers["ETag"] == '"2.2"'
    assert api.get(f"/v1/games/{game['id']}").json["version"] == 3


def test_a_response_without_a_body_is_returned_again(api: Api) -> None:
    game = api.start(deck=_DECK)
    first, again = (
        _post(api, _moves(game), _MOVE, Prefer="return=minimal") for _ in range(2)
    )
    assert (first.status, again.status) == (204, 204)
    assert again.headers["ETag"] == '"2.2"'
    assert _is_replay(again)


def test_a_refusal_is_returned_again(api: Api) -> None:
    game = api.start(deck=_DECK)
    refused = _post(api, _moves(game), {"from": 1, "to": 0})
    api.move(game, 3, 0)
    again = _post(api, _moves(game), {"from": 1, "to": 0})
    assert refused.slug == again.slug == "illegal-move"
    assert again.json["version"] == 1
    assert _is_replay(again)


@pytest.mark.parametrize("tags", ['"1"', '"0", "1"', '"1", "2"', 'W/"1", "1"', "*"])
@pytest.mark.parametrize("origin", [3, 1])
def test_a_response_is_returned_again_whatever_the_current_version(
    api: Api, tags: str, origin: int
) -> None:
    """The first request, or another one, has changed the version."""
    game = api.start(deck=_DECK)
    body, fields = {"from": origin, "to": 0}, {"If-Match": tags}
    first = _post(api, _moves(game), body, **fields)
    if first.status != 200:
        api.move(game, 3, 0)
    again = _post(api, _moves(game), body, **fields)
    assert again.raw == first.raw
    assert _is_replay(again)


def test_a_version_mismatch_is_not_stored(api: Api) -> None:
    game = api.start(deck=_DECK)
    replies = [
        _post(api, _moves(game), _MOVE, **{"If-Match": f'"{version}"'})
        for version in (9, 9, 1)
    ]
    assert [reply.status for reply in replies] == [412, 412, 200]
    assert not any(map(_is_replay, replies))


def test_an_invalid_request_can_be_corrected(api: Api) -> None:
    game = api.start(deck=_DECK)
    assert _post(api, _moves(game), {"from": "x"}).slug == "validation-error"
    assert _post(api, _moves(game), _MOVE).status == 200


def test_the_response_about_an_unknown_game_is_not_stored(api: Api) -> None:
    path = "/v1/games/AAAAAAAAAAAAAAAAAAAA/moves"
    replies = [_post(api, path, _MOVE) for _ in range(2)]
    assert [reply.slug for reply in replies] == ["game-not-found"] * 2
    assert not _is_replay(replies[1])


def test_a_key_is_for_one_body(api: Api) -> None:
    game = api.start(deck=_DECK)
    assert _post(api, _moves(game), _MOVE).status == 200
    other = _post(api, _moves(game), {"from": 3, "to": 2})
    assert (other.status, other.slug) == (422, "idempotency-key-reused")
    assert api.get(f"/v1/games/{game['id']}").json["version"] == 2


def test_a_key_is_for_one_path(api: Api) -> None:
    game = api.start(deck=_DECK)
    assert _post(api, f"/v1/games/{game['id']}/undo", {}).slug == "nothing-to-undo"
    reused = _post(api, f"/v1/games/{game['id']}/redo", {})
    assert reused.slug == "idempotency-key-reused"


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (b'{"from":3,"to":0}', b' {"to": 0, "from": 3}\n'),
        (b'{"from":3}', b'{"from" : 3}'),
    ],
)
def test_bodies_are_compared_as_json(api: Api, first: bytes, again: bytes) -> None:
    game = api.start(deck=_DECK)
    replies = [api.post_bytes(_moves(game), body, _KEY) for body in (first, again)]
    assert [reply.status for reply in replies] == [200, 200]
    assert _is_replay(replies[1])


def test_no_body_is_an_empty_object(api: Api) -> None:
    game = api.start(deck=_DECK)
    path = f"/v1/games/{game['id']}/finish"
    replies = [api.post_bytes(path, body, _KEY) for body in (b"", b"{}")]
    assert [reply.status for reply in replies] == [200, 200]
    assert _is_replay(replies[1])


@pytest.mark.parametrize("path", ["/v1/games", "moves"])
def test_a_repeated_request_about_a_deleted_game_is_a_404(api: Api, path: str) -> None:
    game = api.start(deck=_DECK)
    body: object = _MOVE
    if path == "/v1/games":
        body = {"deck": _DECK}
        game = _post(api, path, body).json
    else:
        path = _moves(game)
        assert _post(api, path, body).status == 200
    assert api.delete(f"/v1/games/{game['id']}").status == 204
    again = _post(api, path, body)
    assert (again.status, again.slug) == (404, "game-not-found")
    assert not _is_replay(again)


def test_a_key_used_for_one_game_is_unused_for_another(api: Api) -> None:
    one, two = api.start(deck=_DECK), api.start(deck=_DECK)
    assert not any(_is_replay(_post(api, _moves(game), _MOVE)) for game in (one, two))


@pytest.mark.parametrize("key", ["", "with space", "k" * 256, "é", "tab\there"])
def test_invalid_keys_are_refused(api: Api, key: str) -> None:
    reply = _post(api, "/v1/games", {}, key=key)
    assert (reply.status, reply.slug) == (422, "validation-error")


@pytest.mark.parametrize("length", [16, 255])
def test_the_shortest_and_the_longest_key(api: Api, length: int) -> None:
    key = "k" * length
    first, again = (_post(api, "/v1/games", {}, key=key) for _ in range(2))
    assert first.json == again.json


def test_without_api_keys_a_key_for_creating_must_be_long(api: Api) -> None:
    """Two clients that both send `1` must not get each other's game."""
    reply = _post(api, "/v1/games", {}, key="k" * 15)
    assert (reply.status, reply.slug) == (422, "validation-error")
    assert "16 to 255" in reply.json["detail"]
    game = api.start(deck=_DECK)
    assert _post(api, _moves(game), _MOVE, key="k").status == 200


def test_the_refusal_of_a_future_day_is_not_stored(api: Api) -> None:
    body = {"daily": "9000-01-01"}
    replies = [_post(api, "/v1/games", body) for _ in range(2)]
    assert [reply.slug for reply in replies] == ["not-yet", "not-yet"]
    assert not any(map(_is_replay, replies))


def _claim(store: RedisStore, body: object, note: str) -> Claim:
    """Claim a request that creates a game, as a worker would."""
    sent = f"POST /v1/games\0{json.dumps(body, sort_keys=True)}".encode()
    key = IdempotencyKey("", "", _KEY["Idempotency-Key"])
    claim = store.claim(key, blake2b(sent, digest_size=16).digest(), note.encode())
    assert isinstance(claim, Claim)
    return claim


def test_a_request_that_is_still_running(api: Api, store: RedisStore) -> None:
    claim = _claim(store, {"seed": "42"}, "some-game")
    reply = _post(api, "/v1/games", {"seed": "42"})
    assert (reply.status, reply.slug) == (409, "idempotency-in-flight")
    assert reply.headers["Retry-After"] == "1"
    other = _post(api, "/v1/games", {"seed": "43"})
    assert (other.status, other.slug) == (422, "idempotency-key-reused")
    store.release(claim)
    assert _post(api, "/v1/games", {"seed": "42"}).status == 201


def test_a_game_is_found_again_after_its_creator_crashed(
    api: Api, store: RedisStore, valkey_server: StoreServer
) -> None:
    """A killed request that had created its game leaves a claim with the game's id."""
    made = api.start(seed="42")
    claim = _claim(store, {"seed": "42"}, made["id"])
    assert _post(api, "/v1/games", {"seed": "42"}).slug == "idempotency-in-flight"
    with valkey_server.client() as client:
        client.pexpire(claim_name(claim.key), _LIFE - _LEASE - 1)
    reply = _post(api, "/v1/games", {"seed": "42"})
    assert reply.status == 201
    assert reply.json["id"] == made["id"]


def test_only_one_of_simultaneous_requests_is_done(
    make_api: Callable[..., Api],
) -> None:
    api = make_api(store_timeout=60)
    game = api.start(deck=_DECK)
    with ThreadPoolExecutor(_THREADS) as pool:
        replies = list(
            pool.map(lambda _: _post(api, _moves(game), _MOVE), range(_THREADS))
        )
    assert {reply.status for reply in replies} == {200}
    assert sum(not _is_replay(reply) for reply in replies) == 1
    assert len({reply.raw for reply in replies}) == 1
    assert api.get(f"/v1/games/{game['id']}").json["version"] == 2


def test_only_one_of_simultaneous_creations_is_done(api: Api) -> None:
    with ThreadPoolExecutor(_THREADS) as pool:
        replies = list(pool.map(lambda _: _post(api, "/v1/games", {}), range(_THREADS)))
    ids = {reply.json["id"] for reply in replies if reply.status == 201}
    assert len(ids) == 1
    assert all(
        reply.slug == "idempotency-in-flight"
        for reply in replies
        if reply.status != 201
    )


def test_a_game_whose_response_was_not_stored_is_not_created_again(
    api: Api,
    store: RedisStore,
    valkey_server: StoreServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The store becomes unreachable after the game is created, and then recovers."""

    def fail(*_args: object) -> bool:
        raise StoreUnavailableError("away")

    with monkeypatch.context() as patch:
        patch.setattr(store, "settle", fail)
        assert _post(api, "/v1/games", {}).slug == "store-unavailable"
    assert _post(api, "/v1/games", {}).slug == "idempotency-in-flight"
    with valkey_server.client() as client:
        (name,) = client.keys("i:*")
        client.pexpire(name, _LIFE - _LEASE - 1)
        assert _post(api, "/v1/games", {}).status == 201
        assert len(client.keys("g:*")) == 1
