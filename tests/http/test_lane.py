"""The lane answers what it answers as Flask's routes do, and leaves them the rest."""

from __future__ import annotations

import json
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from prometheus_client import REGISTRY
from werkzeug.test import Client

from service.clock import now
from service.engine.cards import parse_cards
from service.engine.play import Options
from service.engine.ruleset import Layout
from service.engine.variants import find_variant
from service.games.advice import Advisor
from service.games.create import NewGame, OwnDeck, Seeded
from service.games.daily import Daily
from service.games.service import Games
from service.http.adapter import FAILED, Lane, read_action
from service.http.body import parse_json
from service.http.loading import load
from service.http.middleware.access_log import BEGUN
from service.http.schemas.requests import MovesInput
from service.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from wsgiref.types import StartResponse, WSGIEnvironment

    from werkzeug.test import TestResponse

    from service.engine.play import Step
    from service.engine.position import Move
    from service.store.protocol import Done, GameKey, GameStore, Gone, Stale
    from service.store.redis import RedisStore
    from tests.http.client import Api, Reply

JSON = {"Content-Type": "application/json"}
BY_FLASK = {"Content-Encoding": "identity"}
"""Asks for more than the lane does, and changes nothing in the answer."""
ROW = ["4S", "7H", "QC", "4D", "KD"]
"""The worked example of the rules: 3-0 and 4-3 are legal, and then 3-0 once more."""
MOVE = {"from": 3, "to": 0}
HINT = {"a": "hint"}
"""Stands for a request for a hint."""
VARYING = {"id", "watch_id", "started_at", "ended_at", "elapsed_seconds", "instance"}


def _shown(reply: Reply) -> tuple[int, Mapping[str, str], object]:
    """What must be the same of two answers about two games that are alike."""
    fields = {k.lower(): v for k, v in reply.headers.items() if k != "X-Request-ID"}
    if not reply.raw:
        return reply.status, fields, None
    assert fields.pop("content-length") == str(len(reply.raw))
    return (
        reply.status,
        fields,
        {name: value for name, value in reply.json.items() if name not in VARYING},
    )


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (None, {}),
        (None, {"If-None-Match": '"1"'}),
        (None, {"If-None-Match": 'W/"1", "7"'}),
        (None, {"If-None-Match": '"2"'}),
        (HINT, {}),
        (HINT, {"If-Match": '"1"'}),
        (HINT, {"If-Match": '"2"'}),
        (HINT, {"Accept-Language": "fr-CA, de;q=0.5"}),
        (HINT, {"Prefer": "return=minimal"}),
        (MOVE, {}),
        (MOVE, {"If-Match": '"1"'}),
        (MOVE, {"If-Match": "*"}),
        (MOVE, {"If-Match": '"2"'}),
        (MOVE, {"If-Match": "rubbish"}),
        (MOVE, {"Prefer": "return=minimal"}),
        (MOVE, {"Prefer": "return=representation"}),
        ({"from": 3}, {}),
        ({"from": 2, "to": 0}, {}),
        ({"from": 70, "to": 0}, {}),
        ({"moves": [MOVE, MOVE]}, {}),
        ({"moves": [MOVE, {"from": 9, "to": 0}]}, {}),
        ({"moves": [MOVE, {"deal": 1}]}, {}),
        ({"moves": []}, {}),
        (MOVE | {"why": 1}, {}),
        ({"from": 3, "to": 0.0}, {}),
        ({}, {}),
    ],
)
def test_the_answer_is_the_same_by_the_lane_and_by_flask(
    api: Api, body: object, headers: dict[str, str]
) -> None:
    answers = []
    for more in ({}, BY_FLASK):
        path = f"/v1/games/{api.start(deck=ROW)['id']}"
        if body is None:
            reply = api.get(path, {**headers, **more})
        elif body is HINT:
            reply = api.ask("POST", f"{path}/hint", b"{}", {**JSON, **headers, **more})
        else:
            text = json.dumps(body).encode()
            reply = api.ask("POST", f"{path}/moves", text, {**JSON, **headers, **more})
        answers.append((_shown(reply), _shown(api.get(path, more))))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("headers", [{}, {"If-None-Match": '"1"'}])
