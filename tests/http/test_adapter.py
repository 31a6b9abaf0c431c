"""The path of a request: the adapter, the middleware, the operation."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from service.config import Settings
from service.engine.play import Play
from service.http.adapter import ARRIVED
from service.http.app import create_app, list_routes
from service.http.request import Request
from service.metrics import REGISTRY
from service.store.protocol import StoreUnavailableError
from tests.http.client import Api

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.engine.position import Move
    from service.http.reply import Reply as HttpReply
    from service.store.protocol import Answered, Done, GameKey, Gone, KeptAnswer, Stale
    from service.store.redis import RedisStore

JSON = {"Content-Type": "application/json"}
ROW = ["4S", "7H", "QC", "4D", "KD"]
"""The worked example of the rules: 3-0 and 4-3 are legal; after 3-0, 3-0 again."""
MOVE = b'{"from":3,"to":0}'


# --- operations are plain functions


def call(
    store: RedisStore,
    name: str,
    body: object = None,
    **request: Any,  # noqa: ANN401
) -> HttpReply:
    """Call an operation as a plain function."""
    routes = {one.operation.name: one for one in list_routes(Settings(), store)}
    route = routes[name]
    data = b"" if body is None else json.dumps(body).encode()
    return route.handle(
        Request(
            method=route.method,
            path=route.path,
            route=route,
            read_body=lambda: data,
            **{"fields": JSON, **request},
        )
    )


def test_a_loaded_body_is_immutable(store: RedisStore) -> None:
    """So that requests with the same body can share it."""
    for route in list_routes(Settings(), store):
        body = route.operation.body
        for example in body.examples.values() if body else ():
            loaded = route.operation.load_body(msgspec.json.encode(example), JSON)
            assert loaded == {} or isinstance(hash(loaded), int)


def test_a_game_is_played_by_calling_operations(store: RedisStore) -> None:
    created = call(store, "createGame", {"deck": ROW}, prefix="/cards")
    game = json.loads(created.body)
    assert created.status == 201
    assert created.fields["Location"] == f"/cards/v1/games/{game['id']}"
    values = {"game_id": game["id"]}
    moved = call(store, "makeMove", {"from": 3, "to": 0}, values=values)
    assert json.loads(moved.body)["row"] == ["4D", "7H", "QC", "KD"]
    shown = call(store, "getGame", values=values, fields={"If-None-Match": '"2.2"'})
    assert (shown.status, shown.body) == (304, b"")


# --- routing


@pytest.mark.parametrize(
    ("host", "status"),
    [
        *[("localhost:8000", 200), ("127.0.0.1", 200), ("[::1]:80", 200), ("", 200)],
        *[("a_b.example", 200), ("example.org.", 200), ("x.y." * 200, 200)],
        *[(".", 400), ("a..b", 400), ("x" * 64 + ".org", 400), ("a b", 400)],
    ],
)
def test_a_host_is_checked(api: Api, host: str, status: int) -> None:
    path = f"/v1/games/{api.start(deck=ROW)['id']}"
    assert api.get(path, {"Host": host}).status == status


@pytest.mark.parametrize(
    ("method", "path", "status", "allow"),
    [
        ("GET", "/v1/games", 405, "OPTIONS, POST"),
        ("OPTIONS", "/v1/games", 204, "OPTIONS, POST"),
        ("OPTIONS", "/v1/games/x", 204, "DELETE, GET, HEAD, OPTIONS"),
        ("OPTIONS", "/v1/none", 404, None),
        ("HEAD", "/v1/variants", 200, None),
        ("GET", "/v1/variants/", 404, None),
        ("GET", "//v1/variants", 404, None),
        ("GET", "/v1//variants", 404, None),
        ("GET", "/v1/variants/%C3%A9", 404, None),
        ("GET", "/v1/variants/%FF", 404, None),
        ("GET", "/static/none.css", 404, None),
        ("GET", "/static/docs.css", 200, None),
    ],
)
def test_methods_and_paths(
    api: Api, method: str, path: str, status: int, allow: str | None
) -> None:
    reply = api.ask(method, path)
    assert reply.status == status
    assert reply.headers.get("Allow") == allow
    assert (reply.raw == b"") == (method in {"HEAD", "OPTIONS"} and status < 300)


def test_head_has_the_length_of_get(api: Api) -> None:
    head, get = api.ask("HEAD", "/v1/variants"), api.get("/v1/variants")
    assert head.headers["Content-Length"] == str(len(get.raw))


def test_the_prefix_of_a_mounted_service_is_in_every_path_of_a_response(
    api: Api,
) -> None:
    mounted = {"SCRIPT_NAME": "/cards"}
    created = api.ask("POST", "/v1/games", b"{}", JSON, environ_overrides=mounted)
    assert created.headers["Location"].startswith("/cards/v1/games/")
    missing = api.ask("GET", "/v1/games/none", environ_overrides=mounted)
    assert missing.json["instance"] == "/cards/v1/games/none"


def test_a_path_is_shown_in_utf_8(api: Api) -> None:
    assert api.get("/v1/é").json["instance"] == "/v1/%C3%A9"


def test_flask_lists_the_routes_and_dispatches_nothing(store: RedisStore) -> None:
    app = create_app(Settings(), store)
    app.before_request(lambda: pytest.fail("Flask dispatched a request"))
    rules = {rule.rule for rule in app.url_map.iter_rules()}
    assert "/v1/games/<game_id>/moves" in rules
    for path in ("/v1/variants", "/v1/none", "/docs", "/static/docs.css"):
        app.test_client().get(path)


def test_an_unchanged_asset_is_a_304(api: Api) -> None:
    tag = api.get("/static/docs.css").headers["ETag"]
    again = api.get("/static/docs.css", {"If-None-Match": tag})
    assert (again.status, again.raw) == (304, b"")


def test_an_unchanged_page_keeps_its_policy(api: Api) -> None:
    first = api.get("/")
    again = api.get("/", {"If-None-Match": first.headers["ETag"]})
    assert again.status == 304
    name = "Content-Security-Policy"
    assert again.headers[name] == first.headers[name]
    assert "script-src 'self'" in again.headers[name]


@pytest.mark.parametrize("path", ["/docs", "/problems", "/livez", "/static/docs.css"])
def test_a_query_outside_v1_is_ignored(api: Api, path: str) -> None:
    assert api.get(f"{path}?utm_source=portal").status == 200
    assert api.get("/v1/variants?utm_source=portal").status == 422


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_body_of_a_get_or_delete_is_refused(api: Api, method: str) -> None:
    path = f"/v1/games/{api.start(deck=ROW)['id']}"
    reply = api.ask(method, path, b"{}", JSON)
    assert (reply.status, reply.slug) == (400, "malformed-request")
    assert api.get(path).status == 200


# --- middleware


def test_a_watch_id_allows_no_writes(api: Api) -> None:
    path = f"/v1/watch/{api.start(deck=ROW)['watch_id']}"
    for what in ("moves", "hint"):
        assert api.ask("POST", f"{path}/{what}", b"{}", JSON).status == 404
    assert api.ask("POST", path, b"{}", JSON).status == 405


def test_the_request_id_of_the_client_is_returned(api: Api) -> None:
    path = f"/v1/games/{api.start(deck=ROW)['id']}"
    assert api.get(path, {"X-Request-ID": "mine"}).headers["X-Request-ID"] == "mine"
    replies = [api.get(path), api.get(path), api.get(path, {"X-Request-ID": "no id!"})]
    assert len({reply.headers["X-Request-ID"] for reply in replies} - {"no id!"}) == 3


def test_a_request_is_timed_from_its_arrival(api: Api) -> None:
    name, labels = "accordion_request_duration_seconds_sum", {"operation": "getDocs"}
    before = REGISTRY.get_sample_value(name, labels) or 0.0
    api.ask("GET", "/docs", environ_overrides={ARRIVED: perf_counter() - 1000})
    assert (REGISTRY.get_sample_value(name, labels) or 0.0) - before >= 1000


@pytest.mark.parametrize("broken", ["authentication", "rate_limit", "header_fields"])
def test_an_error_of_the_middleware_is_a_problem_with_all_fields(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def make_failing(*_: object, **__: object) -> Callable[..., object]:
        def wrap(_handler: object) -> Callable[..., object]:
            def handle(_request: object) -> object:
                raise RuntimeError("a secret")

            return handle

        return wrap

    monkeypatch.setattr(f"service.http.app.{broken}", make_failing)
    monkeypatch.setattr("service.http.app.Keys", lambda _: None)
    settings = Settings(
        api_keys_file=Path("keys") if broken == "authentication" else None,
        id_rate_limit=None,
        rate_limit="9/day",
    )
    reply = Api(create_app(settings, store)).get("/v1/variants")
    assert (reply.status, reply.slug) == (500, "internal-error")
    assert b"secret" not in reply.raw
    assert reply.headers["X-Request-ID"]
    if broken != "header_fields":
        assert reply.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("fields", "move", "status"),
    [
        ({"If-Match": '"9"'}, {"from": 2, "to": 0}, 412),
        ({}, {"from": 2, "to": 0}, 428),
        ({"If-Match": '"1"'}, {"from": 2, "to": 0}, 409),
    ],
)
def test_conditions_are_checked_before_the_rules(
    make_api: Callable[..., Api], fields: dict[str, str], move: object, status: int
) -> None:
    api = make_api(require_if_match=True)
    path = f"/v1/games/{api.start(deck=ROW)['id']}/moves"
    assert api.post(path, move, fields).status == status


# --- calls of the store


class CountingStore:
    """A store that records its calls, and may lose the response to a write."""

    def __init__(self, store: RedisStore, *, loses_responses: bool = False) -> None:
        self._store, self._loses_responses = store, loses_responses
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        found = getattr(self._store, name)

        def ask(*args: object, **more: object) -> object:
            self.calls.append(name)
            return found(*args, **more)

        return ask

    def replace(
        self,
        key: GameKey,
        expected: int,
        payload: bytes,
        known: bytes = b"",
        answer: KeptAnswer | None = None,
    ) -> Done | Stale | Gone | Answered:
        self.calls.append("replace")
        found = self._store.replace(key, expected, payload, known, answer)
        if self._loses_responses:
            raise StoreUnavailableError("the answer was lost")
        return found


def test_a_write_that_may_have_been_made_is_not_made_again(store: RedisStore) -> None:
    counting = CountingStore(store, loses_responses=True)
    api = Api(create_app(Settings(), counting))
    path = f"/v1/games/{api.start(deck=ROW)['id']}"
    assert api.post_bytes(f"{path}/moves", MOVE).status == 503
    assert counting.calls == ["create", "replace"]
    assert api.get(path).json["version"] == 2


@pytest.mark.parametrize(
    ("fields", "calls"),
    [
        ({}, ["replace"]),
        ({"If-Match": '"1"'}, ["replace"]),
        ({"Idempotency-Key": "a-key"}, ["replace"]),
    ],
)
def test_a_move_takes_one_call_of_the_store(
    store: RedisStore, fields: dict[str, str], calls: list[str]
) -> None:
    counting = CountingStore(store)
    api = Api(create_app(Settings(), counting))
    path = f"/v1/games/{api.start(deck=ROW)['id']}/moves"
    counting.calls.clear()
    assert api.post_bytes(path, MOVE, fields).status == 200
    assert counting.calls == calls


def test_an_illegal_move_is_checked_once(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves: list[Move] = []
    move = Play.move

    def record_move(play: Play, tried_move: Move) -> Play:
        moves.append(tried_move)
        return move(play, tried_move)

    monkeypatch.setattr(Play, "move", record_move)
    counting = CountingStore(store)
    api = Api(create_app(Settings(), counting))
    path = f"/v1/games/{api.start(deck=ROW)['id']}/moves"
    counting.calls.clear()
    assert api.post(path, {"from": 2, "to": 0}).slug == "illegal-move"
    assert moves == [(2, 0)]
    assert counting.calls == ["load"]


def test_hints_are_counted_once_despite_concurrent_writes(
    store: RedisStore,
) -> None:
    one, other = (Api(create_app(Settings(), store)) for _ in range(2))
    path = f"/v1/games/{one.start(seed='4')['id']}"
    labels = {"variant": "accordion", "verdict": "winnable"}
    before = REGISTRY.get_sample_value("accordion_hints_total", labels) or 0
    action = one.post(f"{path}/hint").json["action"]
    other.post(f"{path}/moves", {name: action[name] for name in ("from", "to")})
    for api in (one, one, other, one):
        assert api.post(f"{path}/hint").json["verdict"] == "winnable"
    after = REGISTRY.get_sample_value("accordion_hints_total", labels)
    assert after == before + 5
    assert one.get(path).json["hints_used"] == 5