def test_watching_is_the_same_by_the_lane_and_by_flask(
    api: Api, headers: dict[str, str]
) -> None:
    path = f"/v1/watch/{api.start(options={'layout': 'stock'}, seed='7')['watch_id']}"
    by_lane, by_flask = api.get(path, headers), api.get(path, headers | BY_FLASK)
    assert _shown(by_lane) == _shown(by_flask)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        *[("localhost:8000", 200), ("127.0.0.1", 200), ("[::1]:80", 200), ("", 200)],
        *[(".", 400), ("a..b", 400), ("x" * 64 + ".org", 400), ("x." * 200, 200)],
    ],
)
def test_hosts_are_judged_alike_by_the_lane_and_by_flask(
    api: Api, host: str, status: int
) -> None:
    path = f"/v1/games/{api.start(deck=ROW)['id']}"
    for more in ({}, BY_FLASK):
        assert api.get(path, {"Host": host, **more}).status == status


def test_only_looking_is_done_by_a_watch_id(api: Api) -> None:
    path = f"/v1/watch/{api.start(deck=ROW)['watch_id']}"
    for what in ("moves", "hint"):
        assert api.ask("POST", f"{path}/{what}", b"{}", JSON).status == 404
    assert api.ask("POST", path, b"{}", JSON).status == 405


def test_the_clients_own_request_id_comes_back(api: Api) -> None:
    path = f"/v1/games/{api.start(deck=ROW)['id']}"
    assert api.get(path, {"X-Request-ID": "mine"}).headers["X-Request-ID"] == "mine"
    replies = [api.get(path), api.get(path), api.get(path, {"X-Request-ID": "no id!"})]
    assert len({reply.headers["X-Request-ID"] for reply in replies} - {"no id!"}) == 3


def test_a_store_that_is_away_is_told(store_away: Api) -> None:
    for reply in (
        store_away.get("/v1/games/abc"),
        store_away.ask("POST", "/v1/games/abc/moves", b'{"from":3,"to":0}', JSON),
    ):
        assert (reply.status, reply.slug) == (503, "store-unavailable")
        assert reply.headers["Retry-After"] == "1"


class Behind:
    """What is behind the lane: it remembers what comes through."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.failures: list[object] = []
        self.begun: list[float] = []

    def __call__(
        self, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        length = int(environ.get("CONTENT_LENGTH") or 0)
        self.bodies.append(environ["wsgi.input"].read(length))
        self.failures.append(environ.get(FAILED))
        self.begun.append(environ.get(BEGUN, 0.0))
        start_response("418 I'M A TEAPOT", [("Content-Length", "0")])
        return ()


class Lonely:
    """The worked example's game, and a lane to it with nothing of use behind."""

    def __init__(
        self,
        store: GameStore,
        *,
        require_if_match: bool = False,
        heeds_origin: bool = False,
    ) -> None:
        self.behind = Behind()
        self.games = Games(store, Daily(None), now)
        accordion, cards = find_variant("accordion"), parse_cards(ROW)
        wish = NewGame(accordion, Options(Layout.OPEN), OwnDeck(cards))
        self.game_id = self.games.create("", wish).game_id or ""
        lane = Lane(
            self.behind,
            self.games,
            Advisor(1, monotonic),
            now,
            [],
            require_if_match=require_if_match,
            heeds_origin=heeds_origin,
        )
        self._client = Client(lane)

    @property
    def version(self) -> int:
        return self.games.get("", self.game_id).version

    def look(self, headers: Mapping[str, str]) -> TestResponse:
        return self._client.get(f"/v1/games/{self.game_id}", headers=dict(headers))

    def hint(self, body: bytes, headers: Mapping[str, str]) -> TestResponse:
        return self._client.post(
            f"/v1/games/{self.game_id}/hint", data=body, headers=dict(headers)
        )

    def move(self, body: bytes, headers: Mapping[str, str]) -> TestResponse:
        return self._client.post(
            f"/v1/games/{self.game_id}/moves", data=body, headers=dict(headers)
        )


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b'{"from":3,"to":0}', JSON, 200),
        (b'{"from": 3, "to": 0}', {**JSON, "If-Match": '"1"'}, 200),
        (b'{"from":3,"to":0}', {**JSON, "Prefer": "return=minimal"}, 204),
        (b'{"moves":[{"from":3,"to":0},{"from":3,"to":0}]}', JSON, 200),
        (b'{"moves": [{"from": 3, "to": 0}, {"from": 3, "to": 0}]}', JSON, 200),
    ],
)
def test_a_plain_move_is_made_in_the_lane(
    store: RedisStore, body: bytes, headers: dict[str, str], status: int
) -> None:
    lonely = Lonely(store)
    answer = lonely.move(body, headers)
    assert answer.status_code == status
    assert answer.headers["ETag"] == '"2"'
    assert lonely.version == 2
    assert lonely.behind.bodies == []


def test_a_look_is_answered_in_the_lane(store: RedisStore) -> None:
    lonely = Lonely(store)
    assert json.loads(lonely.look({}).data)["row"] == ROW
    assert lonely.look({"If-None-Match": '"1"'}).status_code == 304
    assert lonely.behind.bodies == []


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b'{"from":3}', JSON),
        (b'{"to":0,"from":3}', JSON),
        (b'{"from":2,"to":0}', JSON),
        (b'{"from":3,"to":0}', {"Content-Type": "text/plain"}),
        (b'{"from":3,"to":0}', {**JSON, "Idempotency-Key": "k"}),
        (b'{"from":3,"to":0}', {**JSON, "If-Match": '"7"'}),
        (b'{"from":3,"to":0}', {**JSON, **BY_FLASK}),
        (b" " * 8193, JSON),
        (b"", JSON),
    ],
)
def test_what_the_lane_leaves_comes_through_whole_and_has_changed_nothing(
    store: RedisStore, body: bytes, headers: dict[str, str]
) -> None:
    lonely = Lonely(store)
    assert lonely.move(body, headers).status_code == 418
    assert lonely.behind.bodies == [body]
    assert lonely.behind.failures == [None]
    assert lonely.version == 1


@pytest.mark.parametrize(("heeds_origin", "status"), [(False, 200), (True, 418)])
def test_where_pages_of_others_may_ask_their_requests_are_left(
    store: RedisStore, *, heeds_origin: bool, status: int
) -> None:
    lonely = Lonely(store, heeds_origin=heeds_origin)
    page = {"Origin": "https://example.org"}
    assert lonely.look(page).status_code == status
    assert lonely.move(b'{"from":3,"to":0}', {**JSON, **page}).status_code == status
    assert lonely.look({}).status_code == 200


def test_a_write_without_if_match_is_left_where_it_is_demanded(
    store: RedisStore,
) -> None:
    lonely = Lonely(store, require_if_match=True)
    body = b'{"from":3,"to":0}'
    assert lonely.move(body, JSON).status_code == 418
    assert lonely.version == 1
    assert lonely.move(body, {**JSON, "If-Match": '"1"'}).status_code == 200


class Failing:
    """A store that fails after it has written."""

    def __init__(self, store: RedisStore) -> None:
        self._store = store
        self.writes = 0
        self.written_at = 0.0

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._store, name)

    def replace(
        self, key: GameKey, expected: int, payload: bytes, known: bytes = b""
    ) -> Done | Stale | Gone:
        self.writes += 1
        self._store.replace(key, expected, payload, known)
        self.written_at = perf_counter()
        raise StoreUnavailableError("the answer was lost")


def test_a_write_that_may_have_been_made_is_not_made_again(store: RedisStore) -> None:
    failing = Failing(store)
    lonely = Lonely(cast("GameStore", failing))
    assert lonely.move(b'{"from":3,"to":0}', JSON).status_code == 418
    assert isinstance(lonely.behind.failures[0], StoreUnavailableError)
    assert failing.writes == 1


def test_what_is_left_to_flask_is_timed_from_where_the_lane_began(
    store: RedisStore, api: Api
) -> None:
    failing, before = Failing(store), perf_counter()
    lonely = Lonely(cast("GameStore", failing))
    lonely.move(b'{"from":3,"to":0}', JSON)
    assert before < lonely.behind.begun[0] < failing.written_at
    sum_of_times = "accordion_request_duration_seconds_sum"
    times, labels = REGISTRY.get_sample_value, {"operation": "listVariants"}
    already = times(sum_of_times, labels) or 0.0
    early = {BEGUN: perf_counter() - 1000}
    api.ask("GET", "/v1/variants", environ_overrides=early)
    assert (times(sum_of_times, labels) or 0.0) - already >= 1000


@pytest.mark.parametrize(("body", "headers"), [(b"", {}), (b"{}", JSON)])
def test_a_hint_is_given_in_the_lane(
    store: RedisStore, body: bytes, headers: dict[str, str]
) -> None:
    lonely = Lonely(store)
    answer = lonely.hint(body, headers)
    assert answer.status_code == 200
    assert json.loads(answer.data)["verdict"] == "unwinnable"
    assert lonely.games.get("", lonely.game_id).session.hints_used == 1
    assert lonely.behind.bodies == []


def test_hints_are_counted_once_whoever_has_written_meanwhile(
    store: RedisStore,
) -> None:
    one, other = Lonely(store), Lonely(store)
    wish = NewGame(find_variant("accordion"), Options(Layout.OPEN), Seeded(seed="4"))
    one.game_id = other.game_id = one.games.create("", wish).game_id or ""
    labels = {"variant": "accordion", "verdict": "winnable"}
    before = REGISTRY.get_sample_value("accordion_hints_total", labels) or 0
    action = json.loads(one.hint(b"{}", JSON).data)["action"]
    move = {name: action[name] for name in ("from", "to")}
    other.move(json.dumps(move).encode(), JSON)
    for lane in (one, one, other, one):
        assert json.loads(lane.hint(b"{}", JSON).data)["verdict"] == "winnable"
    after = REGISTRY.get_sample_value("accordion_hints_total", labels)
    assert after == before + 5
    assert one.games.get("", one.game_id).session.hints_used == 5


@pytest.mark.parametrize("body", [b'{"budget_ms":5}', b"{ }", b"[]"])
def test_a_hint_with_wishes_is_left(store: RedisStore, body: bytes) -> None:
    lonely = Lonely(store)
    assert lonely.hint(body, JSON).status_code == 418
    assert lonely.behind.bodies == [body]
    assert lonely.version == 1


NUMBERS = st.integers(0, 99)
PAIRS = st.builds(lambda a, b: {"from": a, "to": b}, NUMBERS, NUMBERS)
BODIES = st.builds(
    lambda value, compact: json.dumps(
        value, separators=(",", ":") if compact else None
    ).encode(),
    st.one_of(PAIRS, st.builds(lambda m: {"moves": m}, st.lists(PAIRS, min_size=1))),
    st.booleans(),
)


def _read(body: bytes) -> Move | tuple[Step, ...]:
    wish: Move | tuple[Step, ...] = load(MovesInput(), parse_json(body))
    return wish


class Recorder:
    """Stands for a session: tells what an action asks of it."""

    def move(self, move: Move, _now: int) -> Move:
        return move

    def run(self, steps: Iterable[Step], _now: int) -> tuple[Step, ...]:
        return tuple(steps)


def _asked(body: bytes) -> object:
    action = read_action(body)
    return None if action is None else action(Recorder(), 0)  # type: ignore[arg-type]


@given(BODIES)
def test_a_plain_body_is_read_as_the_schema_reads_it(body: bytes) -> None:
    assert _asked(body) == _read(body)


@given(BODIES, st.integers(0, 400), st.binary(max_size=3), st.integers(0, 3))
@example(b'{"from":3,"to":0}', 8, b"0", 0)
@example(b'{"from":3,"to":0}', 0, b"\n", 0)
def test_a_body_that_is_read_is_one_that_the_schema_takes(
    body: bytes, at: int, more: bytes, fewer: int
) -> None:
    changed = body[:at] + more + body[at + fewer :]
    asked = _asked(changed)
    if asked is not None:
        assert asked == _read(changed)


def test_a_batch_has_at_most_as_many_moves_as_the_schema_takes() -> None:
    move = b'{"from":3,"to":0}'
    assert _asked(b'{"moves":[%b]}' % b",".join([move] * 200)) is not None
    assert _asked(b'{"moves":[%b]}' % b",".join([move] * 201)) is None
